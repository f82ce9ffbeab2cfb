public import Foundation

/// An access token with what renews it (RFC 6749 §5.1).
public struct BearerCredential: Hashable, Sendable {
    /// Sent as `Authorization: Bearer`.
    public var accessToken: String
    /// Renews the access token; nil where the refresh needs none.
    public var refreshToken: String?
    /// When the access token ends; nil where that is unknown, so that a 401 tells.
    public var expiresAt: Date?

    /// Creates a credential.
    public init(accessToken: String, refreshToken: String? = nil, expiresAt: Date? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
    }
}

extension BearerCredential: Codable {}

extension BearerCredential: CustomStringConvertible, CustomReflectable {
    /// When it ends, never a token.
    public var description: String { expiresAt.map { "bearer token until \($0)" } ?? "bearer token" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}

/// Sends access tokens (RFC 6750 §2.1) and renews them with a closure.
public struct BearerAuthenticator: Authenticator {
    private let leeway: TimeInterval
    private let renew: @Sendable (BearerCredential, RefreshContext) async throws(NetworkError) -> BearerCredential

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - leeway: How long before `expiresAt` a token counts as expired. Default 10 s.
    ///   - refresh: Renews a credential; see ``Authenticator/refresh(_:context:)``.
    public init(
        leeway: Duration = .seconds(10),
        refresh: @escaping @Sendable (BearerCredential, RefreshContext) async throws(NetworkError) -> BearerCredential
    ) {
        self.leeway = leeway.seconds
        renew = refresh
    }

    /// Sets the `Authorization` field.
    ///
    /// - Throws: `NetworkError` of kind `invalidHeader` where the token is empty or not printable ASCII.
    public func apply(_ credential: BearerCredential, to request: inout HTTPRequest) throws(NetworkError) {
        guard case .header(let field) = try FixedCredential.Form.bearer(credential.accessToken) else { return }
        request.headers[field.name] = field.value
    }

    /// Whether `expiresAt` is within the leeway or past.
    public func isExpired(_ credential: BearerCredential, at date: Date) -> Bool {
        credential.expiresAt.map { $0.timeIntervalSince(date) <= leeway } ?? false
    }

    /// Calls the closure.
    public func refresh(
        _ credential: BearerCredential, context: RefreshContext
    ) async throws(NetworkError) -> BearerCredential {
        try await renew(credential, context)
    }
}

extension Authenticator where Self == BearerAuthenticator {
    /// Access tokens that a closure renews.
    ///
    /// - Parameters:
    ///   - leeway: How long before `expiresAt` a token counts as expired. Default 10 s.
    ///   - refresh: Renews a credential.
    public static func bearer(
        leeway: Duration = .seconds(10),
        refresh: @escaping @Sendable (BearerCredential, RefreshContext) async throws(NetworkError) -> BearerCredential
    ) -> BearerAuthenticator {
        BearerAuthenticator(leeway: leeway, refresh: refresh)
    }
}
