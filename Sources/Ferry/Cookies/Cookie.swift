public import Foundation

/// A cookie as a jar stores it (RFC 6265 §5.3).
public struct Cookie: Hashable, Sendable, Codable {
    /// On which requests of other sites a browser would send the cookie (RFC 6265bis §5.2). Kept, not enforced: a client
    /// has no site that a request comes from.
    public enum SameSite: String, Hashable, Sendable, Codable {
        /// Never.
        case strict
        /// When the user follows a link.
        case lax
        /// Always.
        case none
    }

    /// The name.
    public var name: String
    /// The value as the server wrote it, quotes included.
    public var value: String
    /// The host, or the domain whose hosts get the cookie; in lower case and ASCII, without a leading dot, an IPv6 address
    /// without brackets.
    public var domain: String
    /// Whether only the very host `domain` gets the cookie, and not the hosts below it.
    public var isHostOnly: Bool
    /// The path at and below which the cookie is sent; starts with "/".
    public var path: String
    /// When the cookie ends, or nil for one that lives as long as the jar.
    public var expires: Date?
    /// Whether the cookie is sent over https alone.
    public var isSecure: Bool
    /// Whether scripts of a page may not see the cookie. Kept, of no effect in a client.
    public var isHTTPOnly: Bool
    /// What the server said of other sites; nil where it said nothing.
    public var sameSite: SameSite?

    /// Creates a cookie. A jar refuses one with characters that cannot be sent.
    ///
    /// - Parameters:
    ///   - name: The name; not empty.
    ///   - value: The value.
    ///   - domain: The host or domain; a leading dot is skipped.
    ///   - isHostOnly: Whether hosts below `domain` do not get the cookie. Default true.
    ///   - path: Where it is sent. Default "/"; anything that does not start with "/" counts as "/".
    ///   - expires: When it ends. Default nil: with the jar.
    ///   - isSecure: Whether it is sent over https alone. Default false.
    ///   - isHTTPOnly: Default false.
    ///   - sameSite: Default nil.
    public init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
        expires: Date? = nil, isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite? = nil
    ) {
        self.name = name
        self.value = value
        self.domain = CookieRules.host(domain)
        self.isHostOnly = isHostOnly
        self.path = path.utf8.first == UInt8(ascii: "/") ? path : "/"
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
    }

    /// Whether the cookie has ended (RFC 6265 §5.3).
    ///
    /// - Parameter date: When. Default now.
    public func isExpired(at date: Date = Date()) -> Bool { expires.map { $0 <= date } ?? false }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// Name, domain and path: the value may be secret.
    public var description: String { "\(name) (\(domain)\(path))" }

    /// What the description shows: the value may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "domain": domain, "path": path]) }
}
