public import Foundation

/// Decodes newline-delimited JSON, record by record.
///
/// Inlinable in part, so that a user's module decodes its own types without generic code in between.
public struct JSONLinesDecoder<Value: Decodable & Sendable>: StreamParser {
    @usableFromInline var parser: JSONLinesParser
    @usableFromInline let decoder: JSONDecoder
    @usableFromInline var isFinished = false

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - decoder: Default: a plain one.
    ///   - maxRecordSize: Largest record in bytes; a larger one is an error. Default 16 MiB.
    public init(decoder: JSONDecoder = JSONDecoder(), maxRecordSize: Int = JSONLinesParser.defaultMaxRecordSize) {
        parser = JSONLinesParser(maxRecordSize: maxRecordSize)
        self.decoder = decoder
    }

    /// Takes the next bytes.
    public mutating func append(_ bytes: some ContiguousBytes) { parser.append(bytes) }

    /// Says that the input is complete.
    public mutating func finish() { parser.finish() }

    /// The next value, or nil.
    ///
    /// - Throws: `NetworkError` of kind `decoding` for a record that is not JSON or not a `Value`; its message names
    ///   the record and the line, its `codingPath` begins with the record's index from 0 (`[1].name`). A bad record is
    ///   never skipped. Of kind `bodyTooLarge` where a record is larger than the limit.
    @inlinable
    public mutating func next() throws(NetworkError) -> Value? {
        guard !isFinished, let record = try parser.next() else { return nil }
        do {
            return try decoder.decode(Value.self, from: record.data)
        } catch {
            isFinished = true
            throw .undecodable(
                error, as: Value.self, name: "Record \(record.number) (line \(record.line))",
                place: "[\(record.number - 1)]")
        }
    }
}
