// Stands in for the types of challenges of Apple's Foundation: on Linux they are in a module of their own, and what concerns
// trust is unavailable there. A file that is typed with these does not import that module.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Stands in for the ways in which a server can ask who it talks to, or who it is; constants of NSString in Foundation.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

/// Stands in for what asks: the host, how it asks, and its trust object where it shows certificates.
public final class URLProtectionSpace: Sendable {
    public init() {}
    public var host: String { "" }
    public var authenticationMethod: String { "" }
    public var serverTrust: SecTrust? { nil }
    public func isProxy() -> Bool { false }
}

/// Stands in for one such question.
public final class URLAuthenticationChallenge: Sendable {
    public init() {}
    public var protectionSpace: URLProtectionSpace { URLProtectionSpace() }
}

/// Stands in for what an answer can hold; Ferry gives none.
public final class URLCredential: Sendable {}

/// Stands in for the session, of which only the kinds of answers are used.
public enum URLSession {
    public enum AuthChallengeDisposition: Sendable {
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
    }
}
