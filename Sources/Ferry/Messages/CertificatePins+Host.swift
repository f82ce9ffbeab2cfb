import Foundation

extension CertificatePins {
    /// A host in lower case and ASCII, without scheme, userinfo, port, path and the root's dot; an IPv6 address in its one
    /// form (RFC 5952).
    ///
    /// What is no host stays as it is, and ``isHost(_:)`` says so: an entry that can never match would be no protection.
    static func normalized(_ text: String) -> String {
        var rest = Substring(text)
        if let scheme = rest.range(of: "://") { rest = rest[scheme.upperBound...] }
        rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let user = rest.lastIndex(of: "@") { rest = rest[rest.index(after: user)...] }
        if rest.hasPrefix("[") {
            let inner = rest.dropFirst().prefix { $0 != "]" }
            guard isPort(rest[inner.endIndex...].dropFirst()) else { return String(rest) }
            rest = inner
        } else if let colon = rest.lastIndex(of: ":"), rest.firstIndex(of: ":") == colon {
            guard isPort(rest[colon...]) else { return String(rest) }
            rest = rest[..<colon]
        }
        if rest.utf8.contains(UInt8(ascii: ":")) { return Authority.address(String(rest)) ?? String(rest).lowercased() }
        let isWildcard = rest.hasPrefix("*.")
        var name = isWildcard ? String(rest.dropFirst(2)) : String(rest)
        if name.utf8.contains(where: { $0 >= 0x80 }), let ascii = try? Authority(name).host { name = ascii }
        if name.hasSuffix(".") { name = String(name.dropLast()) }
        return (isWildcard ? "*." : "") + name.lowercased()
    }

    /// A name of at most 253 bytes in labels of at most 63 (RFC 1035 §2.3.4), an address, or a wildcard for the first of at
    /// least three labels.
    static func isHost(_ pattern: String) -> Bool {
        if pattern.utf8.contains(UInt8(ascii: ":")) { return Authority.address(pattern) != nil }
        var name = Substring(pattern)
        if name.hasPrefix("*.") {
            name = name.dropFirst(2)
            guard name.utf8.contains(UInt8(ascii: ".")), !Origin.isAddress(String(name)) else { return false }
        }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return name.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.count)
                    && label.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                            UInt8(ascii: "-"), UInt8(ascii: "_"):
                            true
                        default: false
                        }
                    }
            }
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.hasPrefix(":") && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }
}
