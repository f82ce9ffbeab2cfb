import Synchronization

/// How waits are spread at random.
public enum Jitter: Hashable, Sendable, CaseIterable {
    /// The wait as it is.
    case none
    /// Between half of the wait and all of it.
    case equal
    /// Between nothing and all of the wait: spreads best.
    case full

    package func spread(_ delay: Duration, by source: JitterSource) -> Duration {
        switch self {
        case .none: delay
        case .equal: delay / 2 + delay / 2 * source.next()
        case .full: delay * source.next()
        }
    }
}

/// Where jitter takes its chance from.
public struct JitterSource: Sendable {
    private let draw: @Sendable () -> Double

    /// Takes fractions from a function.
    ///
    /// - Parameter draw: Gives a number from 0 up to 1; others are moved to the nearer end. Called from any thread.
    public init(_ draw: @escaping @Sendable () -> Double) { self.draw = draw }

    /// Takes fractions from a generator, one call at a time.
    public init(_ generator: some RandomNumberGenerator & Sendable) {
        let generator = SharedGenerator(generator)
        draw = { generator.next() }
    }

    /// The system's generator.
    public static var system: JitterSource {
        JitterSource {
            var generator = SystemRandomNumberGenerator()
            return .random(in: 0..<1, using: &generator)
        }
    }

    func next() -> Double {
        let fraction = draw()
        return fraction > 0 ? min(fraction, 1) : 0
    }
}

/// A generator that many calls draw from.
private final class SharedGenerator<Generator: RandomNumberGenerator & Sendable>: Sendable {
    /// Guards the generator, which drawing changes.
    private let generator: Mutex<Generator>

    init(_ generator: Generator) { self.generator = Mutex(generator) }

    func next() -> Double { generator.withLock { .random(in: 0..<1, using: &$0) } }
}
