// Pipeline: the contracts between a call and the network: interceptors, the transport, and what they share of a call.
// May name Messages, and nothing above.

/// A step that every request and response of a client passes.
///
/// ```swift
/// struct Signing: Interceptor {
///     func intercept(
///         _ request: HTTPRequest, context: CallContext, next: Next
///     ) async throws(NetworkError) -> HTTPResponse {
///         var signed = request
///         signed.headers["X-Signature"] = try sign(request)
///         return try await next(signed)
///     }
/// }
/// ```
///
/// It may change the request, answer by itself, look at the response, or call `next` again: each call of `next` runs
/// everything below once more. An interceptor that waits must end with `NetworkError.cancelled` promptly when its task
/// is cancelled, and must not wait beyond the context's deadline. What leaves the last interceptor is checked as the
/// call's own request was: a malformed field, method or URL fails the call and is not sent.
public protocol Interceptor: Sendable {
    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request so far.
    ///   - context: What is known of the call.
    ///   - next: The rest of the chain.
    /// - Returns: The response, of any status: statuses are judged above the chain.
    func intercept(
        _ request: HTTPRequest, context: CallContext, next: Next
    ) async throws(NetworkError) -> HTTPResponse
}

/// The rest of the chain below an interceptor.
public struct Next: Sendable {
    private let chain: InterceptorChain
    private let index: Int
    private let context: CallContext

    fileprivate init(chain: InterceptorChain, index: Int, context: CallContext) {
        self.chain = chain
        self.index = index
        self.context = context
    }

    /// Sends a request down the rest of the chain.
    public func callAsFunction(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        try await callAsFunction(request, context: context)
    }

    /// Sends a request down the rest of the chain for other calls than the one that came here.
    package func callAsFunction(
        _ request: HTTPRequest, context: CallContext
    ) async throws(NetworkError) -> HTTPResponse {
        guard index < chain.interceptors.count else {
            return try await chain.transport.send(request, context: context)
        }
        let next = Next(chain: chain, index: index + 1, context: context)
        return try await chain.interceptors[index].intercept(request, context: context, next: next)
    }
}

/// Interceptors, outermost first, over a transport.
package final class InterceptorChain: Sendable {
    package let interceptors: [any Interceptor]
    package let transport: any Transport

    package init(_ interceptors: [any Interceptor], over transport: any Transport) {
        self.interceptors = interceptors
        self.transport = transport
    }

    /// Sends a request down the whole chain.
    package func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        try await Next(chain: self, index: 0, context: context)(request)
    }
}
