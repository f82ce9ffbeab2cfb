// Resilience: what makes a call outlast a bad network and spares a bad server: retries, throttling, coalescing.
// May name Messages and Pipeline, and no other room. Policies, arithmetic and queues are values tested without tasks;
// the interceptors around them are thin.

/// Whether, when and how often a failed attempt is made again.
///
/// ```swift
/// let client = NetworkClient(baseURL: url) {
///     $0.retry = .exponential(initial: .milliseconds(250), maxRetries: 3)
/// }
/// call.options.retry = .never                          // this call alone
/// ```
///
/// A failure is retried where its status or kind is in the policy's table (see ``standardStatuses`` and
/// ``standardFailures``), repeating the request is safe, its body can be sent again, and the wait ends before the call's
/// total time-out. Otherwise the failure stands as it is.
///
/// Repeating is safe (RFC 9110 §9.2.2) where the method is idempotent, an `Idempotency-Key` is set, the policy was told
/// so with ``retryingUnsafeMethods()``, or the request was certainly not applied: the host was not found, the
/// connection was refused, or the server said 425 (RFC 8470 §5.2).
///
/// ## Step by step
///
/// Give the client a policy. Here the server is busy twice, and the call succeeds at the third attempt:
///
/// ```swift
/// let clock = ManualClock(advancesItself: true)  // in a test: waits end at once
/// let client = NetworkClient(baseURL: url) {
///     $0.clock = clock
///     $0.timeouts = Timeouts(idle: nil)
///     $0.retry = .exponential(initial: .milliseconds(250), jitter: .none, maxRetries: 3)
/// }
/// let tide = try await client.string(NetworkCall(.get, "/tides"))
/// ```
///
/// A POST is not repeated, because it could take effect twice. Where the server can tell, say so for that call:
///
/// ```swift
/// let patient = RetryPolicy.constant(.seconds(2), maxRetries: 2).retryingUnsafeMethods()
/// try await client.request(NetworkCall(.post, "/orders", body: .json(["item": 7]), retry: patient))
/// ```
///
/// A server that asks for rest with Retry-After gets it, up to a limit of yours:
///
/// ```swift
/// let polite = RetryPolicy.constant(.seconds(1)).respectingRetryAfter(upTo: .seconds(30))
/// let answer = try await client.string(NetworkCall(.get, "/busy", retry: polite))
/// ```
///
/// Or decide each failure yourself:
///
/// ```swift
/// let untilItIsThere = RetryPolicy.custom(maxRetries: 5) { failure in
///     failure.status == 404 ? .retry(after: .seconds(Int64(failure.retry))) : .stop
/// }
/// let report = try await client.string(NetworkCall(.get, "/report", retry: untilItIsThere))
/// ```
public struct RetryPolicy: Sendable {
    /// Most retries after the first attempt, over all redirects of the call.
    public let maxRetries: Int
    /// How the waits are spread, so that clients that failed together do not come back together.
    public private(set) var jitter: Jitter
    /// The statuses that are retried.
    public private(set) var statuses = Self.standardStatuses
    /// The kinds of failures without a response that are retried; of time-outs never the total one.
    public private(set) var failures = Self.standardFailures
    /// Whether requests are repeated that may then take effect twice. Default false.
    public private(set) var retriesUnsafeMethods = false
    /// The longest wait that a server may demand with Retry-After; nil ignores the field. Default 120 s.
    public private(set) var longestRetryAfter: Duration? = .seconds(120)
    /// What limits the retries of all calls together. Default: none.
    public private(set) var budget: RetryBudget?

    package private(set) var reachability: Reachability?
    private var source = JitterSource.system
    private let backoff: Backoff

    /// Waits until the network is back.
    package struct Reachability: Sendable {
        package let limit: Duration
        package let wait: @Sendable () async throws(CancellationError) -> Void
    }

    private enum Backoff: Sendable {
        case series(BackoffSeries)
        case custom(@Sendable (RetryFailure) -> RetryDecision)
    }

