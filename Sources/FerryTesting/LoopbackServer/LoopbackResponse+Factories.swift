public import Ferry
public import Foundation

extension LoopbackResponse {
    /// A response without content.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: Header fields. Default none.
    public static func status(_ status: HTTPStatus, headers: HTTPHeaders = [:]) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: headers)
    }

    /// A text in UTF-8, as `text/plain; charset=utf-8`.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> LoopbackResponse {
        data(Data(text.utf8), contentType: .plainText, status: status)
    }

    /// A JSON text, as `application/json`. It is sent as it is, valid or not.
    public static func json(_ text: String, status: HTTPStatus = .ok) -> LoopbackResponse {
        data(Data(text.utf8), contentType: .json, status: status)
    }

    /// A value encoded as JSON with sorted keys.
    ///
    /// - Throws: `NetworkError` of kind `encoding`.
    public static func json(
        _ value: some Encodable, status: HTTPStatus = .ok
    ) throws(NetworkError) -> LoopbackResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return data(try encoder.encode(value), contentType: .json, status: status)
        } catch {
            throw NetworkError(.encoding, "A mocked response cannot be encoded", underlying: error)
        }
    }

    /// Bytes with a Content-Length.
    ///
    /// - Parameters:
    ///   - data: The content.
    ///   - contentType: Its media type; nil sends none. Default `application/octet-stream`.
    ///   - status: The status. Default 200.
    public static func data(
        _ data: Data, contentType: MediaType? = .octetStream, status: HTTPStatus = .ok
    ) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: typed(contentType), body: .data(data))
    }

    /// A file, read piece by piece as the client takes it. A file that cannot be read is answered with 500.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - contentType: Its media type; nil sends none. Default `application/octet-stream`.
    public static func file(_ url: URL, contentType: MediaType? = .octetStream) -> LoopbackResponse {
        LoopbackResponse(headers: typed(contentType), body: .file(url))
    }

    /// A redirect.
    ///
    /// - Parameters:
    ///   - location: The Location, absolute or relative, as it is to be sent.
    ///   - status: The status. Default 302.
    public static func redirect(to location: String, status: HTTPStatus = .found) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: ["Location": location])
    }

    /// A body in chunked coding, one chunk for each piece (RFC 9112 §7.1). Empty pieces are left out.
    ///
    /// - Parameters:
    ///   - chunks: The pieces.
    ///   - trailers: Fields after the last chunk. Default none.
    ///   - contentType: The media type; nil sends none. Default `application/octet-stream`.
    public static func chunked(
        _ chunks: [Data], trailers: HTTPHeaders = [:], contentType: MediaType? = .octetStream
    ) -> LoopbackResponse {
        LoopbackResponse(headers: typed(contentType), body: .chunks(chunks, trailers: trailers))
    }

    /// Texts in chunked coding, one chunk for each.
    public static func chunked(
        _ chunks: [String], trailers: HTTPHeaders = [:], contentType: MediaType? = .plainText
    ) -> LoopbackResponse {
        chunked(chunks.map { Data($0.utf8) }, trailers: trailers, contentType: contentType)
    }

    /// A body that a closure writes, in its own time.
    ///
    /// ```swift
    /// let answer = LoopbackResponse.stream { writer in
    ///     try await writer.write("first")
    ///     await gate.wait()                    // controlled by the test
    ///     try await writer.write("second")
    /// }
    /// ```
    ///
    /// Where the closure throws, or writes less than announced, the connection is closed: the client sees a cut body.
    ///
    /// - Parameters:
    ///   - contentLength: The length in bytes, or nil, the default, for chunked coding.
    ///   - contentType: The media type; nil sends none. Default `application/octet-stream`.
    ///   - produce: Writes the body. Its task is cancelled when the client goes away or the server stops.
    public static func stream(
        contentLength: Int? = nil, contentType: MediaType? = .octetStream,
        _ produce: @escaping @Sendable (LoopbackWriter) async throws -> Void
    ) -> LoopbackResponse {
        LoopbackResponse(headers: typed(contentType), body: .stream(length: contentLength, produce: produce))
    }

    /// Exactly these bytes on the wire, instead of a response.
    ///
    /// - Parameters:
    ///   - bytes: Everything that is sent, a status line and head included where there is to be one.
    ///   - ending: What happens then. Default: the connection is closed.
    public static func raw(_ bytes: Data, then ending: Ending = .close) -> LoopbackResponse {
        LoopbackResponse(body: .raw(bytes), ending: ending)
    }

    /// Exactly this text, in UTF-8, on the wire; see ``raw(_:then:)-(Data,_)``.
    public static func raw(_ text: String, then ending: Ending = .close) -> LoopbackResponse {
        raw(Data(text.utf8), then: ending)
    }

    private static func typed(_ contentType: MediaType?) -> HTTPHeaders {
        contentType.map { ["Content-Type": $0.description] } ?? [:]
    }
}
