import Foundation

extension Redaction {
    /// A form of parts (RFC 7578): the content of a part by its name and type.
    ///
    /// - Parameter hidesBinary: Whether content that is no text becomes a note of its length, so that all is text.
    func multipart(_ bytes: [UInt8], boundary: String, depth: Int, hidesBinary: Bool) -> [UInt8] {
        let delimiter = Array("--\(boundary)".utf8)
        var result: [UInt8] = []
        var rest = bytes[...]
        while let found = Self.range(of: delimiter, in: rest) {
            result += part(rest[..<found.lowerBound], depth: depth, hidesBinary: hidesBinary)
            result += delimiter
            rest = bytes[found.upperBound...]
        }
        return result + part(rest, depth: depth, hidesBinary: hidesBinary)
    }

    /// What stands between two delimiters: line break, fields, empty line, content, line break.
    private func part(_ part: ArraySlice<UInt8>, depth: Int, hidesBinary: Bool) -> [UInt8] {
        guard let blank = Self.range(of: Array("\r\n\r\n".utf8), in: part) else {
            // Of a part whose fields are cut off nothing is known.
            return part.count <= 4 ? Array(part) : Array(Self.placeholder.utf8)
        }
        let fields = String(decoding: part[..<blank.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let disposition = fields.first { Self.isField("content-disposition", $0) }
        // Content-Disposition has parameters as a media type has, after a word.
        let parameters = disposition.flatMap { line in
            line.firstIndex(of: ":").flatMap { MediaType("x/" + FieldSyntax.trimmed(line[line.index(after: $0)...])) }
        }
        let type = fields.first { Self.isField("content-type", $0) }.flatMap { line in
            line.firstIndex(of: ":").flatMap { MediaType(String(line[line.index(after: $0)...])) }
        }
        var content = part[blank.upperBound...]
        let isClosed = content.suffix(2).elementsEqual("\r\n".utf8)
        if isClosed { content = content.dropLast(2) }

        var result = text(Array(part[..<blank.upperBound]), depth: depth)
        if let name = parameters?.parameter("name"), hides(PercentEncoding.decode(name.utf8), .parameter) {
            result += Self.placeholder.utf8
        } else if let redacted = depth < Self.maximumDepth
            ? body(Array(content), contentType: type, depth: depth + 1, hidesBinary: hidesBinary) : nil
        {
            result += redacted
        } else {
            result += hidesBinary ? Array("<\(content.count) bytes>".utf8) : Array(content)
        }
        return result + (isClosed ? Array("\r\n".utf8) : [])
    }

    private static func isField(_ name: String, _ line: Substring) -> Bool {
        line.firstIndex(of: ":").map { FieldSyntax.equalIgnoringCase(line[..<$0], name) } ?? false
    }

    private static func range(of needle: [UInt8], in bytes: ArraySlice<UInt8>) -> Range<Int>? {
        guard let first = needle.first else { return nil }
        var start = bytes.startIndex
        while let found = bytes[start...].firstIndex(of: first), found + needle.count <= bytes.endIndex {
            if bytes[found..<(found + needle.count)].elementsEqual(needle) { return found..<(found + needle.count) }
            start = found + 1
        }
        return nil
    }
}
