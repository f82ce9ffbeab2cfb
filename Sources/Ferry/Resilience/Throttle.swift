/// How many exchanges a client has under way at once, and how fast it begins them.
///
/// ```swift
/// let client = NetworkClient(baseURL: url) {
///     $0.throttle = Throttle(total: 20, rate: RateLimit(50, per: .seconds(1)))
/// }
/// call.options.priority = .high
/// ```
///
/// What is too much waits in the client, in the order of priority and then of arrival, and not in the session, which
/// knows no priorities. The wait counts towards the total time-out of the call and not towards the time-outs of an
/// attempt; it ends at once when the call is cancelled. A host that is full does not hold up the others.
public struct Throttle: Hashable, Sendable {
    /// Most exchanges at once with one host over http; nil for no limit. Below 1 counts as 1. Default 6: URLSession
    /// speaks HTTP/1.1 there and opens that many connections.
    public var perHTTPHost: Int?
    /// Most exchanges at once with one host over https; nil for no limit. Below 1 counts as 1. Default 100: HTTP/2 may
    /// carry them all over one connection (RFC 9113 §6.5.2 recommends to allow at least 100).
    public var perHTTPSHost: Int?
    /// Most exchanges at once in all; nil for no limit. Below 1 counts as 1. Default nil.
    public var total: Int?
    /// How fast exchanges begin, over all hosts; nil for no limit. Default nil.
    public var rate: RateLimit?
    /// Whether a host is left alone for as long as it asks: with Retry-After on 429 and 503, or with `RateLimit` or
    /// `RateLimit-Remaining` of zero and the time of the reset (draft-ietf-httpapi-ratelimit-headers). Default false.
    public var respectsServerLimits: Bool
    /// The longest time a host is left alone at its wish. Default 120 s.
    public var longestHold: Duration

    /// Creates a throttle.
    public init(
        perHTTPHost: Int? = 6, perHTTPSHost: Int? = 100, total: Int? = nil, rate: RateLimit? = nil,
        respectsServerLimits: Bool = false, longestHold: Duration = .seconds(120)
    ) {
        self.perHTTPHost = perHTTPHost
        self.perHTTPSHost = perHTTPSHost
        self.total = total
        self.rate = rate
        self.respectsServerLimits = respectsServerLimits
        self.longestHold = longestHold
    }

    /// No limit at all.
    public static let none = Throttle(perHTTPHost: nil, perHTTPSHost: nil)

    func limit(of origin: Origin) -> Int {
        let limit = origin.scheme == "https" ? perHTTPSHost : perHTTPHost
        return limit.map { max(1, $0) } ?? .max
    }
}

/// How many exchanges may begin in a time, as a bucket of tokens: a burst at once, the rest evenly.
public struct RateLimit: Hashable, Sendable {
    /// How many begin in `interval`; at least 1.
    public let requests: Int
    /// The time in which they begin.
    public let interval: Duration
    /// How many begin at once after a pause; at least 1.
    public let burst: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - requests: How many begin in `interval`; below 1 counts as 1.
    ///   - interval: The time in which they begin; zero or less is no limit.
    ///   - burst: How many begin at once after a pause; below 1 counts as 1. Default: `requests`.
    public init(_ requests: Int, per interval: Duration, burst: Int? = nil) {
        self.requests = max(1, requests)
        self.interval = interval
        self.burst = max(1, burst ?? requests)
    }

    var bucket: TokenBucket? {
        let pause = interval / requests
        // A time too short for a Duration is none, and no limit: with it no token would ever come back.
        return pause > .zero ? TokenBucket(capacity: Double(burst), interval: pause) : nil
    }
}

/// Which calls leave a queue first. A steady stream of higher ones can hold up the lower ones for good.
public enum CallPriority: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// Prefetching, statistics.
    case low
    /// The default.
    case normal
    /// Somebody waits for it.
    case high

    /// Orders by urgency.
    public static func < (lhs: CallPriority, rhs: CallPriority) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension CallOptions {
    private enum PriorityKey: CallOptionKey { typealias Value = CallPriority }

    /// The priority of this call in the client's queues; nil is normal.
    public var priority: CallPriority? {
        get { self[PriorityKey.self] }
        set { self[PriorityKey.self] = newValue }
    }
}
