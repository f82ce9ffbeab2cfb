public import Foundation

extension ByteStream {
    /// What a parser finds in the stream; the parser may be one of your own.
    ///
    /// - Parameter parser: A parser in its initial state.
    public func parsed<Parser: StreamParser>(by parser: Parser) -> ParsedStream<Parser> {
        ParsedStream(self, parser: parser)
    }

    /// The lines of the stream as text; see ``LineParser`` for what a line is.
    ///
    /// - Parameter maxLength: Longest line in bytes; a longer one throws `bodyTooLarge`. Default 1 MiB.
    public func lines(maxLength: Int = LineParser.defaultMaxLength) -> ParsedStream<LineParser> {
        parsed(by: LineParser(maxLength: maxLength))
    }

    /// The server-sent events of the stream, without reconnection; see ``ServerSentEventParser``.
    ///
    /// - Parameter maxEventSize: Largest event in bytes; a larger one throws `bodyTooLarge`. Default 16 MiB.
    public func serverSentEvents(
        maxEventSize: Int = ServerSentEventParser.defaultMaxEventSize
    ) -> ServerSentEvents {
        ServerSentEvents(self, maxEventSize: maxEventSize)
    }

    /// The records of newline-delimited JSON (NDJSON, JSON Lines), decoded; see ``JSONLinesParser``.
    ///
    /// A bad record throws `decoding`, naming its number and line, after the records before it.
    ///
    /// - Parameters:
    ///   - type: What each record is; inferred where possible.
    ///   - decoder: Default: a plain one.
    ///   - maxRecordSize: Largest record in bytes; a larger one throws `bodyTooLarge`. Default 16 MiB.
    public func jsonLines<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(),
        maxRecordSize: Int = JSONLinesParser.defaultMaxRecordSize
    ) -> ParsedStream<JSONLinesDecoder<Value>> {
        parsed(by: JSONLinesDecoder(decoder: decoder, maxRecordSize: maxRecordSize))
    }

    /// The elements of one JSON array, decoded as they arrive; see ``JSONArrayParser``.
    ///
    /// - Parameters:
    ///   - type: What each element is; inferred where possible.
    ///   - path: Keys, and indexes of arrays in decimal, that lead to the array. Default: none, the text is the array.
    ///   - decoder: Default: a plain one.
    ///   - maxElementSize: Largest element in bytes; a larger one throws `bodyTooLarge`. Default 16 MiB.
    public func jsonArray<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, path: [String] = [], decoder: JSONDecoder = JSONDecoder(),
        maxElementSize: Int = JSONArrayParser.defaultMaxElementSize
    ) -> ParsedStream<JSONArrayDecoder<Value>> {
        parsed(by: JSONArrayDecoder(path: path, decoder: decoder, maxElementSize: maxElementSize))
    }

    /// The elements of one JSON array below a key path, decoded as they arrive.
    ///
    /// - Parameters:
    ///   - type: What each element is; inferred where possible.
    ///   - keyPath: Keys and array indexes with dots between them, such as `data.items`; for keys that have dots use
    ///     the form with `path`. Empty: the text is the array.
    ///   - decoder: Default: a plain one.
    ///   - maxElementSize: Largest element in bytes; a larger one throws `bodyTooLarge`. Default 16 MiB.
    public func jsonArray<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, keyPath: String, decoder: JSONDecoder = JSONDecoder(),
        maxElementSize: Int = JSONArrayParser.defaultMaxElementSize
    ) -> ParsedStream<JSONArrayDecoder<Value>> {
        let path =
            keyPath.isEmpty ? [] : keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return jsonArray(as: type, path: path, decoder: decoder, maxElementSize: maxElementSize)
    }

    /// The bytes of the stream, one by one. Convenient, not fast: prefer chunks or a parser for large content.
    public var bytes: ParsedStream<SingleBytes> { parsed(by: SingleBytes()) }
}

/// Gives bytes one by one.
public struct SingleBytes: StreamParser {
    private var bytes: [UInt8] = []
    private var position = 0

    /// Creates a parser.
    public init() {}

    /// Takes the next bytes.
    public mutating func append(_ new: some ContiguousBytes) {
        if position == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            position = 0
        }
        new.withUnsafeBytes { raw in
            raw.withMemoryRebound(to: UInt8.self) { bytes.append(contentsOf: $0) }
        }
    }

    /// Says that the input is complete.
    public mutating func finish() {}

    /// The next byte, or nil. Never throws.
    public mutating func next() throws(NetworkError) -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }
}
