/// How to reconnect to an event stream that ended or was cut (WHATWG HTML §9.2.3).
public struct ServerSentEventReconnection: Hashable, Sendable {
    /// How long to wait before reconnecting while the server has set no `retry`. Default 3 s.
    public var delay: Duration
    /// Connections in a row that may fail, or be cut before any byte, until the error is thrown; nil for no limit.
    /// Default 5.
    public var maxFailures: Int?
    /// Longest wait after failures. The wait doubles with each failure in a row after the first; the server's own
    /// `retry` is never shortened. Default 60 s.
    public var maxDelay: Duration

    /// Creates a policy.
    public init(delay: Duration = .seconds(3), maxFailures: Int? = 5, maxDelay: Duration = .seconds(60)) {
        self.delay = delay
        self.maxFailures = maxFailures
        self.maxDelay = maxDelay
    }

    /// As the standard has it, giving up after 5 failures in a row.
    public static let standard = ServerSentEventReconnection()
}
