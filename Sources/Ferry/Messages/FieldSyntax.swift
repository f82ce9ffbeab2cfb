/// The byte classes of header fields (RFC 9110 §5.5, §5.6).
///
/// Works on UTF-8 bytes: in Swift "\r\n" is one Character, so a check by Character misses it.
package enum FieldSyntax {
    /// Whether `text` is a token: one or more of the visible ASCII characters that delimit nothing (§5.6.2).
    package static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    /// Whether the byte is a `tchar` (§5.6.2).
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    /// Whether `text` may stand as a field value (§5.5): visible ASCII, space, tab and bytes from 0x80 on.
    ///
    /// Every control character but the tab is refused: CR, LF and NUL forge fields, the rest has no place in a value.
    package static func isFieldValue(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// Whether the byte is optional white space: space or tab (§5.6.3).
    package static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// `text` without optional white space at its ends.
    package static func trimmed(_ text: some StringProtocol) -> String {
        let bytes = text.utf8
        guard let first = bytes.firstIndex(where: { !isWhitespace($0) }) else { return "" }
        var end = first
        for index in bytes[first...].indices where !isWhitespace(bytes[index]) { end = bytes.index(after: index) }
        return String(decoding: bytes[first..<end], as: UTF8.self)
    }

    /// Whether two names are equal but for the case of ASCII letters (§5.1).
    package static func equalIgnoringCase(_ lhs: some StringProtocol, _ rhs: some StringProtocol) -> Bool {
        // Most names differ in length already, and that costs nothing to see.
        guard lhs.utf8.count == rhs.utf8.count else { return false }
        return zip(lhs.utf8, rhs.utf8).allSatisfy { $0 == $1 || lowercased($0) == lowercased($1) }
    }

    /// The lower-case form of an ASCII letter; any other byte as it is.
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