    private init(_ backoff: Backoff, jitter: Jitter, maxRetries: Int) {
        self.backoff = backoff
        self.jitter = jitter
        self.maxRetries = max(0, maxRetries)
    }
}

extension RetryPolicy {
    /// One attempt, whatever comes of it.
    public static var never: RetryPolicy { .constant(.zero, maxRetries: 0) }

    /// The same wait before every retry, without jitter.
    ///
    /// - Parameters:
    ///   - delay: The wait; below zero counts as zero. Default 1 s.
    ///   - maxRetries: Most retries after the first attempt; below zero counts as zero. Default 3.
    public static func constant(_ delay: Duration = .seconds(1), maxRetries: Int = 3) -> RetryPolicy {
        .exponential(initial: delay, multiplier: 1, cap: delay, jitter: .none, maxRetries: maxRetries)
    }

    /// Waits that grow by a factor: before retry *n*, `initial × multiplier^(n-1)`, at most `cap`, then jitter.
    ///
    /// With the defaults up to 250 ms, 500 ms, 1 s. `initial` 5 s, `multiplier` 5, `cap` 125 s and no jitter gives the
    /// series 5, 25, 125 s.
    ///
    /// - Parameters:
    ///   - initial: The wait before the first retry; below zero counts as zero. Default 250 ms.
    ///   - multiplier: What each wait is multiplied by for the next; below zero or not a number counts as 1. Default 2.
    ///   - cap: The longest wait. Default 30 s, or `initial` where that is longer.
    ///   - jitter: Default `.full`.
    ///   - maxRetries: Most retries after the first attempt; below zero counts as zero. Default 3.
    public static func exponential(
        initial: Duration = .milliseconds(250), multiplier: Double = 2, cap: Duration? = nil, jitter: Jitter = .full,
        maxRetries: Int = 3
    ) -> RetryPolicy {
        let series = BackoffSeries(initial: initial, multiplier: multiplier, cap: cap ?? max(.seconds(30), initial))
        return RetryPolicy(.series(series), jitter: jitter, maxRetries: maxRetries)
    }

    /// Decides each failure by itself.
    ///
    /// `decide` sees every failed attempt: any status of 400 and above and any error but a cancel or the total
    /// time-out. What it decides is done, also against a Retry-After, as long as repeating is safe, the body can be
    /// sent again, the wait ends before the total time-out and the budget allows it.
    ///
    /// - Parameters:
    ///   - maxRetries: Most retries after the first attempt; below zero counts as zero. Default 10.
    ///   - decide: Called once a failed attempt; must return quickly.
    public static func custom(
        maxRetries: Int = 10, _ decide: @escaping @Sendable (RetryFailure) -> RetryDecision
    ) -> RetryPolicy {
        RetryPolicy(.custom(decide), jitter: .none, maxRetries: maxRetries)
    }
}

extension RetryPolicy {
    /// This policy with other statuses to retry, in place of ``standardStatuses``.
    public func retryingStatuses(_ statuses: Set<HTTPStatus>) -> RetryPolicy { with { $0.statuses = statuses } }

    /// This policy with other failures to retry, in place of ``standardFailures``.
    public func retryingFailures(_ failures: Set<NetworkError.Kind>) -> RetryPolicy { with { $0.failures = failures } }

    /// This policy for POST, PATCH and custom methods too: only where the server tells repeated requests apart or does
    /// not mind them.
    public func retryingUnsafeMethods() -> RetryPolicy { with { $0.retriesUnsafeMethods = true } }

    /// This policy, waiting as long as the server demands with Retry-After (RFC 9110 §10.2.3) in place of the backoff.
    ///
    /// A demand beyond the limit is not shortened, for that would hammer a server that asked for rest: the call ends at
    /// once with the response. Malformed values are ignored, dates in the past mean now.
    ///
    /// - Parameter limit: The longest wait that is taken. 120 s where this is not called.
    public func respectingRetryAfter(upTo limit: Duration) -> RetryPolicy { with { $0.longestRetryAfter = limit } }

    /// This policy without looking at Retry-After.
    public func ignoringRetryAfter() -> RetryPolicy { with { $0.longestRetryAfter = nil } }

