import Foundation

/// When a cookie belongs to a host and a path, and what a host may set (RFC 6265 §5.1, §5.3; RFC 6265bis §5.7).
enum CookieRules {
    /// A domain in lower case without one leading dot (§5.2.3).
    static func canonicalDomain(_ domain: String) -> String {
        let domain = domain.lowercased()
        return domain.utf8.first == UInt8(ascii: ".") ? String(domain.dropFirst()) : domain
    }

    /// A domain as hosts are compared: an international one in its ASCII form (§5.1.2), an IPv6 address in its one form.
    /// What is no host stays as it is, and matches none.
    static func host(_ domain: String) -> String {
        let domain = canonicalDomain(domain)
        let isAddress = domain.utf8.contains(UInt8(ascii: ":"))
        guard isAddress || domain.utf8.contains(where: { $0 >= 0x80 }) else { return domain }
        let text = isAddress && !domain.hasPrefix("[") ? "[\(domain)]" : domain
        guard let host = try? Authority(text).host else { return domain }
        return host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }

    /// Whether a host lies in a domain (§5.1.3): identical, or below it and not an address.
    static func domainMatches(_ host: String, _ domain: String) -> Bool {
        if host == domain { return true }
        return !domain.isEmpty && host.hasSuffix("." + domain) && !Origin.isAddress(host)
    }

    /// Whether a request path lies at or below a cookie's path (§5.1.4).
    static func pathMatches(_ path: String, _ cookiePath: String) -> Bool {
        let path = Array(path.utf8)
        let cookiePath = Array(cookiePath.utf8)
        guard path.starts(with: cookiePath) else { return false }
        return path.count == cookiePath.count || cookiePath.last == UInt8(ascii: "/")
            || path[cookiePath.count] == UInt8(ascii: "/")
    }

    /// The path of a cookie that names none: the folder of the request (§5.1.4).
    static func defaultPath(_ path: String) -> String {
        let bytes = Array(path.utf8)
        guard bytes.first == UInt8(ascii: "/"), let slash = bytes.lastIndex(of: UInt8(ascii: "/")), slash > 0 else {
            return "/"
        }
        return String(decoding: bytes[..<slash], as: UTF8.self)
    }

    /// The cookie to store, or nil where the origin may not set it (§5.3, steps 3 to 10; RFC 6265bis §5.7).
    static func cookie(
        _ set: SetCookie, from origin: Origin, path: String, at date: Date, isPublicSuffix: (String) -> Bool
    ) -> Cookie? {
        var isHostOnly = true
        if let domain = set.domain, domain != origin.host || !(origin.isAddress || isPublicSuffix(domain)) {
            guard domainMatches(origin.host, domain), !isPublicSuffix(domain) else { return nil }
            isHostOnly = false
        }
        let isSecureOrigin = origin.scheme == "https"
        guard !set.isSecure || isSecureOrigin else { return nil }
        // By bytes: a combining mark behind the hyphen must not hide it.
        let name = set.name.utf8.map(FieldSyntax.lowercased)
        let isHostBound = name.starts(with: "__host-".utf8)
        if isHostBound || name.starts(with: "__secure-".utf8) {
            guard set.isSecure else { return nil }
        }
        if isHostBound {
            guard isHostOnly, set.domain == nil, set.path == "/" else { return nil }
        }
        return Cookie(
            name: set.name, value: set.value, domain: isHostOnly ? origin.host : set.domain ?? origin.host,
            isHostOnly: isHostOnly, path: set.path ?? defaultPath(path), expires: expiry(of: set, at: date),
            isSecure: set.isSecure, isHTTPOnly: set.isHTTPOnly, sameSite: set.sameSite)
    }

    /// Max-Age wins over Expires; zero and less is the past (§5.2.2, §5.3 step 3).
    private static func expiry(of set: SetCookie, at date: Date) -> Date? {
        guard let age = set.maxAge else { return set.expires }
        return age <= 0 ? .distantPast : min(.distantFuture, date.addingTimeInterval(TimeInterval(age)))
    }
}
