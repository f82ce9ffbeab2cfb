import Foundation

/// One Set-Cookie string as its server wrote it, not yet judged (RFC 6265 §5.2).
struct SetCookie: Hashable, Sendable {
    var name: String
    var value: String
    /// The Expires attribute; the last one that parses.
    var expires: Date?
    /// The Max-Age attribute in seconds; wins over `expires`.
    var maxAge: Int?
    /// The Domain attribute in lower case without its leading dot.
    var domain: String?
    /// The Path attribute where it is absolute.
    var path: String?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite: Cookie.SameSite?
}

/// Reads Set-Cookie fields (RFC 6265 §5.2, with the limits of RFC 6265bis §5.6).
///
/// Foundation's `HTTPCookie` does not do on Linux: it misses `set-cookie` in lower case and `max-age`, reads the year
/// 95 as 0095, takes `Domain=com`, and knows no prefixes or limits. One small parser is right on every platform.
enum SetCookieParser {
    /// Most bytes of name and value together (RFC 6265bis §5.6).
    static let sizeLimit = 4096
    /// Most bytes of an attribute's value; a longer attribute is skipped (RFC 6265bis §5.6).
    static let attributeLimit = 1024

    /// The cookies of all Set-Cookie lines.
    ///
    /// URLSession joins several lines by ", ". So a single line is split where a comma starts another cookie; several
    /// lines come from a transport that keeps them apart, and are read as they are.
    static func cookies(in lines: [String]) -> [SetCookie] {
        if lines.count == 1, let line = lines.first {
            return unfolded(Array(line.utf8)).compactMap(cookie)
        }
        return lines.compactMap { cookie(Array($0.utf8)[...]) }
    }

    /// The Set-Cookie strings of a folded line.
    ///
    /// A comma starts another cookie where `name=` follows. Within a value (which by the grammar of §4.1.1 has no
    /// comma, and in practice does) the comma must have white space after it and stand outside of quotes. The comma in
    /// `Expires=Sat, 05 Mar 2044` starts none: `05 Mar` is no name.
    static func unfolded(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var strings: [ArraySlice<UInt8>] = []
        var start = 0
        var index = 0
        var isInPair = true
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: ";"):
                isInPair = false
            case UInt8(ascii: "\"") where isInPair && bytes[start..<index].last { $0 != 0x20 } == UInt8(ascii: "="):
                index = endOfQuotes(bytes, from: index) ?? index
            case UInt8(ascii: ",")
            where startsCookie(bytes[(index + 1)...])
                && (!isInPair || FieldSyntax.isWhitespace(bytes[index + 1])):
                strings.append(bytes[start..<index])
                start = index + 1
                isInPair = true
            default:
                break
            }
            index += 1
        }
        strings.append(bytes[start...])
        return strings
    }

    /// The index of the quote that closes the one at `index`, or nil where the pair ends before.
    private static func endOfQuotes(_ bytes: [UInt8], from index: Int) -> Int? {
        let end = bytes[(index + 1)...].firstIndex { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: ";") }
        return end.flatMap { bytes[$0] == UInt8(ascii: "\"") ? $0 : nil }
    }

    /// Whether `name=` comes next, the name without white space and delimiters.
    private static func startsCookie(_ bytes: ArraySlice<UInt8>) -> Bool {
        let rest = bytes.drop(while: FieldSyntax.isWhitespace)
        let name = rest.prefix { $0 > 0x20 && $0 != 0x7F && !",;=\"".utf8.contains($0) }
        let afterName = rest[name.endIndex...].drop(while: FieldSyntax.isWhitespace)
        return !name.isEmpty && afterName.first == UInt8(ascii: "=")
    }

    /// Reads one Set-Cookie string, or nil where it is to be ignored: no name, a control character, too long.
    static func cookie(_ bytes: ArraySlice<UInt8>) -> SetCookie? {
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        var parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
        guard let pair = parts.popFirst(), let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        var cookie = SetCookie(name: trimmed(pair[..<equals]), value: trimmed(pair[(equals + 1)...]))
        guard !cookie.name.isEmpty, cookie.name.utf8.count + cookie.value.utf8.count <= sizeLimit else { return nil }
        for part in parts {
            let equals = part.firstIndex(of: UInt8(ascii: "="))
            let value = equals.map { trimmed(part[($0 + 1)...]) } ?? ""
            guard value.utf8.count <= attributeLimit else { continue }
            apply(trimmed(part[..<(equals ?? part.endIndex)]).lowercased(), value, to: &cookie)
        }
        return cookie
    }

    /// §5.2.1 to §5.2.6; the last attribute of a name wins, unknown ones are skipped.
    private static func apply(_ name: String, _ value: String, to cookie: inout SetCookie) {
        switch name {
        case "expires":
            if let date = CookieDate.parse(value) { cookie.expires = date }
        case "max-age":
            if let seconds = maxAge(value) { cookie.maxAge = seconds }
        case "domain":
            guard !value.isEmpty else { return }
            let domain = CookieRules.canonicalDomain(value)
            cookie.domain = domain.isEmpty ? nil : domain
        case "path":
            cookie.path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure":
            cookie.isSecure = true
        case "httponly":
            cookie.isHTTPOnly = true
        case "samesite":
            cookie.sameSite = Cookie.SameSite(rawValue: value.lowercased())
        default:
            break
        }
    }

    /// Seconds, or nil where the value is no number (§5.2.2). More than an `Int` holds is as good as for ever.
    private static func maxAge(_ value: String) -> Int? {
        let isNegative = value.utf8.first == UInt8(ascii: "-")
        let digits = value.utf8.dropFirst(isNegative ? 1 : 0)
        guard !value.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        if isNegative { return -1 }
        return digits.isEmpty ? nil : Int(value) ?? .max
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        FieldSyntax.trimmed(String(decoding: bytes, as: UTF8.self))
    }
}
