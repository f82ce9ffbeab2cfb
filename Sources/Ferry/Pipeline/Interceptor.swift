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
    private let sent: SentRequest?

    fileprivate init(chain: InterceptorChain, index: Int, context: CallContext, sent: SentRequest? = nil) {
        self.chain = chain
        self.index = index
        self.context = context
        self.sent = sent
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
            sent?.record(request)
            return try await chain.transport.send(request, context: context)
        }
        let next = Next(chain: chain, index: index + 1, context: context, sent: sent)
        return try await chain.interceptors[index].intercept(request, context: context, next: next)
    }

    /// The request as the rest of the chain would send it, as far as it says so.
    package func preview(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        for (place, interceptor) in chain.previewing where place >= index {
            interceptor.preview(&request, context: context)
        }
        return request
    }

    /// The rest of the chain, where what reaches the transport is noted.
    package func recording(in sent: SentRequest) -> Next {
        Next(chain: chain, index: index, context: context, sent: sent)
    }
}

/// Interceptors, outermost first, over a transport.
package final class InterceptorChain: Sendable {
    package let interceptors: [any Interceptor]
    package let transport: any Transport
    /// Those that say what they add, with their places.
    fileprivate let previewing: [(place: Int, interceptor: any RequestPreviewing)]

    package init(_ interceptors: [any Interceptor], over transport: any Transport) {
        self.interceptors = interceptors
        previewing = interceptors.enumerated().compactMap { place, interceptor in
            (interceptor as? any RequestPreviewing).map { (place, $0) }
        }
        self.transport = transport
    }

    /// Sends a request down the whole chain.
    package func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        try await Next(chain: self, index: 0, context: context)(request)
    }
}

extension Next: CustomReflectable {
    /// The place in the chain alone: interceptors may hold credentials.
    public var customMirror: Mirror { Mirror(self, children: ["place": index]) }
}
