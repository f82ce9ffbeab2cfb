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
        let segments = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return jsonArray(
            as: type, path: keyPath.isEmpty ? [] : segments, decoder: decoder, maxElementSize: maxElementSize)
    }
}