    /// This policy within a budget, normally shared by all calls of a client.
    public func budget(_ budget: RetryBudget) -> RetryPolicy { with { $0.budget = budget } }

    /// This policy with another spread of the waits.
    public func jitter(_ jitter: Jitter) -> RetryPolicy { with { $0.jitter = jitter } }

    /// This policy with another source of chance, such as a seeded one in tests.
    public func generator(_ source: JitterSource) -> RetryPolicy { with { $0.source = source } }

    /// This policy, waiting for the network in place of the backoff when the device has none (kind `offline`).
    ///
    /// The attempt after it counts as a retry. Where the network does not come back in time, the `offline` error stands.
    ///
    /// - Parameters:
    ///   - limit: The longest wait; the total time-out ends it too. Default 60 s.
    ///   - wait: Returns once the network is reachable; must end promptly when its task is cancelled.
    public func waitingUntilReachable(
        upTo limit: Duration = .seconds(60), _ wait: @escaping @Sendable () async throws(CancellationError) -> Void
    ) -> RetryPolicy {
        with { $0.reachability = Reachability(limit: limit, wait: wait) }
    }

    private func with(_ change: (inout RetryPolicy) -> Void) -> RetryPolicy {
        var copy = self
        change(&copy)
        return copy
    }
}

extension RetryPolicy {
    /// The longest wait before a retry, before jitter and Retry-After; nil where a custom policy decides.
    ///
    /// - Parameter retry: From 1; below counts as 1.
    public func delay(beforeRetry retry: Int) -> Duration? {
        guard case .series(let series) = backoff else { return nil }
        return series.delay(at: max(1, retry) - 1)
    }

    /// What is to be done about a failure. The pure part of the engine: only the budget is not asked.
    ///
    /// - Parameters:
    ///   - failure: The failed attempt.
    ///   - remaining: Time until the call must be over; nil where it has all the time.
    package func verdict(on failure: RetryFailure, remaining: Duration?) -> RetryVerdict {
        guard failure.mayBeRetried else { return .stop(.notRetryable) }
        let wait: Duration
        switch backoff {
        case .custom(let decide):
            guard failure.retry <= maxRetries else { return .stop(.exhausted) }
            guard case .retry(let chosen) = decide(failure) else { return .stop(.notRetryable) }
            wait = max(.zero, chosen)
        case .series(let series):
            guard failure.isListed(statuses: statuses, failures: failures) else { return .stop(.notRetryable) }
            guard failure.retry <= maxRetries else { return .stop(.exhausted) }
            if let longestRetryAfter, let demanded = failure.retryAfter {
                guard demanded <= longestRetryAfter else { return .stop(.retryAfterTooLong) }
                wait = demanded
            } else {
                wait = jitter.spread(series.delay(at: failure.retry - 1), by: source)
            }
        }
        guard retriesUnsafeMethods || failure.isSafeToRepeat else { return .stop(.unsafe) }
        guard failure.request.body.isReplayable else { return .stop(.bodyNotReplayable) }
        if failure.error.kind == .offline, let reachability {
            let limit = min(reachability.limit, remaining ?? reachability.limit)
            return limit > .zero ? .retryWhenReachable(limit: limit) : .stop(.deadline)
        }
        // A wait that ends with the deadline leaves no time for an attempt.
        if let remaining, wait >= remaining { return .stop(.deadline) }
        return .retry(after: wait)
    }
}

/// What a custom policy decides about a failed attempt.
public enum RetryDecision: Hashable, Sendable {
    /// Try again after exactly this wait; below zero counts as zero.
    case retry(after: Duration)
    /// Let the failure stand.
    case stop
}

/// What is to be done about a failed attempt.
package enum RetryVerdict: Hashable, Sendable {
    case retry(after: Duration)
    case retryWhenReachable(limit: Duration)
    case stop(Reason)

    /// Why a failure stands.
    package enum Reason: Hashable, Sendable {
        case notRetryable
        case exhausted
        case unsafe
        case bodyNotReplayable
        case retryAfterTooLong
        case deadline
        case budget
    }
}
