package import Foundation

/// A fixture of server-sent events or JSON lines with pacing marks: lines that say when the rest comes, and are no part of
/// the content.
///
/// ```
/// data: Hel
///
/// : wait 250ms          in .sse files, where it is a comment; "# wait 1.5s" in .ndjson and .jsonl
/// data: lo
///
/// ```
package struct PacedText: Sendable {
    /// The content between the marks, each with the time after the one before; the last one is empty where the end of the
    /// stream waits.
    package let chunks: [MockResponse.Chunk]

    /// Parses a file; nil where it has no mark, or its name says that it can have none.
    ///
    /// - Throws: `NetworkError` of kind `mock` for a mark without a time, naming file and line.
    package init?(_ data: Data, name: String) throws(NetworkError) {
        guard let marker = Self.marker(of: name) else { return nil }
        var chunks: [MockResponse.Chunk] = []
        var chunk = MockResponse.Chunk(wait: .zero, data: Data())
        var isPaced = false
        var rest = data[...]
        var number = 0
        while !rest.isEmpty {
            number += 1
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            var line = rest[..<end]
            rest = rest[end...]
            if number == 1, line.starts(with: Self.byteOrderMark), line.dropFirst(3).starts(with: marker.utf8) {
                line = line.dropFirst(3)
            }
            guard line.starts(with: marker.utf8) else {
                chunk.data.append(line)
                continue
            }
            guard let wait = Self.duration(line.dropFirst(marker.utf8.count)) else {
                throw NetworkError(
                    .mock,
                    "Fixture \(name.debugDescription): line \(number) is a pacing mark without a time such as "
                        + "250ms or 1.5s")
            }
            if !chunk.data.isEmpty {
                chunks.append(chunk)
                chunk = MockResponse.Chunk(wait: .zero, data: Data())
            }
            chunk.wait += wait
            isPaced = true
        }
        guard isPaced else { return nil }
        if !chunk.data.isEmpty || chunk.wait > .zero { chunks.append(chunk) }
        self.chunks = chunks
    }

    /// The content without its marks.
    package var content: Data { chunks.reduce(into: Data()) { $0.append($1.data) } }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func marker(of name: String) -> String? {
        switch FileNameExtension.of(name)?.lowercased() {
        case "sse": ": wait "
        case "ndjson", "jsonl": "# wait "
        default: nil
        }
    }

    /// `250ms`, `1.5s`, with white space and a line end around it.
    private static func duration(_ bytes: Data) -> Duration? {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        let trimmed = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        let text = String(decoding: trimmed, as: UTF8.self)
        let isMilliseconds = text.hasSuffix("ms")
        guard isMilliseconds || text.hasSuffix("s"), let number = Double(text.dropLast(isMilliseconds ? 2 : 1)),
            (0...1e9).contains(number)
        else { return nil }
        return .milliseconds(isMilliseconds ? number : number * 1000)
    }
}
