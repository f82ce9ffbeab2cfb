import Foundation

/// Waits that grow by a factor up to a cap: `min(cap, initial × multiplier^index)`.
package struct BackoffSeries: Hashable, Sendable {
    package let initial: Duration
    package let multiplier: Double
    package let cap: Duration

    package init(initial: Duration, multiplier: Double, cap: Duration) {
        self.initial = max(.zero, initial)
        self.multiplier = multiplier >= 0 ? multiplier : 1
        self.cap = max(.zero, cap)
    }

    /// The wait at an index from 0; one below counts as 0.
    ///
    /// The product is judged as a floating-point number, which becomes infinite where an integer would overflow, and
    /// only a product below the cap becomes a duration. A whole factor multiplies exactly.
    package func delay(at index: Int) -> Duration {
        guard initial > .zero else { return .zero }
        let factor = pow(multiplier, Double(max(0, index)))
        guard initial.seconds * factor < cap.seconds else { return cap }
        return if let whole = Int64(exactly: factor) { min(cap, initial * whole) } else { min(cap, initial * factor) }
    }
}
