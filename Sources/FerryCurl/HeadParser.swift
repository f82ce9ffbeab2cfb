#if os(Linux)
    import Ferry

    /// Reads the heads and the trailers that libcurl hands out line by line.
    ///
    ///     [ 1xx head, empty line ]*  final head, empty line  (body)  trailer lines
    ///
    /// libcurl takes more than HTTP allows; what contradicts itself is refused here (RFC 9112 §4 and §5). Works on bytes.
    struct HeadParser {
        enum Phase: Equatable {
            case statusLine
            case fields
            case trailers
        }

        private(set) var phase = Phase.statusLine
        private(set) var status = 0
        /// The major version of HTTP.
        private(set) var version = 1
        private(set) var fields: [HTTPHeaders.Field] = []
        private var size = 0

        /// Most bytes of a head; libcurl itself stops at 100 kB a line.
        static let sizeLimit = 256 << 10

        /// Whether a line has come.
        var hasBegun: Bool { size > 0 }

        /// Whether the final head is complete.
        var isComplete: Bool { phase == .trailers }

        /// Takes one line with its end.
        ///
        /// - Returns: Whether this line completes the final head; `status` and `fields` are those of it then.
        /// - Throws: `malformedResponse`, `headTooLarge`.
        mutating func take(_ line: UnsafeRawBufferPointer) throws(NetworkError) -> Bool {
            size += line.count
            guard size <= Self.sizeLimit else {
                throw NetworkError(.headTooLarge, "The response's head is larger than \(Self.sizeLimit) bytes")
            }
            var end = line.count
            if end > 0, line[end - 1] == 0x0A { end -= 1 }
            if end > 0, line[end - 1] == 0x0D { end -= 1 }
            let content = UnsafeRawBufferPointer(rebasing: line[..<end])
            switch phase {
            case .statusLine:
                try takeStatus(content)
                phase = .fields
            case .fields, .trailers:
                guard content.isEmpty else {
                    try takeField(content)
                    return false
                }
                guard phase == .fields else { return false }
                if (100..<200).contains(status), status != 101 {
                    // Informational: another head follows (RFC 9110 §15.2).
                    phase = .statusLine
                    fields = []
                    return false
                }
                phase = .trailers
                return true
            }
            return false
        }

        /// Gives the fields that were read since the last time.
        mutating func takeFields() -> HTTPHeaders {
            defer { fields = [] }
            return HTTPHeaders(fields)
        }

        /// `HTTP/1.1 200 reason`; the reason and the space before it may be absent.
        private mutating func takeStatus(_ line: UnsafeRawBufferPointer) throws(NetworkError) {
            func malformed() -> NetworkError {
                NetworkError(.malformedResponse, "The response has a malformed status line")
            }
            guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: 0x20), space > 5 else {
                throw malformed()
            }
            guard (0x31...0x39).contains(line[5]), space == 6 || line[6] == 0x2E else { throw malformed() }
            let digits = line[(space + 1)...].prefix { $0 != 0x20 }
            guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { throw malformed() }
            version = Int(line[5] - 0x30)
            status = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        /// `name: value`; a line that begins with white space goes on the one before (RFC 9112 §5.2).
        private mutating func takeField(_ line: UnsafeRawBufferPointer) throws(NetworkError) {
            guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw NetworkError(.malformedResponse, "A field of the response has a control character")
            }
            if FieldSyntax.isWhitespace(line[0]) {
                guard !fields.isEmpty else {
                    throw NetworkError(.malformedResponse, "The response's first field begins with white space")
                }
                let more = Self.text(Self.trimmed(line[...]))
                let last = fields.count - 1
                fields[last].value += fields[last].value.isEmpty || more.isEmpty ? more : " " + more
                return
            }
            guard let colon = line.firstIndex(of: 0x3A), colon > 0, line[..<colon].allSatisfy(FieldSyntax.isTokenByte)
            else {
                throw NetworkError(.malformedResponse, "A field name of the response is not a token")
            }
            fields.append(
                HTTPHeaders.Field(
                    name: Self.text(line[..<colon]), value: Self.text(Self.trimmed(line[(colon + 1)...]))))
        }

        private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
            var rest = bytes
            while let first = rest.first, FieldSyntax.isWhitespace(first) { rest.removeFirst() }
            while let last = rest.last, FieldSyntax.isWhitespace(last) { rest.removeLast() }
            return rest
        }

        /// UTF-8 where it is, else Latin-1, so that no byte is lost (RFC 9110 §5.5).
        private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
            let place = UnsafeRawBufferPointer(rebasing: bytes)
            if let text = String(validating: place, as: UTF8.self) { return text }
            var text = ""
            for byte in place { text.unicodeScalars.append(Unicode.Scalar(byte)) }
            return text
        }
    }
#endif
