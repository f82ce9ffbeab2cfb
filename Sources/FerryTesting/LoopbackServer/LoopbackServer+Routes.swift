public import Ferry
import Synchronization

/// Routes. Paths are literal, or have `{name}` for one captured segment, `*` for any one segment and a final `**` for
/// the rest. The most specific route wins; the same method and path replace the earlier route; HEAD is answered by GET
/// routes, without the content.
extension LoopbackServer {
    /// Answers with a handler, which runs in a task of its own.
    ///
    /// A handler that throws is answered with 500 and a text that says what it threw. Its task is cancelled when the
    /// client goes away or the server stops.
    ///
    /// - Parameters:
    ///   - method: The method; nil is any.
    ///   - path: The path.
    ///   - handler: Gives the response to one request.
    public func on(
        _ method: HTTPMethod?, _ path: String,
        _ handler: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse
    ) {
        core.routes.withLock { $0.set(method, path, .handler(handler)) }
    }

    /// Answers every request alike, straight from the server's thread.
    ///
    /// - Parameters:
    ///   - method: The method; nil is any.
    ///   - path: The path.
    ///   - response: The response.
    public func on(_ method: HTTPMethod?, _ path: String, _ response: LoopbackResponse) {
        core.routes.withLock { $0.set(method, path, .canned(response)) }
    }

    /// Answers with one response after the other; the last one repeats.
    ///
    /// - Parameters:
    ///   - method: The method; nil is any.
    ///   - path: The path.
    ///   - responses: The responses, in order.
    /// - Precondition: There is at least one response.
    public func script(_ method: HTTPMethod?, _ path: String, _ responses: [LoopbackResponse]) {
        precondition(!responses.isEmpty, "The script of \(path) has no response")
        core.routes.withLock { $0.set(method, path, .script(responses)) }
    }

    /// Answers with a handler that reads the request's body as it arrives, in constant memory.
    ///
    /// The request is recorded when its head has come, without a body. `Expect: 100-continue` is answered when the
    /// handler first reads; a handler that answers without reading refuses the body, and the connection closes.
    ///
    /// - Parameters:
    ///   - method: The method; nil is any.
    ///   - path: The path.
    ///   - handler: Reads the body and gives the response.
    public func onStreaming(
        _ method: HTTPMethod?, _ path: String,
        _ handler: @escaping @Sendable (LoopbackRequest, LoopbackRequestBody) async throws -> LoopbackResponse
    ) {
        core.routes.withLock { $0.set(method, path, .streaming(handler)) }
    }

    /// Answers what no route matches. Without a fallback: 404 with a text that names method and path.
    public func fallback(_ handler: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse) {
        core.routes.withLock { $0.setFallback(.handler(handler)) }
    }

    /// Removes all routes and the fallback.
    public func removeRoutes() { core.routes.withLock { $0.removeAll() } }

    /// Decides over each new connection before a byte is read.
    ///
    /// - Parameter policy: Takes the number of the connection, from 1. Called on the server's thread: it must not wait.
    public func onConnect(_ policy: @escaping @Sendable (Int) -> ConnectionAction) {
        core.connectionPolicy.withLock { $0 = policy }
    }
}
