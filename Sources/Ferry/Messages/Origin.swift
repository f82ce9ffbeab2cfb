package import Foundation

/// Who answers a URL: scheme, host and port (RFC 6454 §4, RFC 9110 §4.3.1).
///
/// Credentials belong to an origin; `http://a` and `http://a:8080` are two.
package struct Origin: Hashable, Sendable {
    /// In lower case.
    package let scheme: String
    /// In lower case and ASCII, an IPv6 address without its brackets.
    package let host: String
    /// The given port, or the scheme's default.
    package let port: Int

    /// The origin of a URL, or nil where it is not http or https or has no host, a malformed one or a port out of range.
    package init?(_ url: URL) {
        // Every request asks, so path and query are not looked at.
        let (scheme, authority) = URIReference.schemeAndAuthority(of: url.absoluteString)
        self.init(scheme: scheme, authority: authority)
    }

    /// The origin of an absolute reference, or nil as for a URL.
    package init?(_ reference: URIReference) {
        self.init(scheme: reference.scheme, authority: reference.authority)
    }

    private init?(scheme: String?, authority: String?) {
        guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https", let authority,
            let authority = try? Authority(authority)
        else { return nil }
        self.scheme = scheme
        host = authority.host.hasPrefix("[") ? String(authority.host.dropFirst().dropLast()) : authority.host
        port = authority.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Whether the host is an IPv6 address, or its last label a number, as only IPv4 addresses have.
    package var isAddress: Bool { Self.isAddress(host) }

    /// Whether a host in lower case is an address.
    package static func isAddress(_ host: String) -> Bool {
        if host.utf8.contains(UInt8(ascii: ":")) { return true }
        guard let label = host.split(separator: ".").last else { return false }
        return label.utf8.allSatisfy { (0x30...0x39).contains($0) } || label.hasPrefix("0x")
    }
}
