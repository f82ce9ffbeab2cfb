package import Foundation

/// Who answers a URL: scheme, host and port (RFC 6454 §4, RFC 9110 §4.3.1).
///
/// Credentials belong to an origin; `http://a` and `http://a:8080` are two.
package struct Origin: Hashable, Sendable {
    /// In lower case.
    package let scheme: String
    /// In lower case, an IPv6 address without its brackets.
    package let host: String
    /// The given port, or the scheme's default.
    package let port: Int

    /// The origin of a URL, or nil where it is not http or https or has no host, a malformed one or a port out of range.
    package init?(_ url: URL) { self.init(URIReference(url)) }

    /// The origin of an absolute reference, or nil as for a URL.
    package init?(_ reference: URIReference) {
        guard let scheme = reference.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let authority = reference.authority
        else { return nil }
        let bytes = Array(authority.utf8)
        // The last "@" ends the userinfo: an earlier one is a trick to show another host.
        let place = bytes[(bytes.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? 0)...]
        let hostEnd: Int
        if place.first == UInt8(ascii: "[") {
            guard let bracket = place.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            hostEnd = bracket + 1
            host = String(decoding: place[(place.startIndex + 1)..<bracket], as: UTF8.self).lowercased()
            guard host.utf8.allSatisfy(Self.isAddressByte), host.utf8.contains(UInt8(ascii: ":")) else { return nil }
        } else {
            hostEnd = place.firstIndex(of: UInt8(ascii: ":")) ?? place.endIndex
            host = String(decoding: place[..<hostEnd], as: UTF8.self).lowercased()
            guard host.utf8.allSatisfy(Self.isNameByte) else { return nil }
        }
        guard !host.isEmpty else { return nil }
        self.scheme = scheme
        let defaultPort = scheme == "https" ? 443 : 80
        var digits = place[hostEnd...]
        guard digits.popFirst().map({ $0 == UInt8(ascii: ":") }) ?? true else { return nil }
        guard !digits.isEmpty else {
            port = defaultPort
            return
        }
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(String(decoding: digits, as: UTF8.self)), (1...65535).contains(number)
        else { return nil }
        port = number
    }

    /// Whether the host is an IPv6 address, or its last label a number, as only IPv4 addresses have.
    package var isAddress: Bool { Self.isAddress(host) }

    /// Whether a host in lower case is an address.
    package static func isAddress(_ host: String) -> Bool {
        if host.utf8.contains(UInt8(ascii: ":")) { return true }
        guard let label = host.split(separator: ".").last else { return false }
        return label.utf8.allSatisfy { (0x30...0x39).contains($0) } || label.hasPrefix("0x")
    }

    /// What a host name may hold: letters, digits, "-", ".", "_" and "~", and what is not ASCII.
    ///
    /// Percent-escapes and sub-delimiters are legal in a name (RFC 3986 §3.2.2) and name no host that exists; readers
    /// differ in what they make of them, so they are refused.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), 0x80...:
            true
        default: false
        }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
