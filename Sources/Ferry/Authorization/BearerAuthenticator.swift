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
    private let renew: @Sendable (BearerCredential, RefreshContext) async throws -> BearerCredential

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - leeway: How long before `expiresAt` a token counts as expired. Default 10 s.
    ///   - refresh: Renews a credential; see ``Authenticator/refresh(_:context:)``. May throw any error.
    public init(
        leeway: Duration = .seconds(10),
        refresh: @escaping @Sendable (BearerCredential, RefreshContext) async throws -> BearerCredential
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
    ///
    /// - Throws: The closure's `NetworkError`; `cancelled` for a `CancellationError`; any other error as the underlying
    ///   one of kind `refresh`, which keeps the credential.
    public func refresh(
        _ credential: BearerCredential, context: RefreshContext
    ) async throws(NetworkError) -> BearerCredential {
        do {
            return try await renew(credential, context)
        } catch let error as NetworkError {
            throw error
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw NetworkError(.refresh, "The credential could not be renewed", underlying: error)
        }
    }
}

extension CredentialStore where A == BearerAuthenticator {
    /// Creates a store of access tokens that a closure renews.
    ///
    /// - Parameters:
    ///   - credential: The one to begin with; nil while nobody is signed in.
    ///   - leeway: How long before `expiresAt` a token counts as expired. Default 10 s.
    ///   - coolDown: How long after a failed refresh calls fail with its error and none is started. Default zero.
    ///   - onChange: Called with each new credential, nil once it is removed. Default none.
    ///   - refresh: Renews a credential; see ``Authenticator/refresh(_:context:)``.
    public convenience init(
        bearer credential: BearerCredential?, leeway: Duration = .seconds(10), coolDown: Duration = .zero,
        onChange: (@Sendable (BearerCredential?) -> Void)? = nil,
        refresh: @escaping @Sendable (BearerCredential, RefreshContext) async throws -> BearerCredential
    ) {
        self.init(
            BearerAuthenticator(leeway: leeway, refresh: refresh), credential: credential, coolDown: coolDown,
            onChange: onChange)
    }
}

extension NetworkError.Kind {
    /// A credential could not be renewed, for a reason that is no `NetworkError`.
    public static let refresh = Self(rawValue: "refresh")
}
