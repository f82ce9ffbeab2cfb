/// What the server has seen. Every wait returns at once when the server stops or the task is cancelled.
extension LoopbackServer {
    /// The requests, in the order in which they were complete; those of streaming handlers when their head had come.
    public var requests: [LoopbackRequest] { core.recorder.requests }

    /// How many requests came, those that are no longer kept included.
    public var requestCount: Int { core.recorder.requestCount }

    /// What was wrong with malformed or unfinished requests, one text each.
    public var rejections: [String] { core.recorder.rejections }

    /// How many connections were accepted.
    public var acceptedConnections: Int { core.recorder.accepted }

    /// How many connections are open.
    public var openConnections: Int { core.recorder.open }

    /// Forgets the requests and their count.
    public func removeRequests() { core.recorder.removeRequests() }

    /// Waits until a number of requests have come.
    ///
    /// - Parameter count: How many, at least.
    /// - Returns: The requests so far.
    @discardableResult
    public func waitForRequests(_ count: Int) async -> [LoopbackRequest] {
        await core.recorder.wait(for: .requests(count))
        return requests
    }

    /// Waits until a number of connections were accepted.
    ///
    /// - Parameter count: How many, at least.
    public func waitForConnections(_ count: Int) async { await core.recorder.wait(for: .accepted(count)) }

    /// Waits until no connection is open.
    public func waitForConnectionsClosed() async { await core.recorder.wait(for: .noOpenConnection) }
}
