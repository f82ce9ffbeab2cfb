public import Foundation

extension MockResponse {
    /// The content of a fixture file.
    ///
    /// The extension gives the Content-Type. A file named `.http` is a whole response, as `curl -i` writes it: status
    /// line, header fields, an empty line, body.
    ///
    /// - Parameters:
    ///   - name: Its path below the fixture source, such as `users/1.json`: relative, without `.` and `..` parts.
    ///   - status: Default: what a `.http` file says, else 200.
    ///   - headers: Default: none.
    ///   - delay: The time until the head comes. Default zero.
    ///   - chunks: How a stream of the body is cut. Default: one chunk.
    public static func fixture(
        _ name: String, status: HTTPStatus? = nil, headers: HTTPHeaders = [:], delay: Duration = .zero,
        chunks: Chunking = .whole
    ) -> MockResponse {
        MockResponse(.fixture(name), status: status, headers: headers, delay: delay, chunking: chunks)
    }

    /// JSON text, as `application/json`. The text is sent as it is, also where it is not JSON.
    ///
    /// - Parameters:
    ///   - text: The text, sent as UTF-8.
    ///   - status: Default 200.
    ///   - headers: Default: none.
    public static func json(_ text: String, status: HTTPStatus = .ok, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(.data(Data(text.utf8)), status: status, headers: headers, contentType: .json)
    }

    /// A value as JSON, as `application/json`.
    ///
    /// A value that cannot be encoded fails the call with `NetworkError.Kind.mock`.
    ///
    /// - Parameters:
    ///   - value: Encoded anew for each answer.
    ///   - encoder: Default: a plain `JSONEncoder`; give one that writes dates as the client reads them.
    ///   - status: Default 200.
    ///   - headers: Default: none.
    public static func json(
        encoding value: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder(), status: HTTPStatus = .ok,
        headers: HTTPHeaders = [:]
    ) -> MockResponse {
        MockResponse(.encoded { try encoder.encode(value) }, status: status, headers: headers, contentType: .json)
    }

    /// Bytes.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - contentType: Default `application/octet-stream`.
    ///   - status: Default 200.
    ///   - headers: Default: none.
    public static func data(
        _ data: Data, contentType: MediaType = .octetStream, status: HTTPStatus = .ok, headers: HTTPHeaders = [:]
    ) -> MockResponse {
        MockResponse(.data(data), status: status, headers: headers, contentType: contentType)
    }

    /// Text, sent as UTF-8.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - contentType: Default `text/plain; charset=utf-8`.
    ///   - status: Default 200.
    ///   - headers: Default: none.
    public static func text(
        _ text: String, contentType: MediaType = .plainText, status: HTTPStatus = .ok, headers: HTTPHeaders = [:]
    ) -> MockResponse {
        MockResponse(.data(Data(text.utf8)), status: status, headers: headers, contentType: contentType)
    }

    /// A body that comes in given chunks at given times, without a Content-Length.
    ///
    /// - Parameters:
    ///   - chunks: Each with the time that it comes after the one before, the first after the head; by the client's
    ///     clock. A reader that is slower finds the chunks waiting.
    ///   - status: Default 200.
    ///   - headers: Default: none.
    ///   - contentType: Default `application/octet-stream`.
    public static func chunks(
        _ chunks: [(after: Duration, data: Data)], status: HTTPStatus = .ok, headers: HTTPHeaders = [:],
        contentType: MediaType = .octetStream
    ) -> MockResponse {
        MockResponse(
            .chunks(chunks.map { Chunk(wait: $0.after, data: $0.data) }), status: status, headers: headers,
            contentType: contentType)
    }

    /// A status without content.
    ///
    /// - Parameters:
    ///   - status: Default 204.
    ///   - headers: Default: none.
    public static func empty(_ status: HTTPStatus = .noContent, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(.empty, status: status, headers: headers)
    }

    /// A status without content.
    ///
    /// - Parameters:
    ///   - status: For instance 404.
    ///   - headers: Default: none.
    public static func status(_ status: HTTPStatus, headers: HTTPHeaders = [:]) -> MockResponse {
        .empty(status, headers: headers)
    }

    /// A redirection without content.
    ///
    /// - Parameters:
    ///   - location: Where to, absolute or relative to the request's URL.
    ///   - status: Default 302.
    ///   - headers: Further fields. Default: none.
    public static func redirect(
        to location: String, status: HTTPStatus = .found, headers: HTTPHeaders = [:]
    ) -> MockResponse {
        .empty(status, headers: headers.merging(["Location": location]))
    }

    /// A status that stands for its category, without content: 200, 302, 400, 500, and 600 for a code outside all
    /// categories.
    ///
    /// `informational` has none: 1xx is never a final response (RFC 9110 §15.2), and the call fails with
    /// `NetworkError.Kind.mock`.
    public static func category(_ category: HTTPStatus.Category) -> MockResponse {
        let status: HTTPStatus =
            switch category {
            case .informational: 103
            case .success: .ok
            case .redirection: .found
            case .clientError: .badRequest
            case .serverError: .internalServerError
            case .other: 600
            }
        return .empty(status)
    }

    /// No response: the exchange fails.
    ///
    /// `offline`, `cannotConnect`, `cannotFindHost` and `tls` fail before the request's body is read, every other kind
    /// after it, as on a real connection. A `timeout` is the idle one and comes after the delay, whatever the client's
    /// time-outs are.
    ///
    /// - Parameter kind: What the call fails with.
    public static func failure(_ kind: NetworkError.Kind) -> MockResponse { failure(error: .mocked(kind)) }

    /// No response: the exchange fails with a given error.
    public static func failure(error: NetworkError) -> MockResponse { MockResponse(.failure(error)) }
}

extension NetworkError {
    /// The error that a mock fails with.
    static func mocked(_ kind: Kind) -> NetworkError {
        switch kind {
        case .timeout: .timedOut(.idle, after: nil)
        case .cancelled: .cancelled
        default: NetworkError(kind, "The mock fails with \(kind)")
        }
    }
}
