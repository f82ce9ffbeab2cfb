/// Tokens that come back with time, up to a capacity. A value without a clock: it is told the time.
package struct TokenBucket: Sendable {
    package let capacity: Double
    /// Time in which one token comes back; nil where none does.
    package let interval: Duration?
    private var level: Double
    private var updated: Duration?

    /// A full bucket.
    package init(capacity: Double, interval: Duration?) {
        self.capacity = capacity
        self.interval = interval
        level = capacity
    }

    /// Tokens at a time.
    package func tokens(at now: Duration) -> Double {
        guard let interval, interval > .zero, let updated, now > updated else { return level }
        return min(capacity, level + (now - updated) / interval)
    }

    /// Adds tokens, as far as they fit.
    package mutating func deposit(_ tokens: Double, at now: Duration) {
        level = min(capacity, self.tokens(at: now) + tokens)
        updated = max(updated ?? now, now)
    }

    /// Takes one token where there is a whole one.
    package mutating func take(at now: Duration) -> Bool {
        deposit(0, at: now)
        guard level >= 1 - Self.tolerance else { return false }
        level = max(0, level - 1)
        return true
    }

    /// When there will be a whole token; nil where waiting does not help.
    package func nextToken(at now: Duration) -> Duration? {
        let missing = 1 - tokens(at: now)
        guard missing > Self.tolerance else { return now }
        guard let interval, interval > .zero, capacity >= 1 else { return nil }
        return now + interval * missing
    }

    /// What rounding may have lost of a token; far less than one nanosecond of any useful rate.
    private static let tolerance = 1e-9
}
