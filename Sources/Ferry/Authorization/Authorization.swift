// Authorization: which credential a request carries, and how a rejected one is renewed once for all calls that need it.
// May name Messages and Pipeline, and no other middle room. Who sends, waits or renews is decided by a state machine
// without tasks (CredentialStateMachine); the store around it is thin.

public import Foundation

/// The credential that a client, or one call, sends.
///
/// ```swift
/// let fixed = NetworkClient(baseURL: url) {
///     $0.authorization = .bearer("token")                 // or .basic, .apiKey, .custom
/// }
///
/// let session = CredentialStore(bearer: saved) { old, context in
///     try await context.client.request(RefreshToken(old.refreshToken)).credential
/// }
/// let client = NetworkClient(baseURL: url) { $0.authorization = .refreshing(session) }
/// session.signOut()
/// ```
///
/// A credential belongs to origins (scheme, host and port): unless ``origins(_:)`` says otherwise, to the origin of the
/// client's base URL. A request to any other origin goes out without it, also after a redirect.
///
/// A request that already carries a credential, such as an `Authorization` field of the call, goes out as it is, and
/// its 401 is not handled.
public struct Authorization: Sendable {
    /// Where the credential may go.
    package enum Scope: Hashable, Sendable {
        /// The origin of the client's base URL, or for a single call the origin that it asks first.
        case automatic
        case origins(Set<Origin>)
        /// A configured URL that has no origin; its scheme and host, for the message.
        case invalid(String)
    }

    package let source: (any CredentialSource)?
    package private(set) var scope = Scope.automatic

    package init(_ source: (any CredentialSource)?) { self.source = source }

    /// No credential: requests go out as they are, and a 401 is handed out.
    ///
    /// On a call it switches the client's authorization off: `call.options.authorization = .anonymous`.
    public static let anonymous = Authorization(nil)

    /// A fixed bearer token (RFC 6750 §2.1): `Authorization: Bearer <token>`.
    ///
    /// - Parameter token: Where it is empty or cannot be part of a header field, every call fails with `invalidHeader`.
    public static func bearer(_ token: String) -> Authorization {
        Authorization(FixedCredential { () throws(NetworkError) in try .bearer(token) })
    }

    /// A user and a password (RFC 7617), in UTF-8 and in Normalization Form C.
    ///
    /// - Parameters:
    ///   - user: May hold no colon and no control character (RFC 7617 §2); else every call fails with `invalidHeader`.
    ///   - password: May hold no control character.
    public static func basic(user: String, password: String) -> Authorization {
        Authorization(FixedCredential { () throws(NetworkError) in try .basic(user: user, password: password) })
    }

    /// A key in a header field of the API's own.
    ///
    /// - Parameters:
    ///   - header: The field's name, such as `X-API-Key`.
    ///   - value: Where the field would be malformed, every call fails with `invalidHeader`.
    public static func apiKey(header: String, _ value: String) -> Authorization {
        Authorization(FixedCredential { () throws(NetworkError) in try .field(header, value) })
    }

    /// A key in the query, appended to each URL.
    ///
    /// URLs are widely logged, so prefer a header where the API takes one. Errors, events above the authorization and
    /// `Response.url` show the URL without the key.
    ///
    /// - Parameters:
    ///   - query: The parameter's name.
    ///   - value: Escaped as RFC 3986 §2.1 says.
    public static func apiKey(query: String, _ value: String) -> Authorization {
        Authorization(FixedCredential { () throws(NetworkError) in .query(query, value) })
    }

    /// A credential of your own, applied to each request: a signature, for instance.
    ///
    /// - Parameter apply: Changes the request; it must not change the origin.
    public static func custom(
        _ apply: @escaping @Sendable (inout HTTPRequest) throws(NetworkError) -> Void
    ) -> Authorization {
        Authorization(CustomCredential(apply: apply))
    }

    /// A credential that is renewed when the server rejects it.
    ///
    /// - Parameter store: Holds the credential; keep it to sign in and out. Clients may share one.
    public static func refreshing<A: Authenticator>(_ store: CredentialStore<A>) -> Authorization {
        Authorization(store)
    }

    /// This authorization for other origins than that of the base URL.
    ///
    /// - Parameter urls: http or https URLs, of which scheme, host and port count; with any other URL among them every
    ///   call fails with `invalidURL`.
    public func origins(_ urls: [URL]) -> Authorization {
        var copy = self
        var origins: Set<Origin> = []
        for url in urls {
            guard let origin = Origin(url) else {
                copy.scope = .invalid(url.redacted)
                return copy
            }
            origins.insert(origin)
        }
        copy.scope = .origins(origins)
        return copy
    }

    /// Whether there is no credential.
    public var isAnonymous: Bool { source == nil }
}

extension Authorization: CustomStringConvertible, CustomReflectable {
    /// Whether there is a credential, never the credential.
    public var description: String { isAnonymous ? "anonymous" : "authorized" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["authorization": description]) }
}

extension CallOptions {
    private enum AuthorizationKey: CallOptionKey { typealias Value = Authorization }

    /// The call's own authorization in place of the client's; nil leaves it to the client.
    ///
    /// Unless it names origins, it applies to the origin that the call asks first, and not to others that it is
    /// redirected to.
    public var authorization: Authorization? {
        get { self[AuthorizationKey.self] }
        set { self[AuthorizationKey.self] = newValue }
    }
}
