/// The identifiers of a Swift source with the brace depth and the byte before each; comments and the text of string
/// literals are skipped, code in interpolations is not.
///
/// Enough of Swift's lexical grammar for the sources of this package: regex literals are not known.
struct SwiftTokens {
    struct Token: Equatable {
        let text: String
        /// Braces that are open.
        let depth: Int
        /// Whether a dot stands before it: a member, no type of its own.
        let isMember: Bool
    }

    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0
    private(set) var tokens: [Token] = []

    init(_ source: String) {
        bytes = Array(source.utf8)
        code(until: nil)
    }

    private func at(_ text: StaticString, _ start: Int) -> Bool {
        let wanted = Array("\(text)".utf8)
        return start + wanted.count <= bytes.count && bytes[start..<(start + wanted.count)].elementsEqual(wanted)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte == 0x5F || byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte)
    }

    /// Reads code to the end, or behind the parenthesis that closes an interpolation.
    private mutating func code(until close: UInt8?) {
        var parentheses = 0
        while index < bytes.count {
            let byte = bytes[index]
            if at("//", index) {
                while index < bytes.count, bytes[index] != 0x0A { index += 1 }
            } else if at("/*", index) {
                blockComment()
            } else if let hashes = hashesBeforeQuote() {
                string(hashes: hashes)
            } else if Self.isWord(byte) {
                let start = index
                while index < bytes.count, Self.isWord(bytes[index]) { index += 1 }
                tokens.append(
                    Token(
                        text: String(decoding: bytes[start..<index], as: UTF8.self), depth: depth,
                        isMember: start > 0 && bytes[start - 1] == UInt8(ascii: ".")))
            } else {
                index += 1
                switch byte {
                case UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "}"): depth -= 1
                case UInt8(ascii: "("): parentheses += 1
                case UInt8(ascii: ")"):
                    if close != nil, parentheses == 0 { return }
                    parentheses -= 1
                default: break
                }
            }
        }
    }

    private mutating func blockComment() {
        var open = 0
        repeat {
            if at("/*", index) {
                open += 1
                index += 2
            } else if at("*/", index) {
                open -= 1
                index += 2
            } else {
                index += 1
            }
        } while open > 0 && index < bytes.count
    }

    /// How many "#" stand before a quote here; nil where no string literal begins.
    private func hashesBeforeQuote() -> Int? {
        var end = index
        while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
        return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - index : nil
    }

    private mutating func string(hashes: Int) {
        index += hashes
        let quotes = at("\"\"\"", index) ? 3 : 1
        index += quotes
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), isHashes(index + 1, hashes) {
                index += 1 + hashes
                guard index < bytes.count else { return }
                index += 1
                if bytes[index - 1] == UInt8(ascii: "(") { code(until: UInt8(ascii: ")")) }
            } else if quotes == 3 ? at("\"\"\"", index) : bytes[index] == UInt8(ascii: "\""),
                isHashes(index + quotes, hashes)
            {
                index += quotes + hashes
                return
            } else {
                index += 1
            }
        }
    }

    private func isHashes(_ start: Int, _ count: Int) -> Bool {
        start + count <= bytes.count && bytes[start..<(start + count)].allSatisfy { $0 == UInt8(ascii: "#") }
    }
}
