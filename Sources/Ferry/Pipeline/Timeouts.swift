/// The time-outs of a call; any duration works, also below a second. Nil means no limit.
public struct Timeouts: Hashable, Sendable {
    /// From the start of an attempt until the response's head. Default: no limit of its own.
    public var head: Duration?
    /// Longest silence: nothing sent and nothing received. Default 60 s.
    public var idle: Duration?
    /// Longest time of one attempt. Default: no limit.
    public var attempt: Duration?
    /// Longest time of the whole call with all attempts, redirects and waits. Default: no limit.
    public var total: Duration?

    /// Creates a set of time-outs.
    public init(
        head: Duration? = nil, idle: Duration? = .seconds(60), attempt: Duration? = nil, total: Duration? = nil
    ) {
        self.head = head
        self.idle = idle
        self.attempt = attempt
        self.total = total
    }

    /// Checks that every time-out is positive.
    ///
    /// - Throws: `NetworkError` of kind `invalidRequest`, naming the time-out.
    public func validate() throws(NetworkError) {
        for (name, value) in [("head", head), ("idle", idle), ("attempt", attempt), ("total", total)] {
            if let value, value <= .zero {
                throw NetworkError(.invalidRequest, "The \(name) time-out is not positive: \(value.seconds) s")
            }
        }
    }
}
