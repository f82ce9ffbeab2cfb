public import Foundation

/// Content that is collected chunk by chunk, with what is known of it.
///
/// ```swift
/// let response = try await client.stream(call)
/// var content = CollectedData(response.head)
/// for try await chunk in response.body {
///     content.append(chunk)
///     show(content.progress.fraction)
/// }
/// let file = try content.save(in: folder, named: "picture")       // picture.png, by the media type
/// ```
public struct CollectedData: Hashable, Sendable {
    /// The bytes so far.
    public private(set) var data: Data
    /// What they are, or nil where that is unknown.
    public let mediaType: MediaType?
    /// How many there will be, or nil where that is unknown.
    public let expectedLength: Int64?

    /// Creates an empty collection.
    ///
    /// - Parameters:
    ///   - mediaType: What the bytes are. Default unknown.
    ///   - expectedLength: How many there will be; below zero counts as unknown. Default unknown.
    public init(mediaType: MediaType? = nil, expectedLength: Int64? = nil) {
        data = Data()
        self.mediaType = mediaType
        self.expectedLength = expectedLength.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Creates an empty collection for the content of a response: its media type, and its length unless the content has
    /// a coding, whose length is another (RFC 9110 §8.6).
    public init(_ head: HTTPResponse.Head) {
        self.init(mediaType: head.contentType, expectedLength: head.contentLength)
    }

    /// How many bytes there are.
    public var count: Int { data.count }

    /// How far the collection is.
    public var progress: TransferProgress { TransferProgress(completed: Int64(data.count), total: expectedLength) }

    /// Whether all expected bytes are there; nil where their number is unknown.
    public var isComplete: Bool? { expectedLength.map { Int64(data.count) >= $0 } }

    /// Adds a chunk at the end.
    public mutating func append(_ chunk: Data) { data.append(chunk) }

    /// Adds all chunks of a stream.
    ///
    /// - Parameters:
    ///   - stream: The chunks.
    ///   - limit: Most bytes to hold in all. Default: no limit.
    /// - Throws: What the stream throws, after the chunks before it were added; `bodyTooLarge` beyond the limit.
    public mutating func append(contentsOf stream: ByteStream, limit: Int = .max) async throws(NetworkError) {
        for try await chunk in stream {
            guard chunk.count <= limit - data.count else {
                throw NetworkError(.bodyTooLarge, "The content is larger than \(limit) bytes")
            }
            data.append(chunk)
        }
    }

    /// A part of the bytes so far, counted from 0.
    ///
    /// - Returns: The part that is there: a range beyond the end is cut.
    public func subdata(in range: Range<Int>) -> Data {
        let bounds = range.clamped(to: 0..<data.count)
        return data.subdata(in: data.startIndex + bounds.lowerBound..<data.startIndex + bounds.upperBound)
    }

    /// Writes the bytes to a file in a directory, in one step.
    ///
    /// - Parameters:
    ///   - directory: An existing directory.
    ///   - name: The file's name, made safe. Without an extension it gets that of the media type, where it is known.
    ///   - replaces: Whether an existing file is replaced. Default true; else it is an error.
    /// - Returns: Where the file is.
    /// - Throws: `NetworkError` of kind `file`; `invalidRequest` where the name has nothing that can be used.
    @discardableResult
    public func save(
        in directory: URL, named name: String, replacing replaces: Bool = true
    ) throws(NetworkError) -> URL {
        guard var safe = SafeFileName.sanitized(name) else {
            throw NetworkError(.invalidRequest, "A file name has nothing that can be used")
        }
        if FileNameExtension.of(safe) == nil, let suffix = mediaType?.preferredExtension { safe += "." + suffix }
        let file = directory.appending(path: safe)
        do {
            try data.write(to: file, options: replaces ? .atomic : .withoutOverwriting)
        } catch {
            throw NetworkError(.file, "Cannot write the file \(safe.debugDescription)", underlying: error)
        }
        return file
    }
}

extension CollectedData: CustomStringConvertible, CustomReflectable {
    /// Length and media type: the bytes may be secret.
    public var description: String { "\(count) bytes" + (mediaType.map { " of \($0.essence)" } ?? "") }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}
