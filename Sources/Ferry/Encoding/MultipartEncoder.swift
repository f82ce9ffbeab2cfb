import Foundation

/// Makes the bytes of a multipart form (RFC 7578, RFC 2046 §5.1.1).
///
///     --BOUNDARY CRLF
///     Content-Disposition: form-data; name="photo"; filename="a.jpg" CRLF
///     Content-Type: image/jpeg CRLF
///     CRLF
///     …content… CRLF
///     --BOUNDARY-- CRLF
///
/// A form without parts is its last line alone.
struct MultipartEncoder {
    /// How encoded values become fields.
    var style: ParameterStyle

    /// The body of a form: its pieces with their whole length, and its content type with the boundary.
    ///
    /// - Parameter generator: Makes the boundary.
    /// - Throws: `NetworkError`: `invalidHeader` for a malformed content type or boundary; `invalidBody` for a file that
    ///   cannot be sent, a stream without a length, a given boundary that occurs in a part; `encoding`.
    func encode(
        _ form: MultipartForm, using generator: inout some RandomNumberGenerator
    ) throws(NetworkError) -> RequestBody {
        let parts = try parts(of: form)
        let boundary = try MultipartBoundary.choose(form.boundary, for: parts, using: &generator)
        var body = BodySegments()
        for part in parts {
            try body.append(.data(try head(of: part, boundary)))
            try body.append(try segment(of: part))
            try body.append(.data(Data("\r\n".utf8)))
        }
        try body.append(.data(Data("--\(boundary)--\r\n".utf8)))
        let type = MediaType(
            type: "multipart", subtype: "form-data", parameters: [(name: "boundary", value: boundary)])
        return RequestBody(.segments(body), contentType: type)
    }

    private func parts(of form: MultipartForm) throws(NetworkError) -> [MultipartForm.Part] {
        var parts: [MultipartForm.Part] = []
        for item in form.items {
            switch item {
            case .part(let part):
                parts.append(part)
            case .fields(let value):
                for pair in try ParameterEncoder(style: style).encode(value) {
                    parts.append(
                        MultipartForm.Part(
                            name: pair.name, fileName: nil, content: .data(Data((pair.value ?? "").utf8)),
                            contentType: .none))
                }
            }
        }
        return parts
    }

    private func segment(of part: MultipartForm.Part) throws(NetworkError) -> BodySegments.Segment {
        switch part.content {
        case .data(let data):
            return .data(data)
        case .file(let url):
            return .file(url, length: try BodyFile.check(url))
        case .stream(let stream):
            guard let length = stream.length, length >= 0 else {
                throw NetworkError(
                    .invalidBody, "A stream in a multipart form must declare its length: part \(Self.shown(part))")
            }
            return .stream(stream, length: length)
        }
    }

    private func head(of part: MultipartForm.Part, _ boundary: String) throws(NetworkError) -> Data {
        var head = Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"".utf8)
        Self.escape(part.name, into: &head)
        if let fileName = part.fileName {
            head.append(contentsOf: "\"; filename=\"".utf8)
            Self.escape(fileName, into: &head)
        }
        head.append(contentsOf: "\"\r\n".utf8)
        if let type = try contentType(of: part) { head.append(contentsOf: "Content-Type: \(type)\r\n".utf8) }
        head.append(contentsOf: "\r\n".utf8)
        return head
    }

    private func contentType(of part: MultipartForm.Part) throws(NetworkError) -> MediaType? {
        switch part.contentType {
        case .none:
            return nil
        case .byFileName:
            return part.fileName.flatMap { MediaType(fileName: $0) } ?? .octetStream
        case .type(let type):
            guard FieldSyntax.isFieldValue(type.description) else {
                throw NetworkError(
                    .invalidHeader, "The content type of part \(Self.shown(part)) has a control character")
            }
            return type
        case .text(let text):
            // The parser leaves out parameters that are malformed; what splits a header is no slip but an attack.
            guard FieldSyntax.isFieldValue(text), let type = MediaType(text),
                FieldSyntax.isFieldValue(type.description)
            else {
                throw NetworkError(
                    .invalidHeader, "The content type of part \(Self.shown(part)) is not a media type")
            }
            return type
        }
    }

    /// The escaping of WHATWG HTML. By bytes: "\r\n" is one Character, which a search for "\n" misses.
    private static func escape(_ text: String, into bytes: inout Data) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "%0A".utf8)
            case UInt8(ascii: "\r"): bytes.append(contentsOf: "%0D".utf8)
            case UInt8(ascii: "\""): bytes.append(contentsOf: "%22".utf8)
            default: bytes.append(byte)
            }
        }
    }

    /// A part's name for an error: quoted, with control characters escaped, and not endless.
    private static func shown(_ part: MultipartForm.Part) -> String { String(part.name.prefix(60)).debugDescription }
}

extension MultipartForm {
    /// Creates a form whose first parts are parameters, each a field of text in the client's parameter style.
    ///
    /// - Parameters:
    ///   - parameters: The fields, in order.
    ///   - boundary: Default: random.
    public init(_ parameters: Parameters, boundary: String? = nil) {
        self.init(encoding: parameters, boundary: boundary)
    }
}
