import Synchronization

/// Limits the retries of all calls that share it, so that a client does not multiply the load of a server that is down.
///
/// A bucket of tokens that begins full. A retry takes one; where there is none the failure stands. Each call gives
/// `perCall` back, and time one every `refill`: with the defaults retries are at most a tenth of the calls in a long
/// outage, after the first ten.
public final class RetryBudget: Sendable {
    private let perCall: Double
    /// Guards the bucket, which all calls share.
    private let bucket: Mutex<TokenBucket>

    /// Creates a full budget.
    ///
    /// - Parameters:
    ///   - perCall: What a call adds; below zero counts as zero. Default 0.1.
    ///   - capacity: Most tokens, and how many there are at first; below zero counts as zero. Default 10.
    ///   - refill: Time in which one token comes back by itself, so that a quiet client is not left without; nil for
    ///     never. Default 10 s.
    public init(perCall: Double = 0.1, capacity: Double = 10, refill: Duration? = .seconds(10)) {
        self.perCall = max(0, perCall)
        bucket = Mutex(TokenBucket(capacity: max(0, capacity), interval: refill))
    }

    func deposit(at now: Duration) { bucket.withLock { $0.deposit(perCall, at: now) } }

    func withdraw(at now: Duration) -> Bool { bucket.withLock { $0.take(at: now) } }
}
