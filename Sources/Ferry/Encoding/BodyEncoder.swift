package import Foundation

/// Makes the bytes of request bodies that are given as values, and checks those that are files.
package struct BodyEncoder: Sendable {
    /// Encodes JSON bodies.
    package var json: JSONEncoder
    /// How form bodies are written.
    package var style: ParameterStyle

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - json: Default: ``JSONCoding/makeEncoder()``.
    ///   - style: Default: ``ParameterStyle/default``.
    package init(json: JSONEncoder = JSONCoding.makeEncoder(), style: ParameterStyle = .default) {
        self.json = json
        self.style = style
    }

    /// The body with a value made bytes; its content type is kept. Other bodies come back as they are.
    ///
    /// - Throws: `NetworkError`: `encoding` where the value does not encode, with the place and never the value;
    ///   `invalidBody` for a file that ``BodyFile/check(_:)`` refuses; what ``MultipartEncoder`` throws for a form.
    package func encode(_ body: RequestBody) throws(NetworkError) -> RequestBody {
        switch body.content {
        case .none, .data, .stream, .segments:
            return body
        case .file(let url):
            _ = try BodyFile.check(url)
            return body
        case .multipart(let form):
            var generator = SystemRandomNumberGenerator()
            return try MultipartEncoder(style: style).encode(form, using: &generator)
        case .value(let value, .json):
            return RequestBody(.data(try encodeJSON(value)), contentType: body.contentType)
        case .value(let value, .form):
            let pairs = try ParameterEncoder(style: style).encode(value)
            return RequestBody(.data(FormSerializer.data(from: pairs)), contentType: body.contentType)
        }
    }

    private func encodeJSON(_ value: some Encodable) throws(NetworkError) -> Data {
        do {
            return try json.encode(value)
        } catch {
            throw .encoding(error, what: "The JSON body")
        }
    }
}
