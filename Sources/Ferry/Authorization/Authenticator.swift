public import Foundation

/// Knows a kind of credential: how a request carries it, and how it is renewed.
///
/// ```swift
/// struct SessionKey: Authenticator {
///     func apply(_ key: String, to request: inout HTTPRequest) throws(NetworkError) {
///         request.headers["X-Session"] = key
///     }
///     func refresh(_ key: String, context: RefreshContext) async throws(NetworkError) -> String {
///         try await context.client.string(NetworkCall(.post, "/session"))
///     }
/// }
/// ```
///
/// A ``CredentialStore`` calls `refresh` once for all calls that need it, never twice at a time. It is called from a
/// task of its own, that no call's cancel reaches. Calls that it makes through the same client carry no credential and
/// do not wait for the refresh; a detached task inside it must say `options.authorization = .anonymous` itself.
public protocol Authenticator: Sendable {
    /// What is sent and renewed.
    associatedtype Credential: Sendable

    /// Puts the credential into a request. It must not change the request's origin.
    func apply(_ credential: Credential, to request: inout HTTPRequest) throws(NetworkError)

    /// Whether a request brings a credential of its own, which is then left as it is. Default: whether it has an
    /// `Authorization` field.
    func isAuthorized(_ request: HTTPRequest) -> Bool

    /// Whether a response says that the credential is not valid. Default: its status is 401 (RFC 9110 §15.5.2).
    func isRejected(_ head: HTTPResponse.Head) -> Bool

    /// Whether the credential is past its time, so that it is renewed before it is sent. Default false.
    func isExpired(_ credential: Credential, at date: Date) -> Bool

    /// Renews a credential that was rejected or has expired.
    ///
    /// - Parameters:
    ///   - credential: The one to renew.
    ///   - context: The client to make calls with, and its clock.
    /// - Throws: Whatever went wrong; every call that waits throws the same.
    func refresh(_ credential: Credential, context: RefreshContext) async throws(NetworkError) -> Credential

    /// Whether a failed refresh is final, so that the credential is removed. Default: the statuses 400, 401 and 403
    /// (RFC 6749 §5.2), and errors of kind `authentication` without a response. Anything else may pass, and the
    /// credential is kept.
    func isFinal(_ error: NetworkError) -> Bool
}

extension Authenticator {
    /// Whether the request has an `Authorization` field.
    public func isAuthorized(_ request: HTTPRequest) -> Bool { request.headers.contains("Authorization") }

    /// Whether the status is 401.
    public func isRejected(_ head: HTTPResponse.Head) -> Bool { head.status == .unauthorized }

    /// False.
    public func isExpired(_ credential: Credential, at date: Date) -> Bool { false }

    /// Whether the status is 400, 401 or 403, or the kind is `authentication` and there is no status.
    public func isFinal(_ error: NetworkError) -> Bool {
        switch error.kind {
        case .authentication: error.status.map { $0 == .unauthorized || $0 == .forbidden } ?? true
        case .client: error.status == .badRequest
        default: false
        }
    }
}

/// What a refresh may use.
public struct RefreshContext: Sendable {
    /// The clock of the client.
    public let clock: any NetworkClock
    /// The client whose call needs the credential, which this room cannot name.
    package let owner: (any AnyObject & Sendable)?

    /// Creates a context without a client, for tests of an authenticator.
    public init(clock: any NetworkClock = .system) { self.init(clock: clock, owner: nil) }

    package init(clock: any NetworkClock, owner: (any AnyObject & Sendable)?) {
        self.clock = clock
        self.owner = owner
    }
}
