import Synchronization

/// An interceptor that adds fields which may select or protect responses, such as cookies and credentials.
///
/// A cache stands above it and must know what will be sent before it looks for a stored response. What an interceptor
/// adds without saying so here is only seen once it was sent: a response that varies by it is then stored and never
/// found again, which is safe but of no use.
public protocol RequestPreviewing: Interceptor {
    /// Changes a request as `intercept` would change it now.
    ///
    /// - Parameters:
    ///   - request: The request as the steps above leave it.
    ///   - context: What is known of the call.
    func preview(_ request: inout HTTPRequest, context: CallContext)
}

/// Takes the request that reached the transport.
package final class SentRequest: Sendable {
    /// Guards the request: it is set on the task that sends.
    private let storage = Mutex<HTTPRequest?>(nil)

    package init() {}

    /// The request that was sent last; nil where none was.
    package var request: HTTPRequest? { storage.withLock { $0 } }

    func record(_ request: HTTPRequest) { storage.withLock { $0 = request } }
}
