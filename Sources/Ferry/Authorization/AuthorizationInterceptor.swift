package import Foundation

/// Applies a call's or a client's authorization to the requests that may carry it.
///
/// Its place is below redirection, so that each hop is judged by its own origin, and below retry, so that a replay
/// after a 401 is no retry and costs none.
package struct AuthorizationInterceptor: Interceptor {
    private let authorization: Authorization
    private let origin: Origin?
    private let owner: @Sendable () -> (any AnyObject & Sendable)?

    /// - Parameters:
    ///   - authorization: For calls that have none of their own.
    ///   - baseURL: Its origin is where the authorization applies unless it names others.
    ///   - owner: The client, for refreshes that make calls.
    package init(
        _ authorization: Authorization, baseURL: URL?,
        owner: @escaping @Sendable () -> (any AnyObject & Sendable)? = { nil }
    ) {
        self.authorization = authorization
        self.owner = owner
        origin = baseURL.flatMap { Origin($0) }
    }

    /// Where the call went first.
    private enum FirstOrigin: CallValueKey {
        static var initial: Origin? { nil }
    }

    package func intercept(
        _ request: HTTPRequest, context: CallContext, next: Next
    ) async throws(NetworkError) -> HTTPResponse {
        guard let source = try source(for: request, context) else { return try await next(request) }
        return try await source.send(request, context: context, next: next, owner: owner)
    }

    /// What sends the request with a credential; nil where it gets none.
    private func source(
        for request: HTTPRequest, _ context: CallContext
    ) throws(NetworkError) -> (any CredentialSource)? {
        let own = context.options.authorization
        let authorization = own ?? authorization
        guard let source = authorization.source else { return nil }
        let target = Origin(request.url)
        let allowed: Set<Origin>
        switch authorization.scope {
        case .origins(let origins):
            allowed = origins
        case .invalid(let url):
            throw NetworkError(.invalidURL, "\(url) is no origin that a credential can belong to")
        case .automatic where own != nil:
            let first = context.store.with(FirstOrigin.self) { first in
                first = first ?? target
                return first
            }
            allowed = first.map { [$0] } ?? []
        case .automatic:
            guard let origin else {
                throw NetworkError(
                    .invalidRequest, "Without a base URL, the client's authorization must name its origins")
            }
            allowed = [origin]
        }
        guard let target, allowed.contains(target) else { return nil }
        return source
    }
}

extension AuthorizationInterceptor: RequestPreviewing {
    /// Adds the credential of this moment, so that a cache keeps responses of different credentials apart. What cannot be
    /// added is left out: sending fails with the reason.
    package func preview(_ request: inout HTTPRequest, context: CallContext) {
        guard let source = try? source(for: request, context) else { return }
        source.preview(&request)
    }
}

/// What sends requests with a credential.
package protocol CredentialSource: Sendable {
    /// Whose credential a call that begins now gets; nil where it is always the same.
    var identity: CredentialIdentity? { get }

    /// Sends a request of an origin that the credential belongs to.
    func send(
        _ request: HTTPRequest, context: CallContext, next: Next, owner: () -> (any AnyObject & Sendable)?
    ) async throws(NetworkError) -> HTTPResponse

    /// Adds the credential of this moment, without waiting for a new one; nothing where there is none.
    func preview(_ request: inout HTTPRequest)
}

extension CredentialSource {
    package var identity: CredentialIdentity? { nil }
}

/// Tells calls apart that look the same above the authorization and are not: those of two users, and those that a
/// refresh makes.
package struct CredentialIdentity: Hashable, Sendable {
    package let session: UInt64
    package let isRefresh: Bool
}

extension CallOptions {
    private enum IdentityKey: CallOptionKey { typealias Value = CredentialIdentity }

    /// Set by the client, so that calls share an exchange only where they would carry the same user's credential.
    package var credentialIdentity: CredentialIdentity? {
        get { self[IdentityKey.self] }
        set { self[IdentityKey.self] = newValue }
    }
}

extension Next {
    /// Sends a changed request in place of another. What comes back names the original URL: a key that was added to
    /// it is nothing to show.
    func callAsFunction(
        _ sent: HTTPRequest, inPlaceOf request: HTTPRequest
    ) async throws(NetworkError) -> HTTPResponse {
        guard sent.url != request.url else { return try await self(sent) }
        do throws(NetworkError) {
            var response = try await self(sent)
            if response.head.url == sent.url { response.head.url = request.url }
            return response
        } catch {
            throw error.with {
                if $0.url == sent.url { $0.url = request.url }
                if $0.response?.url == sent.url { $0.response?.url = request.url }
            }
        }
    }
}
