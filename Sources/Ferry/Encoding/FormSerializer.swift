public import Foundation

/// Writes `application/x-www-form-urlencoded` content (WHATWG URL §5.2).
///
/// Not the rules of a URL's query: a space is "+", and only letters, digits, `*`, `-`, `.` and `_` stay as they are.
public enum FormSerializer {
    /// The content. A pair without a value is written as one with an empty value, as the standard has no other.
    public static func string(from pairs: [ParameterPair]) -> String {
        var text = ""
        for (index, pair) in pairs.enumerated() {
            if index > 0 { text += "&" }
            text += escape(pair.name)
            text += "="
            text += escape(pair.value ?? "")
        }
        return text
    }

    /// The content as bytes.
    public static func data(from pairs: [ParameterPair]) -> Data { Data(string(from: pairs).utf8) }

    private static func escape(_ text: String) -> String {
        if text.utf8.allSatisfy(ByteSet.form.contains) { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count + 8)
        for byte in text.utf8 {
            if byte == 0x20 {
                result.append(UInt8(ascii: "+"))
            } else {
                PercentEncoding.append(byte, allowed: .form, to: &result)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// Reads `application/x-www-form-urlencoded` content, and queries as most servers read them (WHATWG URL §5.1).
public enum FormParser {
    /// The pairs, in order; every pair has a value.
    public static func pairs(from bytes: some Collection<UInt8>) -> [ParameterPair] {
        bytes.split(separator: UInt8(ascii: "&")).map { piece in
            let equals = piece.firstIndex(of: UInt8(ascii: "="))
            return ParameterPair(
                name: PercentEncoding.decode(piece[..<(equals ?? piece.endIndex)], plusIsSpace: true),
                value: equals.map {
                    PercentEncoding.decode(piece[piece.index(after: $0)...], plusIsSpace: true)
                } ?? "")
        }
    }

    /// The pairs, in order; every pair has a value.
    public static func pairs(from text: String) -> [ParameterPair] { pairs(from: Array(text.utf8)) }
}
