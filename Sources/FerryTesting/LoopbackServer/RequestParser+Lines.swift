import Ferry

/// The lines of a request, each judged by itself.
extension RequestParser {
    /// Parses `method SP request-target SP HTTP-version` (RFC 9112 §3).
    static func parseRequestLine(_ line: ArraySlice<UInt8>) throws(RequestFailure) -> RequestHead {
        let parts = line.split(separator: Byte.space, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed("The request line has not three parts") }
        guard !parts[0].isEmpty, parts[0].allSatisfy(FieldSyntax.isTokenByte) else {
            throw .malformed("The method is not a token")
        }
        guard !parts[1].isEmpty, parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .malformed("The request-target has a byte that no URI has")
        }
        let name = String(decoding: parts[0], as: UTF8.self)
        let method = HTTPMethod(name)
        // HTTPMethod brings standard verbs to upper case; on the wire case counts (RFC 9110 §9.1).
        guard method.rawValue == name else { throw RequestFailure(status: 501, reason: "Methods are case-sensitive") }
        let target = String(decoding: parts[1], as: UTF8.self)
        try checkTarget(target, of: method)
        return RequestHead(
            method: method, target: target, minorVersion: try minorVersion(parts[2]), headers: [:], framing: .none)
    }

    /// The four forms of a request-target (RFC 9112 §3.2).
    private static func checkTarget(_ target: String, of method: HTTPMethod) throws(RequestFailure) {
        if target.utf8.first == UInt8(ascii: "/") || method.rawValue == "CONNECT" { return }
        if target == "*", method == .options { return }
        if target.lowercased().hasPrefix("http://") || target.lowercased().hasPrefix("https://") { return }
        throw .malformed("The request-target is neither a path nor an absolute URI")
    }

    private static func minorVersion(_ text: ArraySlice<UInt8>) throws(RequestFailure) -> Int {
        switch String(decoding: text, as: UTF8.self) {
        case "HTTP/1.1": return 1
        case "HTTP/1.0": return 0
        case let other:
            guard other.utf8.count == 8, other.hasPrefix("HTTP/") else { throw .malformed("The version is malformed") }
            throw RequestFailure(status: 505, reason: "Only HTTP/1.0 and HTTP/1.1 are spoken here")
        }
    }

    /// Parses `field-name ":" OWS field-value OWS` (RFC 9112 §5): no white space before the colon, no folding.
    static func parseField(_ line: ArraySlice<UInt8>, into headers: inout HTTPHeaders) throws(RequestFailure) {
        guard let colon = line.firstIndex(of: Byte.colon) else { throw .malformed("A header line has no colon") }
        let name = line[..<colon]
        guard !name.isEmpty, name.allSatisfy(FieldSyntax.isTokenByte) else {
            throw .malformed("A header name is not a token, or a header is folded")
        }
        var value = line[(colon + 1)...]
        while let byte = value.first, FieldSyntax.isWhitespace(byte) { value.removeFirst() }
        while let byte = value.last, FieldSyntax.isWhitespace(byte) { value.removeLast() }
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw .malformed("A header value has a control character")
        }
        headers.append(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    /// RFC 9112 §3.2: HTTP/1.1 requests have exactly one Host line, and no request has more.
    static func checkHost(_ head: RequestHead) throws(RequestFailure) {
        let count = head.headers.values(of: "Host").count
        if count > 1 { throw .malformed("The request has \(count) Host lines") }
        if count == 0, head.minorVersion == 1 { throw .malformed("The request has no Host line") }
    }

    /// How the body is delimited (RFC 9112 §6.3). Whatever two readers could understand differently is refused.
    static func framing(_ head: RequestHead) throws(RequestFailure) -> LoopbackRequest.Framing {
        let lengths = head.headers.values(of: "Content-Length")
        guard let coding = head.headers["Transfer-Encoding"] else {
            guard let first = lengths.first else { return .none }
            guard lengths.count == 1 else { throw .malformed("The request has more than one Content-Length") }
            guard !first.isEmpty, first.utf8.count <= 18, first.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
                let length = Int(first)
            else { throw .malformed("The Content-Length is not a number") }
            return .contentLength(length)
        }
        guard lengths.isEmpty else { throw .malformed("The request has both Content-Length and Transfer-Encoding") }
        guard head.minorVersion == 1 else { throw .malformed("HTTP/1.0 has no Transfer-Encoding") }
        guard FieldSyntax.equalIgnoringCase(coding, "chunked") else {
            throw RequestFailure(status: 501, reason: "The only transfer coding spoken here is chunked")
        }
        return .chunked
    }

    /// Parses `chunk-size [ chunk-ext ]` (RFC 9112 §7.1).
    static func chunkSize(_ line: ArraySlice<UInt8>) throws(RequestFailure) -> Int {
        var size = 0
        var digits = 0
        var rest = line
        while let byte = rest.first, let digit = hexDigit(byte) {
            size = size << 4 | digit
            digits += 1
            // 15 digits fit an Int.
            guard digits <= 15 else { throw .malformed("A chunk size is too large") }
            rest.removeFirst()
        }
        guard digits > 0 else { throw .malformed("A chunk size is not a number") }
        while let byte = rest.first, FieldSyntax.isWhitespace(byte) { rest.removeFirst() }
        guard rest.isEmpty || rest.first == Byte.semicolon, rest.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { throw .malformed("A chunk size is followed by something else than an extension") }
        return size
    }

    private static func hexDigit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte) - 0x61 + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte) - 0x41 + 10
        default: nil
        }
    }
}
