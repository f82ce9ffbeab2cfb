/// Makes one exchange: one request in, head and body out.
///
/// A transport follows no redirect, keeps no cookie, caches nothing and answers no challenge: the client does, above
/// it. It gives the response of any final status (1xx are skipped) in the delivery that the context asks for, and never
/// gives a body that is shorter than the server meant: that is `connectionLost` or `malformedResponse`.
///
/// Every function may be called from many tasks at once.
public protocol Transport: Sendable {
    /// Makes one exchange.
    ///
    /// - Parameters:
    ///   - request: A validated request whose body is encoded.
    ///   - context: The delivery, the time-outs and the event sink of the call.
    /// - Returns: The response; with streamed delivery as soon as its head is there.
    /// - Throws: `NetworkError`; of kind `cancelled` promptly when the task is cancelled.
    func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse

    /// Whether the transport keeps the context's time-outs by itself. Where it does not, the client races them against
    /// the exchange. Default false.
    var enforcesTimeouts: Bool { get }

    /// Whether the transport holds servers to the context's pins by itself, or reports mismatches, as the pins' mode asks.
    /// Where it does not, the client refuses pinned hosts before anything is sent. Default false.
    var enforcesPins: Bool { get }

    /// Ends every exchange and gives back sockets and threads; later requests fail. Default: does nothing.
    func shutdown()
}

extension Transport {
    /// False.
    public var enforcesTimeouts: Bool { false }

    /// False.
    public var enforcesPins: Bool { false }

    /// Does nothing.
    public func shutdown() {}
}

/// How a transport hands out a body.
public enum Delivery: Hashable, Sendable {
    /// Once, when it is complete: the fast path.
    case buffered
    /// As it comes, after the head.
    case streamed
}
