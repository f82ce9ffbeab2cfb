import Foundation

/// Turns a Location field into the URL to ask next (RFC 9110 §10.2.2, RFC 3986 §5).
enum RedirectTarget {
    /// The URL to ask next.
    ///
    /// An empty Location is a reference to the same URL (RFC 3986 §4.4) and followed: it ends a POST with 303. What no
    /// URI may hold is percent-encoded. Userinfo is refused: from a server it serves to hide the host that is asked
    /// (RFC 9110 §4.2.4).
    ///
    /// - Parameters:
    ///   - values: The values of the Location lines.
    ///   - base: The URL that answered; its fragment is inherited where the Location has none.
    /// - Throws: `NetworkError` of kind `redirect`.
    static func url(for values: [String], from base: URL) throws(NetworkError) -> URL {
        let location = try single(values)
        guard location.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw refused("a Location with a control character")
        }
        let origin = URIReference(base)
        var target = URIReference(location).resolved(against: origin)
        target.fragment = target.fragment ?? origin.fragment

        let scheme = target.scheme?.lowercased()
        guard scheme == "http" || scheme == "https" else { throw refused("a scheme that is not http or https") }
        // Schemes have no case (RFC 3986 §3.1), but libcurl knows them in lower case alone.
        target.scheme = scheme
        guard scheme == "https" || origin.scheme?.lowercased() != "https" else {
            throw refused("http from https")
        }
        if target.authority != origin.authority {
            target.authority = try checkedAuthority(of: target)
        }
        guard let url = URL(string: target.text), Origin(url) != nil || target.authority == origin.authority else {
            throw refused("a malformed URL")
        }
        return url
    }

    /// The one value. A repeated Location is followed where all lines say the same.
    ///
    /// URLSession on Linux hands out repeated lines joined by ", ". That is told from a comma within one URL by what
    /// follows: a space is not legal in a URL, and only the start of another reference counts.
    private static func single(_ values: [String]) throws(NetworkError) -> String {
        var parts: [String] = []
        for value in values {
            var rest = Array(value.utf8)[...]
            var start = rest.startIndex
            while let comma = rest.firstIndex(of: UInt8(ascii: ",")) {
                rest = rest[(comma + 1)...]
                guard rest.first == UInt8(ascii: " ") else { continue }
                let following = rest.drop(while: FieldSyntax.isWhitespace)
                let lowercase = following.prefix(8).map(FieldSyntax.lowercased)
                if ["/", "http://", "https://"].contains(where: { lowercase.starts(with: $0.utf8) }) {
                    parts.append(String(decoding: Array(value.utf8)[start..<comma], as: UTF8.self))
                    start = following.startIndex
                }
            }
            parts.append(String(decoding: Array(value.utf8)[start...], as: UTF8.self))
        }
        let trimmed = parts.map { FieldSyntax.trimmed($0) }
        guard let first = trimmed.first, trimmed.allSatisfy({ $0 == first }) else {
            throw refused("more than one Location")
        }
        return first
    }

    /// The authority, its host in ASCII.
    private static func checkedAuthority(of target: URIReference) throws(NetworkError) -> String {
        guard let authority = target.authority, !authority.isEmpty else { throw refused("a URL without a host") }
        guard !authority.utf8.contains(UInt8(ascii: "@")) else { throw refused("a URL with userinfo") }
        guard let checked = try? Authority(authority) else { throw refused("a malformed host or port") }
        return authority.utf8.contains(where: { $0 >= 0x80 }) ? checked.text : authority
    }

    private static func refused(_ what: String) -> NetworkError {
        NetworkError(.redirect, "The server redirected to \(what)")
    }
}
