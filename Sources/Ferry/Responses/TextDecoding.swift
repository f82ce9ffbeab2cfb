public import Foundation

/// Turns content into text (WHATWG Encoding Standard §6 "decode", RFC 9110 §8.3.2).
public enum TextDecoding {
    /// The text of `data`.
    ///
    /// A byte order mark decides over the charset parameter and is not part of the text. Without either, the text is
    /// UTF-8: RFC 9110 has no ISO-8859-1 default any more. Bytes that have no meaning in the encoding become U+FFFD.
    /// A charset that is not known is read as UTF-8 where all bytes are UTF-8; so is JSON, whatever its charset: it has no
    /// such parameter (RFC 8259 §8.1, §11).
    ///
    /// - Parameters:
    ///   - data: The content.
    ///   - contentType: Its media type, for the charset parameter. Default nil.
    /// - Throws: `NetworkError` of kind `decoding`, naming the charset, where it is not known and the bytes are not
    ///   UTF-8.
    public static func string(_ data: Data, contentType: MediaType? = nil) throws(NetworkError) -> String {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return String(decoding: data.dropFirst(3), as: UTF8.self) }
        if data.starts(with: [0xFE, 0xFF]) { return utf16(data.dropFirst(2), isBigEndian: true) }
        if data.starts(with: [0xFF, 0xFE]) { return utf16(data.dropFirst(2), isBigEndian: false) }
        guard let contentType, let label = contentType.charset else { return String(decoding: data, as: UTF8.self) }
        if contentType.isJSON, let text = String(validating: data, as: UTF8.self) { return text }
        switch Charset(label: label) {
        case .utf8: return String(decoding: data, as: UTF8.self)
        case .utf16BigEndian: return utf16(data, isBigEndian: true)
        case .utf16LittleEndian: return utf16(data, isBigEndian: false)
        case .windows1252: return windows1252(data)
        case .legacy(let encoding):
            return legacy(data, encoding)
        case .eucJP:
            guard case .legacy(let encoding) = Charset.shiftJIS else { return legacy(data, .japaneseEUC) }
            return legacy(shiftJIS(fromEUC: data), encoding)
        case nil:
            if let text = String(validating: data, as: UTF8.self) { return text }
            throw NetworkError(.decoding, "Charset \(label.debugDescription) is not known")
        }
    }

    private static func utf16(_ data: Data, isBigEndian: Bool) -> String {
        var units: [UInt16] = []
        units.reserveCapacity(data.count / 2 + 1)
        var bytes = data.makeIterator()
        while let first = bytes.next() {
            // Half a unit at the end has no meaning.
            guard let second = bytes.next() else {
                units.append(0xFFFD)
                break
            }
            let (high, low) = isBigEndian ? (first, second) : (second, first)
            units.append(UInt16(high) << 8 | UInt16(low))
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// Foundation reads all or nothing: where some bytes have no meaning, the others are read one character at a time.
    private static func legacy(_ data: Data, _ encoding: String.Encoding) -> String {
        if let text = String(data: data, encoding: encoding) { return text }
        var text = ""
        var rest = data[...]
        while !rest.isEmpty {
            // No character of these encodings is longer than four bytes (GB 18030).
            let character = (1...4).lazy.filter { $0 <= rest.count }.compactMap { length in
                String(data: Data(rest.prefix(length)), encoding: encoding).map { (text: $0, length: length) }
            }.first
            text += character?.text ?? "\u{FFFD}"
            rest = rest.dropFirst(character?.length ?? 1)
        }
        return text
    }

    /// EUC-JP as Shift_JIS: both number the characters of JIS X 0208 in their own way. Those of JIS X 0212 (0x8F and
    /// two bytes), which Shift_JIS does not have, and what is malformed become 0xFF, which has no meaning there.
    private static func shiftJIS(fromEUC data: Data) -> Data {
        let high: ClosedRange<UInt8> = 0xA1...0xFE
        var result = Data()
        var bytes = data[...]
        while let lead = bytes.popFirst() {
            switch lead {
            case 0..<0x80:
                result.append(lead)
            case 0x8E where bytes.first.map((UInt8(0xA1)...0xDF).contains) == true:
                if let katakana = bytes.popFirst() { result.append(katakana) }
            case high where bytes.first.map(high.contains) == true:
                guard let trail = bytes.popFirst() else { break }
                let (row, cell) = (lead & 0x7F, trail & 0x7F)
                result.append((row - 0x21) / 2 + (row <= 0x5E ? 0x81 : 0xC1))
                result.append(row % 2 == 0 ? cell + 0x7E : cell + (cell >= 0x60 ? 0x20 : 0x1F))
            case 0x8F where bytes.prefix(2).count == 2 && bytes.prefix(2).allSatisfy(high.contains):
                bytes = bytes.dropFirst(2)
                result.append(0xFF)
            default:
                result.append(0xFF)
            }
        }
        return result
    }

    /// Each byte means something in this encoding; Foundation refuses five of them.
    private static func windows1252(_ data: Data) -> String {
        var text = String.UnicodeScalarView()
        for byte in data {
            let isHigh = byte >= 0x80 && byte < 0xA0
            text.append(isHigh ? windows1252High[Int(byte - 0x80)] : Unicode.Scalar(byte))
        }
        return String(text)
    }

    /// What 0x80 to 0x9F mean (WHATWG index-windows-1252).
    private static let windows1252High: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{0192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}",
        "\u{02C6}", "\u{2030}", "\u{0160}", "\u{2039}", "\u{0152}", "\u{8D}", "\u{017D}", "\u{8F}",
        "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{02DC}", "\u{2122}", "\u{0161}", "\u{203A}", "\u{0153}", "\u{9D}", "\u{017E}", "\u{0178}",
    ]
}
