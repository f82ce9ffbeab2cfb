/// The Content-Disposition field of a response (RFC 6266): whether it is to be saved, and under which name.
///
///     attachment; filename="EURO rates.txt"; filename*=UTF-8''%e2%82%ac%20rates.txt
///
/// `filename*` (RFC 8187) counts before `filename`; one that is malformed, or in another charset than UTF-8 and
/// ISO-8859-1, is skipped. The names are as the server sent them: see ``SafeFileName`` before using one.
package struct ContentDisposition: Hashable, Sendable {
    /// The disposition type in lower case, such as `attachment`; empty where it is missing.
    package let type: String
    /// The name that the server suggests, decoded, or nil.
    package let fileName: String?

    package init(_ text: String) {
        var scanner = FieldScanner(text)
        var plain: String?
        var extended: String?
        scanner.skipWhitespace()
        // Servers that begin with a parameter leave the type out.
        let start = scanner
        var type = scanner.token() ?? ""
        scanner.skipWhitespace()
        if scanner.peek == UInt8(ascii: "=") {
            type = ""
            scanner = start
        } else {
            Self.skipToParameter(&scanner)
        }
        while !scanner.isAtEnd {
            scanner.skipWhitespace()
            if let name = scanner.token()?.lowercased() {
                scanner.skipWhitespace()
                if scanner.take("=") {
                    scanner.skipWhitespace()
                    let value = Self.value(&scanner)
                    if name == "filename" { plain = plain ?? value }
                    if name == "filename*" { extended = extended ?? value.flatMap(Self.decoded) }
                }
            }
            Self.skipToParameter(&scanner)
        }
        self.type = type.lowercased()
        fileName = [extended, plain].lazy.compactMap { $0 }.first { !$0.isEmpty }
    }

    /// A quoted string, or all up to the next semicolon: names with spaces are often sent without quotes.
    private static func value(_ scanner: inout FieldScanner) -> String? {
        if let quoted = scanner.quotedString() { return quoted }
        // A quote that never ends is no part of the name.
        _ = scanner.take("\"")
        return scanner.take { $0 != UInt8(ascii: ";") }.map(FieldSyntax.trimmed)
    }

    private static func skipToParameter(_ scanner: inout FieldScanner) {
        while let byte = scanner.takeByte(), byte != UInt8(ascii: ";") {
            guard byte == UInt8(ascii: "\"") else { continue }
            // A semicolon within quotes separates nothing.
            _ = scanner.take { $0 != UInt8(ascii: "\"") }
            scanner.takeByte()
        }
    }

    /// The text of an ext-value (RFC 8187 §3.2): `charset'language'value`.
    private static func decoded(_ value: String) -> String? {
        let parts = value.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var bytes: [UInt8] = []
        var rest = parts[2][...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(PercentEncoding.hexValue),
                    let low = rest.popFirst().flatMap(PercentEncoding.hexValue)
                else {
                    return nil
                }
                bytes.append(high << 4 | low)
            } else {
                guard FieldSyntax.isTokenByte(byte), byte != UInt8(ascii: "*"), byte != UInt8(ascii: "'") else {
                    return nil
                }
                bytes.append(byte)
            }
        }
        switch String(decoding: parts[0], as: UTF8.self).lowercased() {
        case "utf-8", "utf8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}
