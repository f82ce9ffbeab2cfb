public import Foundation

/// The content of a request (RFC 9110 §6.4), described before it is encoded.
///
/// ```swift
/// NetworkCall(.post, "/repos", body: .json(NewRepo(name: "x")))
/// NetworkCall(.put, "/avatar", body: .file(url))
/// ```
///
/// Values (`json`, `form`) are encoded with the client's coders when the request is built. Every body says whether it
/// is replayable: whether a retry, a redirect or a request after a 401 can send the same bytes again.
public struct RequestBody: Sendable {
    /// What the body is made of.
    public enum Content: Sendable {
        /// No content.
        case none
        /// Bytes in memory.
        case data(Data)
        /// A regular file, streamed when sent.
        case file(URL)
        /// Bytes that are produced while they are sent.
        case stream(BodyStream)
        /// A form of parts that the request builder has yet to encode.
        case multipart(MultipartForm)
        /// Pieces of known length, such as an encoded multipart form.
        case segments(BodySegments)
        /// A value that the request builder has yet to encode.
        case value(any Encodable & Sendable, ValueFormat)
    }

    /// How a value becomes bytes.
    public enum ValueFormat: Hashable, Sendable {
        /// JSON by the client's encoder (RFC 8259).
        case json
        /// `application/x-www-form-urlencoded` by the client's parameter style (WHATWG URL §5.2).
        case form
    }

    /// What the body is made of.
    public let content: Content

    /// The media type sent as Content-Type, unless the call's headers give one; nil sends none.
    public var contentType: MediaType?

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - content: What it is made of.
    ///   - contentType: The media type to send.
    public init(_ content: Content, contentType: MediaType?) {
        self.content = content
        self.contentType = contentType
    }

    /// No body.
    public static let none = RequestBody(.none, contentType: nil)

    /// Bytes in memory.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - contentType: Default `application/octet-stream`.
    public static func data(_ data: Data, contentType: MediaType = .octetStream) -> RequestBody {
        RequestBody(.data(data), contentType: contentType)
    }

    /// Text, sent as UTF-8.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - contentType: Default `text/plain; charset=utf-8`.
    public static func text(_ text: String, contentType: MediaType = .plainText) -> RequestBody {
        RequestBody(.data(Data(text.utf8)), contentType: contentType)
    }

    /// A value encoded as JSON by the client's encoder; Content-Type is `application/json` without a charset
    /// (RFC 8259 §11).
    public static func json(_ value: some Encodable & Sendable) -> RequestBody {
        RequestBody(.value(value, .json), contentType: .json)
    }

    /// A value encoded as `application/x-www-form-urlencoded` (WHATWG URL §5.2).
    public static func form(_ value: some Encodable & Sendable) -> RequestBody {
        RequestBody(.value(value, .form), contentType: .form)
    }

    /// A regular file, streamed in constant memory when sent.
    ///
    /// A directory, a device or a missing file is refused with `NetworkError.Kind.invalidBody` before any byte is sent.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - contentType: Default `application/octet-stream`.
    public static func file(_ url: URL, contentType: MediaType = .octetStream) -> RequestBody {
        RequestBody(.file(url), contentType: contentType)
    }

    /// Bytes that are produced while they are sent.
    ///
    /// - Parameters:
    ///   - stream: The source.
    ///   - contentType: Default `application/octet-stream`.
    public static func stream(_ stream: BodyStream, contentType: MediaType = .octetStream) -> RequestBody {
        RequestBody(.stream(stream), contentType: contentType)
    }

    /// A form of parts as `multipart/form-data` (RFC 7578), its files streamed in constant memory when sent.
    ///
    /// Content-Type gets the form's boundary; a call that gives its own must give a multipart type.
    public static func multipart(_ form: MultipartForm) -> RequestBody {
        RequestBody(.multipart(form), contentType: nil)
    }

    /// A form of parts as `multipart/form-data` (RFC 7578).
    ///
    /// ```swift
    /// var body: RequestBody {
    ///     .multipart {
    ///         $0.append("title", name)
    ///         $0.append("photo", file: file)
    ///     }
    /// }
    /// ```
    public static func multipart(_ build: (inout MultipartForm) -> Void) -> RequestBody {
        var form = MultipartForm()
        build(&form)
        return .multipart(form)
    }

    /// Whether the same bytes can be sent again.
    public var isReplayable: Bool {
        switch content {
        case .none, .data, .file, .value: true
        case .stream(let stream): stream.isReplayable
        case .multipart(let form): form.isReplayable
        case .segments(let segments): segments.isReplayable
        }
    }

    /// Whether there is no content; a body of zero bytes is content.
    public var isNone: Bool {
        if case .none = content { true } else { false }
    }
}

extension RequestBody: CustomStringConvertible {
    /// The kind of content and its size, never the content.
    public var description: String { content.description }
}

extension RequestBody.Content: CustomStringConvertible, CustomReflectable {
    /// The kind of content and its size, never the content.
    public var description: String {
        switch self {
        case .none: "no body"
        case .data(let data): "\(data.count) bytes"
        case .file: "a file"
        case .stream(let stream): stream.description
        case .multipart(let form): form.description
        case .segments(let segments): segments.description
        case .value(_, let format): "a value as \(format)"
        }
    }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}

extension RequestBody: CustomReflectable {
    /// The description alone: content may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}
