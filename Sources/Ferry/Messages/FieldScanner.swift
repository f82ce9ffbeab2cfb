/// Reads structured field values left to right (RFC 9110 §5.6): tokens, quoted strings, delimiters.
///
/// Works on bytes, so that a combining mark after a delimiter cannot hide it.
package struct FieldScanner {
    private let bytes: [UInt8]
    package private(set) var position = 0

    package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    package var isAtEnd: Bool { position == bytes.count }

    /// The next byte, without taking it.
    package var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    package mutating func skipWhitespace() {
        while let byte = peek, FieldSyntax.isWhitespace(byte) { position += 1 }
    }

    /// Takes one character if it is next.
    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Takes one byte, whatever it is.
    @discardableResult
    package mutating func takeByte() -> UInt8? {
        guard let byte = peek else { return nil }
        position += 1
        return byte
    }

    /// Takes the longest token at this place, or nil where there is none.
    package mutating func token() -> String? { take(while: FieldSyntax.isTokenByte) }

    /// Takes the longest run of bytes that satisfy `predicate`, or nil where there is none.
    package mutating func take(while predicate: (UInt8) -> Bool) -> String? {
        let start = position
        while let byte = peek, predicate(byte) { position += 1 }
        return start == position ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Takes a quoted string (§5.6.4) and gives its text without quotes and escapes, or nil, leaving the place as it
    /// was, where it is malformed or does not end.
    package mutating func quotedString() -> String? {
        let start = position
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = takeByte() {
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = takeByte() else { break }
                text.append(escaped)
            default:
                text.append(byte)
            }
        }
        position = start
        return nil
    }

    /// Takes a quoted string whose closing quote may be missing: then it goes to the end (WHATWG Fetch, collect an HTTP
    /// quoted string). Call it where a quote is next.
    package mutating func openQuotedString() -> String {
        if let text = quotedString() { return text }
        guard take("\"") else { return "" }
        var text: [UInt8] = []
        while let byte = takeByte() {
            text.append(byte == UInt8(ascii: "\\") ? takeByte() ?? byte : byte)
        }
        return String(decoding: text, as: UTF8.self)
    }

    package mutating func tokenOrQuotedString() -> String? {
        peek == UInt8(ascii: "\"") ? quotedString() : token()
    }
}

extension FieldSyntax {
    /// The members of a list (§5.6.1): what stands between commas outside of quoted strings.
    package static func listMembers(_ text: some StringProtocol) -> [String] {
        var members: [String] = []
        var scanner = FieldScanner(text)
        repeat {
            var member = ""
            while let byte = scanner.peek, byte != UInt8(ascii: ",") {
                if byte == UInt8(ascii: "\"") {
                    member += quoted(scanner.openQuotedString())
                } else {
                    member += scanner.take { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") } ?? ""
                }
            }
            members.append(trimmed(member))
        } while scanner.take(",")
        return members
    }

    /// `text` as a quoted string (§5.6.4).
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
