import Foundation

extension Redaction {
    /// Levels of what is encoded within what is encoded; what is deeper is hidden whole.
    static let maximumDepth = 6

    /// Content by its type; nil where it is no text.
    func body(_ bytes: [UInt8], contentType: MediaType?, depth: Int, hidesBinary: Bool = false) -> [UInt8]? {
        if let contentType, contentType.type == "multipart", let boundary = contentType.parameter("boundary") {
            return multipart(bytes, boundary: boundary, depth: depth, hidesBinary: hidesBinary)
        }
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        if contentType?.essence == MediaType.form.essence { return form(bytes, depth: depth) }
        return text(bytes, depth: depth)
    }

    /// The pairs of a form, or of a URL's query or fragment.
    func form(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        var result: [UInt8] = []
        for (index, piece) in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).enumerated() {
            if index > 0 { result.append(UInt8(ascii: "&")) }
            guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else {
                result += encoded(piece, depth: depth)
                continue
            }
            result += piece[...equals]
            let name = PercentEncoding.decode(piece[..<equals], plusIsSpace: true)
            let value = piece[(equals + 1)...]
            result += hides(name, .parameter) ? Array(Self.placeholder.utf8) : encoded(value, depth: depth)
        }
        return result
    }

    /// A percent-encoded value, whose content may be a URL, a form or JSON.
    private func encoded(_ value: ArraySlice<UInt8>, depth: Int) -> [UInt8] {
        let plain = Array(PercentEncoding.decode(value, plusIsSpace: true).utf8)
        guard mayHoldMore(plain) else { return Array(value) }
        guard depth < Self.maximumDepth else { return Array(Self.placeholder.utf8) }
        var redacted = text(plain, depth: depth + 1)
        // What is encoded once more may have no names and values before it is decoded.
        if redacted == plain, plain.contains(UInt8(ascii: "%")),
            !plain.elementsEqual(PercentEncoding.decode(plain, plusIsSpace: true).utf8)
        {
            redacted = encoded(plain[...], depth: depth + 1)
        }
        guard redacted != plain else { return Array(value) }
        return Array(PercentEncoding.encode(string(redacted), allowed: .unreserved).utf8)
    }

    /// Whether a decoded value could have names and values of its own.
    func mayHoldMore(_ bytes: [UInt8]) -> Bool {
        bytes.contains { byte in
            switch byte {
            case UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "%"), UInt8(ascii: " "), 0x09, UInt8(ascii: "<"):
                true
            default: false
            }
        }
    }

    /// A URL or a reference: path parameters, userinfo, query and fragment.
    func urlBytes(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
        var result = loose(Array(bytes[..<end]), depth: depth)
        var rest = bytes[end...]
        while let mark = rest.first {
            let tail = rest.dropFirst()
            let next = mark == UInt8(ascii: "?") ? tail.firstIndex(of: UInt8(ascii: "#")) : nil
            result.append(mark)
            result += form(Array(tail[..<(next ?? tail.endIndex)]), depth: depth)
            rest = tail[(next ?? tail.endIndex)...]
        }
        return result
    }

    /// Text of any kind: first what is JSON in it, then the rest.
    func text(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        let redacted =
            bytes.contains(UInt8(ascii: "\"")) ? JSONRedactor(bytes, redaction: self, depth: depth).redacted() : bytes
        return loose(redacted, depth: depth)
    }

    /// Text without structure: userinfo of URLs, `name=value`, `name: value` to the end of the line, `Bearer value`.
    private func loose(_ bytes: [UInt8], depth: Int) -> [UInt8] {
        guard mayHoldMore(bytes) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        /// Where the word begins that is being read, in `result`.
        var word = 0
        /// Whether only white space and the word are on the line so far.
        var isFirst = true
        /// Where the value and the line end that are being read: found once, not again for each name in them.
        var knownValue = 0
        var knownLine = -1
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            // A slice that is held would have the whole copied at the next byte.
            let wordEnd = result.count
            var name: ArraySlice<UInt8> { result[word..<wordEnd] }
            result.append(byte)
            switch byte {
            case UInt8(ascii: "="):
                defer { (word, isFirst) = (result.count, false) }
                let decoded =
                    word < wordEnd
                    ? PercentEncoding.decode(name, plusIsSpace: true)
                    : string(Self.nameBefore(wordEnd, in: result, quotes: "'\""))
                let before = word > 0 ? result[word - 1] : 0
                let isParameter = [UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "#")].contains(before)
                let isQuoted = index < bytes.count && Self.isQuote(bytes[index])
                let isKnown = !isQuoted && index < knownValue
                let end = isKnown ? knownValue : valueEnd(bytes, index)
                if !isQuoted { knownValue = end }
                if hides(decoded, isParameter ? .parameter : .member) {
                    // `password= k` and `password = k`: what follows is the value.
                    let start = Self.blanksEnd(bytes, index)
                    result += bytes[index..<start]
                    index = start == index ? end : valueEnd(bytes, start)
                    result += Self.placeholder.utf8
                } else if !isKnown, bytes[index..<end].contains(UInt8(ascii: "%")) {
                    result += encoded(bytes[index..<end], depth: depth)
                    index = end
                }
            case UInt8(ascii: ":"):
                let spelled = word < wordEnd ? Array(name) : Self.nameBefore(wordEnd, in: result, quotes: "'")
                if bytes[index...].starts(with: "//".utf8) {
                    result += "//".utf8
                    index += 2
                    let authority = bytes[index...].prefix { !Self.endsAuthority($0) }
                    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
                        result += Self.placeholder.utf8
                        index = at
                    }
                } else if !spelled.isEmpty, hides(string(spelled), .field) {
                    if knownLine < index {
                        knownLine = bytes[index...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.endIndex
                    }
                    let line = knownLine
                    let start = Self.blanksEnd(bytes, index)
                    result += bytes[index..<start]
                    index = isFirst ? line : valueEnd(bytes, start)
                    result += Self.placeholder.utf8
                }
                (word, isFirst) = (result.count, false)
            case UInt8(ascii: " ") where Self.isScheme(name), 0x09 where Self.isScheme(name):
                let start = Self.blanksEnd(bytes, index)
                let end = bytes[start...].firstIndex { !Self.isCredential($0) } ?? bytes.endIndex
                // Shorter ones are words: "bearer of".
                if end - start > 4 {
                    result += bytes[index..<start]
                    result += Self.placeholder.utf8
                    index = end
                }
                (word, isFirst) = (result.count, false)
            case UInt8(ascii: ">"):
                // `<password>`, with attributes or without.
                if let content = elementContent(bytes, end: index - 1) {
                    result += Self.placeholder.utf8
                    index = content
                }
                (word, isFirst) = (result.count, false)
            case 0x0A, 0x0D: (word, isFirst) = (result.count, true)
            case _ where !Self.isNameByte(byte):
                isFirst = isFirst && word == wordEnd && FieldSyntax.isWhitespace(byte)
                word = result.count
            default: break
            }
        }
        return result
    }

    /// Where the content of an element of XML ends, whose start tag ends at a place; nil where its name is no secret's.
    private func elementContent(_ bytes: [UInt8], end: Int) -> Int? {
        // Names and attributes are short: what is further away is no tag, and is not searched again for each ">".
        let window = bytes[max(0, end - 256)..<end]
        guard let start = window.lastIndex(of: UInt8(ascii: "<")), window.last != UInt8(ascii: "/") else { return nil }
        let tag = window[(start + 1)...]
        let name = tag.prefix { $0 > 0x20 }
        guard let first = name.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "!"), first != UInt8(ascii: "?")
        else { return nil }
        let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        guard hides(string(Array(local)), .member) else { return nil }
        let content = bytes[(end + 1)...]
        // What is within, CDATA and further elements too, up to the end tag of the same name.
        let closing = Array("</".utf8) + name
        var rest = content
        while let found = rest.firstIndex(of: UInt8(ascii: "<")) {
            if bytes[found...].starts(with: closing) { return found > end + 1 ? found : nil }
            rest = rest[(found + 1)...]
        }
        return bytes.count
    }

    /// Where a value in text ends: at white space or a delimiter, or at the closing quote.
    private func valueEnd(_ bytes: [UInt8], _ start: Int) -> Int {
        guard start < bytes.count else { return start }
        let quote = bytes[start]
        if Self.isQuote(quote) {
            return bytes[(start + 1)...].firstIndex(of: quote).map { $0 + 1 } ?? bytes.endIndex
        }
        return bytes[start...].firstIndex { byte in
            switch byte {
            case 0...0x20, UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
                UInt8(ascii: "'"), UInt8(ascii: "#"):
                true
            default: false
            }
        } ?? bytes.endIndex
    }

    /// The name before a place that has white space or a quote between: `token =`, `'password':`; empty where there is none.
    private static func nameBefore(_ end: Int, in bytes: [UInt8], quotes: String) -> [UInt8] {
        var end = end
        while end > 0, FieldSyntax.isWhitespace(bytes[end - 1]) { end -= 1 }
        if end > 0, quotes.utf8.contains(bytes[end - 1]) { end -= 1 }
        var start = end
        while start > 0, isNameByte(bytes[start - 1]) { start -= 1 }
        return Array(bytes[start..<end])
    }

    /// The first place from `start` on that is neither space nor tab.
    private static func blanksEnd(_ bytes: [UInt8], _ start: Int) -> Int {
        bytes[start...].firstIndex { !FieldSyntax.isWhitespace($0) } ?? bytes.endIndex
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "\\"):
            true
        default: false
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        FieldSyntax.isTokenByte(byte) && byte != UInt8(ascii: "&") && byte != UInt8(ascii: "#")
            && byte != UInt8(ascii: "'")
            || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") || byte >= 0x80
    }

    /// Credentials follow these words (RFC 9110 §11.4).
    private static func isScheme(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.count == 5 || name.count == 6 else { return false }
        let word = String(decoding: name, as: UTF8.self).lowercased()
        return word == "bearer" || word == "basic"
    }

    /// Whether the byte can be part of token68 (RFC 9110 §11.2).
    private static func isCredential(_ byte: UInt8) -> Bool {
        ByteSet.unreserved.contains(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
            || byte == UInt8(ascii: "=")
    }
}
