package import Foundation

/// A `.http` fixture: a whole response in a file, read strictly (RFC 9112 §4, §5).
///
/// ```
/// HTTP/1.1 404 Not Found            status line
/// Content-Type: application/json    fields
///                                   an empty line
/// {"message": "Not Found"}          body, every byte to the end of the file
/// ```
///
/// Lines of the head end in CRLF or LF; a byte order mark before it is left out. The body stands as a client sees it: chunked coding is already taken off.
package struct RawFixture: Sendable {
    package let status: HTTPStatus
    package let headers: HTTPHeaders
    package let body: Data

    /// Parses a file.
    ///
    /// - Parameters:
    ///   - data: Its bytes.
    ///   - name: Its name, for errors.
    /// - Throws: `NetworkError` of kind `mock` naming the file and the line.
    package init(_ data: Data, name: String) throws(NetworkError) {
        var lines = HeadLines(data: data, name: name)
        status = try Self.status(in: try lines.next(), of: lines)
        var headers = HTTPHeaders()
        while true {
            let line = try lines.next()
            if line.isEmpty { break }
            let field = try Self.field(in: line, of: lines)
            headers.append(field.name, field.value)
        }
        self.headers = headers
        body = Data(data[lines.position...])
    }

    /// `HTTP/1.1 200 OK`; `HTTP/2 200`, as curl writes it, as well. The reason may be absent, with or without its space.
    private static func status(in line: Data, of lines: HeadLines) throws(NetworkError) -> HTTPStatus {
        let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, isVersion(parts[0]) else {
            throw lines.flaw("is not a status line such as HTTP/1.1 200 OK")
        }
        guard parts[1].count == 3, parts[1].allSatisfy(isDigit) else {
            throw lines.flaw("has a status that is not three digits")
        }
        let code = parts[1].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard (200...999).contains(code) else {
            throw lines.flaw("has status \(code), which is no final status (RFC 9110 §15.2)")
        }
        let reason = parts.count > 2 ? try lines.text(parts[2]) : ""
        guard FieldSyntax.isFieldValue(reason) else {
            throw lines.flaw("has a control character in its reason")
        }
        return HTTPStatus(code)
    }

    /// `HTTP/` and one digit, or two with a dot between them (RFC 9112 §2.3).
    private static func isVersion(_ bytes: Data) -> Bool {
        let prefix = Data("HTTP/".utf8)
        guard bytes.starts(with: prefix) else { return false }
        let version = Array(bytes.dropFirst(prefix.count))
        switch version.count {
        case 1: return isDigit(version[0])
        case 3: return isDigit(version[0]) && version[1] == UInt8(ascii: ".") && isDigit(version[2])
        default: return false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func field(in line: Data, of lines: HeadLines) throws(NetworkError) -> HTTPHeaders.Field {
        guard let first = line.first, !FieldSyntax.isWhitespace(first) else {
            throw lines.flaw("begins with a space: folded fields are obsolete (RFC 9112 §5.2)")
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw lines.flaw("has no colon") }
        let name = try lines.text(line[..<colon])
        guard FieldSyntax.isToken(name) else { throw lines.flaw("has a field name that is not a token") }
        let value = FieldSyntax.trimmed(try lines.text(line[(colon + 1)...]))
        guard FieldSyntax.isFieldValue(value) else { throw lines.flaw("has a control character in its value") }
        return HTTPHeaders.Field(name: name, value: value)
    }
}

/// The lines of a head, one after the other.
private struct HeadLines {
    let data: Data
    let name: String
    var position: Int
    var number = 0

    init(data: Data, name: String) {
        self.data = data
        self.name = name
        // Some editors write one.
        position = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.startIndex + 3 : data.startIndex
    }

    /// The next line without its end.
    mutating func next() throws(NetworkError) -> Data {
        number += 1
        guard let end = data[position...].firstIndex(of: 0x0A) else {
            throw flaw("does not end: the head ends with an empty line")
        }
        var line = data[position..<end]
        position = end + 1
        if line.last == 0x0D { line = line.dropLast() }
        return line
    }

    func text(_ bytes: Data) throws(NetworkError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw flaw("is not UTF-8") }
        return text
    }

    func flaw(_ words: String) -> NetworkError {
        NetworkError(.mock, "Fixture \(name.debugDescription): line \(number) \(words)")
    }
}
