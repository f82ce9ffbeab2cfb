public import Foundation

/// Splits newline-delimited JSON (NDJSON, JSON Lines) into records.
///
/// LF ends a record; a CR before it is JSON white space, and so is one elsewhere. Blank lines are skipped, the last
/// record may lack its line end, and a byte order mark at the very start is ignored (RFC 8259 §8.1). Whether a record
/// is JSON is for the decoder to say.
public struct JSONLinesParser: StreamParser {
    /// One record.
    public struct Record: Hashable, Sendable {
        /// Its number among the records, from 1.
        public let number: Int
        /// Its line, blank lines counted, from 1.
        public let line: Int
        /// Its bytes, without LF.
        public let data: Data
    }

    /// Largest record in bytes by default: 16 MiB.
    public static let defaultMaxRecordSize = 16 << 20

    private let maxRecordSize: Int
    private var buffer = LineBuffer(ending: .lineFeed)
    private var line = 0
    private var number = 0

    /// Creates a parser.
    ///
    /// - Parameter maxRecordSize: Largest record in bytes; a larger one is an error. Default 16 MiB.
    public init(maxRecordSize: Int = JSONLinesParser.defaultMaxRecordSize) { self.maxRecordSize = maxRecordSize }

    /// Takes the next bytes.
    public mutating func append(_ bytes: some ContiguousBytes) { buffer.append(bytes) }

    /// Says that the input is complete: the last record may come without LF.
    public mutating func finish() { buffer.finish() }

    /// The next record, or nil.
    ///
    /// - Throws: `NetworkError` of kind `bodyTooLarge` where a record is larger than the limit.
    public mutating func next() throws(NetworkError) -> Record? {
        while true {
            let ended = buffer.nextLine()
            if (ended?.count ?? buffer.pendingCount) > maxRecordSize {
                buffer.close()
                throw NetworkError(.bodyTooLarge, "Record \(number + 1) is larger than \(maxRecordSize) bytes")
            }
            guard let range = ended ?? buffer.tail() else { return nil }
            line += 1
            let data = buffer.withBytes(range) { raw in
                raw.allSatisfy(Self.isWhitespace) ? nil : Data(raw)
            }
            guard let data else { continue }
            number += 1
            return Record(number: number, line: line, data: data)
        }
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}

extension JSONLinesParser.Record: CustomStringConvertible, CustomReflectable {
    /// The number and the size, never the bytes.
    public var description: String { "record \(number), \(data.count) bytes" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["record": description]) }
}
