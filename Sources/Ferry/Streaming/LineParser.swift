public import Foundation

/// Splits bytes into lines of text.
///
/// LF, CRLF and a lone CR end a line, also where CR and LF come in different pieces; nothing else does (U+2028, U+2029,
/// U+0085, VT and FF are content). Empty lines are kept, and so is a last line without a line end; a line end at the
/// very end of the input begins no further line. A line that ends in CR is given out at once, without waiting for the
/// LF that may follow.
///
/// Text is UTF-8. As the Encoding Standard's "UTF-8 decode" has it, a byte order mark at the very start is removed and
/// each malformed sequence (maximal subpart) becomes U+FFFD.
public struct LineParser: StreamParser {
    /// Longest line in bytes by default: 1 MiB.
    public static let defaultMaxLength = 1 << 20

    private let maxLength: Int
    private var buffer = LineBuffer(ending: .any)

    /// Creates a parser.
    ///
    /// - Parameter maxLength: Longest line in bytes, without its line end; a longer one is an error. Default 1 MiB.
    public init(maxLength: Int = LineParser.defaultMaxLength) { self.maxLength = maxLength }

    /// Takes the next bytes.
    public mutating func append(_ bytes: some ContiguousBytes) { buffer.append(bytes) }

    /// Says that the input is complete: the last line may come without a line end.
    public mutating func finish() { buffer.finish() }

    /// The next line without its line end, or nil.
    ///
    /// - Throws: `NetworkError` of kind `bodyTooLarge` where a line is longer than the limit.
    public mutating func next() throws(NetworkError) -> String? {
        let line = buffer.nextLine()
        if (line?.count ?? buffer.pendingCount) > maxLength {
            buffer.close()
            throw NetworkError(.bodyTooLarge, "A line is longer than \(maxLength) bytes")
        }
        guard let line = line ?? buffer.tail() else { return nil }
        return buffer.withBytes(line) { String(decoding: $0, as: UTF8.self) }
    }
}
