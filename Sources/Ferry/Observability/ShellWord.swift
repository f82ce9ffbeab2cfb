/// Words of the POSIX shell command language (IEEE Std 1003.1, 2.2).
enum ShellWord {
    /// Text as one word in single quotes, within which nothing is special but the quote itself (2.2.2).
    static func quoted(_ text: String) -> String {
        var result: [UInt8] = [UInt8(ascii: "'")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") { result += "'\\''".utf8 } else { result.append(byte) }
        }
        return String(decoding: result + [UInt8(ascii: "'")], as: UTF8.self)
    }

    /// Text as one word, without quotes where it needs none.
    static func bare(_ text: String) -> String {
        !text.isEmpty && text.utf8.allSatisfy(ByteSet.unreserved.contains) && !text.utf8.starts(with: "~".utf8)
            ? text : quoted(text)
    }

    /// Whether bytes survive in quotes, and on the way through a terminal: text without control characters.
    static func canQuote(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A || $0 == 0x09 }
            && String(validating: bytes, as: UTF8.self) != nil
    }

    /// Bytes as a format for `printf` that gives them back: octal escapes are the only ones that every shell knows, NUL
    /// included. It is one word.
    static func printfFormat(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = [UInt8(ascii: "'")]
        // A format that begins with "-" would be an option.
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "%"): result += "%%".utf8
            case UInt8(ascii: "\\"): result += "\\\\".utf8
            case UInt8(ascii: "-") where index == 0: result += "\\055".utf8
            case 0x20...0x7E where byte != UInt8(ascii: "'"): result.append(byte)
            default:
                result.append(UInt8(ascii: "\\"))
                for shift in [6, 3, 0] { result.append(UInt8(ascii: "0") + (byte >> UInt8(shift)) & 7) }
            }
        }
        return String(decoding: result + [UInt8(ascii: "'")], as: UTF8.self)
    }
}
