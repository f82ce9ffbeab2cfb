public import Foundation

/// A form of parts, for `multipart/form-data` (RFC 7578): text, bytes, files, streams, in the order in which they are
/// added.
///
/// ```swift
/// var form = MultipartForm()
/// form.append("title", "Sunrise")
/// form.append("photo", file: file)
/// form.append("notes", data: data, fileName: "notes.md", contentType: "text/markdown")
/// let call = NetworkCall(.post, "/photos", body: .multipart(form))
/// ```
///
/// Files are streamed in constant memory when they are sent. The exact length is known before: files count with their
/// size when the request is built, and a file that is shorter when it is sent fails the call with
/// `NetworkError.Kind.invalidBody`; of one that has grown, as much is sent as was announced.
///
/// Content is sent byte for byte. Of a name and a file name, a line feed, a carriage return and a quotation mark are
/// written as %0A, %0D and %22, and nothing else is changed (WHATWG HTML, multipart/form-data encoding); they are sent
/// as UTF-8, without `filename*`, which RFC 7578 §4.2 forbids.
///
/// ## Step by step
///
/// Fill the form; the file is opened when it is sent, and never held in memory as a whole:
///
/// ```swift
/// var form = MultipartForm()
/// form.append("title", "Sunrise")
/// form.append("photo", file: photo)
/// form.append("notes", data: Data("# East".utf8), fileName: "notes.md", contentType: "text/markdown")
/// ```
///
/// Send it as any other content:
///
/// ```swift
/// struct Receipt: Decodable, Sendable { let bytes: Int }
///
/// let receipt: Receipt = try await client.post("/photos", body: .multipart(form))
/// ```
///
/// `upload` does the same and tells how far it is:
///
/// ```swift
/// let call = NetworkCall(.post, "/photos", body: .multipart(form))
/// let again = try await client.upload(call, as: Receipt.self) { progress in
///     print("\(progress.completed) of \(progress.total ?? 0) bytes")
/// }
/// ```
///
/// The members of a value become fields:
///
/// ```swift
/// struct Profile: Encodable, Sendable {
///     let name = "Ada"
///     let isPublic = true
/// }
///
/// let profile = MultipartForm(encoding: Profile())
/// try await client.request(NetworkCall(.post, "/photos", body: .multipart(profile)))
/// ```
public struct MultipartForm: Sendable {
    /// A part: a field of the form.
    public struct Part: Sendable {
        /// What a part holds.
        public enum Content: Sendable {
            /// Bytes in memory.
            case data(Data)
            /// A regular file.
            case file(URL)
            /// A stream that declares its length.
            case stream(BodyStream)
        }

        /// The type of a part's content.
        package enum ContentType: Sendable {
            case none
            /// By the extension of the file name; `application/octet-stream` where that says nothing.
            case byFileName
            case type(MediaType)
            /// As the user gave it: checked when the form is encoded.
            case text(String)
        }

        /// The field's name.
        public let name: String
        /// The file name; nil sends none.
        public let fileName: String?
        /// What the part holds.
        public let content: Content
        package let contentType: ContentType
    }

    package enum Item: Sendable {
        case part(Part)
        /// A value whose members become parts of text, in the client's parameter style.
        case fields(any Encodable & Sendable)
    }

    package private(set) var items: [Item] = []

    /// The boundary between parts; nil, the default, is 128 random bits, chosen when the form is encoded.
    ///
    /// A given one must be 1 to 70 of the characters of RFC 2046 §5.1.1. Where it occurs in a part in memory the call
    /// fails with `NetworkError.Kind.invalidBody`; the content of files and streams is not searched.
    public let boundary: String?

    /// Creates a form without parts.
    ///
    /// - Parameter boundary: Default: random.
    public init(boundary: String? = nil) { self.boundary = boundary }

    /// Creates a form whose first parts are the members of a value, as a form would have them.
    ///
    /// - Parameters:
    ///   - value: A value that encodes as an object; it is encoded in the client's parameter style.
    ///   - boundary: Default: random.
    public init(encoding value: some Encodable & Sendable, boundary: String? = nil) {
        self.boundary = boundary
        items = [.fields(value)]
    }

