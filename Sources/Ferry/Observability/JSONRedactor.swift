/// Replaces the values of secret members in JSON, byte for byte leaving everything else.
///
/// It looks for strings and for what follows them, not for documents: so it also reads lines of JSON, events with JSON
/// in them, and JSON that is cut off or wrong somewhere. It never fails, and takes time in proportion to the length.
struct JSONRedactor {
    private let bytes: [UInt8]
    private let redaction: Redaction
    private let depth: Int
    private var index = 0
    private var result: [UInt8] = []

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// - Parameters:
    ///   - bytes: The text.
    ///   - redaction: Which names are secret.
    ///   - depth: In how many strings the text is.
    init(_ bytes: [UInt8], redaction: Redaction, depth: Int) {
        self.bytes = bytes
        self.redaction = redaction
        self.depth = depth
        result.reserveCapacity(bytes.count)
    }

    /// The text with its secrets replaced.
    consuming func redacted() -> [UInt8] {
        while index < bytes.count {
            guard bytes[index] == Self.quote else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let content = string()
            let colon = skipped(from: index)
            if colon < bytes.count, bytes[colon] == UInt8(ascii: ":") {
                let name = String(decoding: Self.unescaped(content), as: UTF8.self)
                let value = skipped(from: colon + 1)
                result.append(Self.quote)
                result += content
                result += bytes[(index - 1)..<value]
                index = value
                if redaction.hides(name, .member) { hideValue() }
            } else {
                appendValue(content, isClosed: bytes[index - 1] == Self.quote && index - 1 > content.startIndex - 1)
            }
        }
        return result
    }

    /// Takes a string; gives what stands between its quotes, or to the end where it is not closed.
    private mutating func string() -> ArraySlice<UInt8> {
        let start = index + 1
        var end = start
        while end < bytes.count, bytes[end] != Self.quote { end += bytes[end] == Self.backslash ? 2 : 1 }
        end = min(end, bytes.count)
        index = min(end + 1, bytes.count)
        return bytes[start..<end]
    }

    /// Writes a string that is a value: JSON within it, or a URL with a token, is redacted too.
    private mutating func appendValue(_ content: ArraySlice<UInt8>, isClosed: Bool) {
        result.append(Self.quote)
        let plain = Self.unescaped(content)
        if redaction.mayHoldMore(plain) {
            let redacted = depth < Redaction.maximumDepth ? redaction.text(plain, depth: depth + 1) : nil
            if redacted == plain { result += content } else { result += Self.escaped(redacted) }
        } else {
            result += content
        }
        if isClosed { result.append(Self.quote) }
    }

    /// Takes a value and writes the placeholder; a literal name (`null`, `true`, `false`) is no secret.
    private mutating func hideValue() {
        guard index < bytes.count else { return }
        switch bytes[index] {
        case Self.quote: _ = string()
        case UInt8(ascii: "{"), UInt8(ascii: "["): skipContainer()
        default:
            let end =
                bytes[index...].firstIndex { byte in
                    byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
                } ?? bytes.endIndex
            let literal = bytes[index..<end]
            index = end
            if ["null", "true", "false", ""].contains(String(decoding: literal, as: UTF8.self)) {
                result += literal
                return
            }
        }
        result += "\"\(Redaction.placeholder)\"".utf8
    }

    private mutating func skipContainer() {
        var open = 0
        while index < bytes.count {
            switch bytes[index] {
            case Self.quote:
                _ = string()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): open += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): open -= 1
            default: break
            }
            index += 1
            if open == 0 { return }
        }
    }

    /// The place of the first byte from `start` on that is no white space (RFC 8259 §2).
    private func skipped(from start: Int) -> Int {
        bytes[min(start, bytes.count)...].firstIndex { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
            ?? bytes.endIndex
    }

    /// A string's content without its escapes (RFC 8259 §7); what is no escape stays.
    private static func unescaped(_ content: ArraySlice<UInt8>) -> [UInt8] {
        guard content.contains(backslash) else { return Array(content) }
        var units: [UInt16] = []
        var result: [UInt8] = []
        func flush() {
            result += String(decoding: units, as: UTF16.self).utf8
            units.removeAll()
        }
        var index = content.startIndex
        while index < content.endIndex {
            guard content[index] == backslash, index + 1 < content.endIndex else {
                if !units.isEmpty { flush() }
                result.append(content[index])
                index += 1
                continue
            }
            let escape = content[index + 1]
            if escape == UInt8(ascii: "u"), index + 6 <= content.endIndex,
                let unit = UInt16(String(decoding: content[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16)
            {
                units.append(unit)
                index += 6
                continue
            }
            if !units.isEmpty { flush() }
            switch escape {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            default: result.append(escape)
            }
            index += 2
        }
        if !units.isEmpty { flush() }
        return result
    }

    /// Text as it stands between quotes; the placeholder in place of nil.
    private static func escaped(_ text: [UInt8]?) -> [UInt8] {
        guard let text else { return Array(Redaction.placeholder.utf8) }
        var result: [UInt8] = []
        for byte in text {
            switch byte {
            case quote, backslash: result += [backslash, byte]
            case 0x0A: result += "\\n".utf8
            case 0x0D: result += "\\r".utf8
            case 0x09: result += "\\t".utf8
            case 0..<0x20: result += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: result.append(byte)
            }
        }
        return result
    }
}
