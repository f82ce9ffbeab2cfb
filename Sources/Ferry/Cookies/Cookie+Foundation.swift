#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension Cookie {
    /// A cookie of Foundation's, for a jar that starts with those of a web view or of a shared storage.
    public init(_ cookie: HTTPCookie) {
        self.init(
            name: cookie.name, value: cookie.value, domain: cookie.domain,
            isHostOnly: !cookie.domain.hasPrefix("."), path: cookie.path, expires: cookie.expiresDate,
            isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly)
    }

    /// The cookie as Foundation's, or nil where that refuses it. `isHTTPOnly` and `sameSite` are lost.
    public var httpCookie: HTTPCookie? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .domain: isHostOnly ? domain : "." + domain, .path: path,
        ]
        // Version 0 is the only one whose expiry is a date.
        properties[.version] = "0"
        properties[.expires] = expires
        if isSecure { properties[.secure] = "TRUE" }
        return HTTPCookie(properties: properties)
    }
}