    /// How many parts were added; the members of an encoded value count as one.
    public var count: Int { items.count }

    /// Whether no part was added.
    public var isEmpty: Bool { items.isEmpty }

    /// Whether the same bytes can be sent again: whether every stream among the parts can.
    public var isReplayable: Bool {
        items.allSatisfy {
            if case .part(let part) = $0, case .stream(let stream) = part.content { stream.isReplayable } else { true }
        }
    }

    /// Adds the members of a value as parts of text, in the client's parameter style.
    public mutating func append(encoding value: some Encodable & Sendable) { items.append(.fields(value)) }

    /// Adds a field of text, as UTF-8 and without a content type (RFC 7578 §4.4, §5.1.2).
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - text: Sent as it is, line ends included.
    public mutating func append(_ name: String, _ text: String) {
        append(name, nil, .data(Data(text.utf8)), .none)
    }

    /// Adds bytes.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - data: The bytes.
    ///   - fileName: Default none.
    ///   - contentType: Default: by the file name's extension, else `application/octet-stream`.
    public mutating func append(
        _ name: String, data: Data, fileName: String? = nil, contentType: MediaType? = nil
    ) {
        append(name, fileName, .data(data), contentType.map { .type($0) } ?? .byFileName)
    }

    /// Adds bytes of a content type given as text.
    ///
    /// Text that is no media type fails the call with `NetworkError.Kind.invalidHeader`.
    public mutating func append(_ name: String, data: Data, fileName: String? = nil, contentType: String) {
        append(name, fileName, .data(data), .text(contentType))
    }

    /// Adds a regular file.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - file: A file URL.
    ///   - fileName: Default: the last component of the URL.
    ///   - contentType: Default: by the file name's extension, else `application/octet-stream`.
    public mutating func append(
        _ name: String, file: URL, fileName: String? = nil, contentType: MediaType? = nil
    ) {
        append(name, fileName ?? file.lastPathComponent, .file(file), contentType.map { .type($0) } ?? .byFileName)
    }

    /// Adds a regular file of a content type given as text.
    ///
    /// Text that is no media type fails the call with `NetworkError.Kind.invalidHeader`.
    public mutating func append(_ name: String, file: URL, fileName: String? = nil, contentType: String) {
        append(name, fileName ?? file.lastPathComponent, .file(file), .text(contentType))
    }

    /// Adds a stream.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - stream: A stream that declares its length; one that does not fails the call with
    ///     `NetworkError.Kind.invalidBody`.
    ///   - fileName: Default none.
    ///   - contentType: Default: by the file name's extension, else `application/octet-stream`.
    public mutating func append(
        _ name: String, stream: BodyStream, fileName: String? = nil, contentType: MediaType? = nil
    ) {
        append(name, fileName, .stream(stream), contentType.map { .type($0) } ?? .byFileName)
    }

    /// Adds a stream of a content type given as text.
    ///
    /// Text that is no media type fails the call with `NetworkError.Kind.invalidHeader`.
    public mutating func append(_ name: String, stream: BodyStream, fileName: String? = nil, contentType: String) {
        append(name, fileName, .stream(stream), .text(contentType))
    }

    private mutating func append(
        _ name: String, _ fileName: String?, _ content: Part.Content, _ type: Part.ContentType
    ) {
        items.append(.part(Part(name: name, fileName: fileName, content: content, contentType: type)))
    }
}

extension MultipartForm: CustomStringConvertible, CustomReflectable {
    /// How many parts there are: names and content may be secret.
    public var description: String { "a form of \(count) parts" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["form": description]) }
}

extension MultipartForm.Part: CustomStringConvertible, CustomReflectable {
    /// The name, and the kind of content with its size.
    public var description: String { "part \(name.debugDescription), \(content)" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["part": description]) }
}

extension MultipartForm.Part.Content: CustomStringConvertible, CustomReflectable {
    /// The kind of content and its size, never the content.
    public var description: String {
        switch self {
        case .data(let data): "\(data.count) bytes"
        case .file: "a file"
        case .stream(let stream): stream.description
        }
    }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}
