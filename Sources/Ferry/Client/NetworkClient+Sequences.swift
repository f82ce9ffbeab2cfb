import Foundation

/// Calls as sequences of what their content holds, each element as soon as its bytes are there.
///
/// Nothing is sent before the first `next`. Leaving the loop, or cancelling its task, ends the transfer. Every failure is
/// a `NetworkError`: an error status is thrown with its content, a cut stream throws after what came before the cut. A
/// sequence can be looped over once; the events of `serverSentEvents` begin a new session with each loop.
extension NetworkClient {
    /// The content in chunks as they arrive.
    public nonisolated func chunks(_ call: NetworkCall) -> ByteStream { chunks(call, checking: "") }

    /// The content in chunks, where a key path is well-formed; otherwise that is the error, and nothing is sent.
    private nonisolated func chunks(_ call: NetworkCall, checking path: JSONKeyPath) -> ByteStream {
        ByteStream(
            LazyByteSource { () throws(NetworkError) in
                try path.validate()
                return try await self.stream(call).body
            })
    }

    /// The content in chunks as they arrive.
    public nonisolated func chunks(_ api: some Api) -> ByteStream { chunks(api.call) }

    /// The content byte by byte. Convenient, not fast.
    public nonisolated func bytes(_ call: NetworkCall) -> ByteStream.Bytes { chunks(call).bytes }

    /// The content byte by byte. Convenient, not fast.
    public nonisolated func bytes(_ api: some Api) -> ByteStream.Bytes { chunks(api).bytes }

    /// The lines of the content as text; see ``LineParser`` for what a line is.
    ///
    /// ```swift
    /// for try await line in client.lines(NetworkCall(.get, "/log")) { show(line) }
    /// ```
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - maxLength: Longest line in bytes; a longer one throws `bodyTooLarge`. Default 1 MiB.
    public nonisolated func lines(
        _ call: NetworkCall, maxLength: Int = LineParser.defaultMaxLength
    ) -> ParsedStream<LineParser> {
        chunks(call).lines(maxLength: maxLength)
    }

    /// The lines of the content as text; see ``LineParser`` for what a line is.
    ///
    /// - Parameters:
    ///   - api: The call.
    ///   - maxLength: Longest line in bytes; a longer one throws `bodyTooLarge`. Default 1 MiB.
    public nonisolated func lines(
        _ api: some Api, maxLength: Int = LineParser.defaultMaxLength
    ) -> ParsedStream<LineParser> {
        lines(api.call, maxLength: maxLength)
    }

    /// The records of newline-delimited JSON, decoded with the decoder of the call; see ``JSONLinesParser``.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - type: What each record is; inferred where possible.
    ///   - maxRecordSize: Largest record in bytes; a larger one throws `bodyTooLarge`. Default 16 MiB.
    public nonisolated func jsonLines<Value: Decodable & Sendable>(
        _ call: NetworkCall, as type: Value.Type = Value.self,
        maxRecordSize: Int = JSONLinesParser.defaultMaxRecordSize
    ) -> ParsedStream<JSONLinesDecoder<Value>> {
        chunks(call).jsonLines(as: type, decoder: decoder(of: call), maxRecordSize: maxRecordSize)
    }

    /// The records of newline-delimited JSON, decoded with the decoder of the call; see ``JSONLinesParser``.
    ///
    /// - Parameters:
    ///   - api: The call; its `Response` plays no part.
    ///   - type: What each record is; inferred where possible.
    ///   - maxRecordSize: Largest record in bytes; a larger one throws `bodyTooLarge`. Default 16 MiB.
    public nonisolated func jsonLines<Value: Decodable & Sendable>(
        _ api: some Api, as type: Value.Type = Value.self, maxRecordSize: Int = JSONLinesParser.defaultMaxRecordSize
    ) -> ParsedStream<JSONLinesDecoder<Value>> {
        jsonLines(api.call, as: type, maxRecordSize: maxRecordSize)
    }

    /// The elements of one JSON array, decoded as they arrive with the decoder of the call; see ``JSONArrayParser``.
    ///
    /// - Parameters:
    ///   - call: The call; its `responseKeyPath` plays no part.
    ///   - type: What each element is; inferred where possible.
    ///   - keyPath: Where in the JSON the array is, such as `data.items`, as ``JSONKeyPath`` has it. Default: the text is
    ///     the array.
    ///   - maxElementSize: Largest element in bytes; a larger one throws `bodyTooLarge`. Default 16 MiB.
    public nonisolated func jsonArray<Value: Decodable & Sendable>(
        _ call: NetworkCall, as type: Value.Type = Value.self, keyPath: String = "",
        maxElementSize: Int = JSONArrayParser.defaultMaxElementSize
    ) -> ParsedStream<JSONArrayDecoder<Value>> {
        let path = JSONKeyPath(keyPath)
        return chunks(call, checking: path).jsonArray(
            as: type, path: path.segments, decoder: decoder(of: call), maxElementSize: maxElementSize)
    }

    /// The elements of one JSON array, decoded as they arrive with the decoder of the call; see ``JSONArrayParser``.
    ///
    /// - Parameters:
    ///   - api: The call; its `Response` and `responseKeyPath` play no part.
    ///   - type: What each element is; inferred where possible.
    ///   - keyPath: Where in the JSON the array is, such as `data.items`, as ``JSONKeyPath`` has it. Default: the text is
    ///     the array.
    ///   - maxElementSize: Largest element in bytes; a larger one throws `bodyTooLarge`. Default 16 MiB.
    public nonisolated func jsonArray<Value: Decodable & Sendable>(
        _ api: some Api, as type: Value.Type = Value.self, keyPath: String = "",
        maxElementSize: Int = JSONArrayParser.defaultMaxElementSize
    ) -> ParsedStream<JSONArrayDecoder<Value>> {
        jsonArray(api.call, as: type, keyPath: keyPath, maxElementSize: maxElementSize)
    }

    nonisolated func decoder(of call: NetworkCall) -> JSONDecoder { call.decoder ?? configuration.decoder }
}
