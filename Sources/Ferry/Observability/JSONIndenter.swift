/// Lays JSON out in lines, keeping numbers, escapes and the order of members as they are. Also JSON that is cut off.
enum JSONIndenter {
    static func indented(_ text: String) -> String {
        var result: [UInt8] = []
        var depth = 0
        var isInString = false
        var isEscaped = false
        var isEmpty = false
        func newLine() {
            result.append(0x0A)
            // Deep nesting is no reason for lines of spaces.
            for _ in 0..<min(depth, 32) { result += "  ".utf8 }
        }
        for byte in text.utf8 {
            if isInString {
                result.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth = max(0, depth - 1)
                if !isEmpty { newLine() }
                result.append(byte)
                isEmpty = false
                continue
            default: break
            }
            if isEmpty { newLine() }
            isEmpty = false
            result.append(byte)
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isEmpty = true
            case UInt8(ascii: ","): newLine()
            case UInt8(ascii: ":"): result.append(0x20)
            default: break
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
