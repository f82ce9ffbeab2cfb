import Foundation

/// Finds lines in bytes that come in pieces.
///
/// ```
///   bytes  [ consumed | line being read | not scanned yet ]
///                     start             lineFeed.scanned, carriageReturn scanned
/// ```
///
/// Every byte is copied once into the buffer and scanned once for each kind of line end (`memchr`, which uses vector
/// instructions), whatever the chunks: positions of fruitless scans are remembered, and consumed bytes are dropped only
/// when they are at least half of the buffer, which makes the moves linear in all.
struct LineBuffer: Sendable {
    /// What ends a line.
    enum Ending: Sendable {
        /// LF, CRLF or a lone CR.
        case any
        /// LF alone; a CR is content.
        case lineFeed
    }

    private let ending: Ending
    private var bytes: [UInt8] = []
    /// First byte of the line being read.
    private var start = 0
    /// No LF lies in `start ..< lineFeedScanned`; where `hasLineFeed` is set, one lies just there.
    private var lineFeedScanned = 0
    private var hasLineFeed = false
    /// No CR lies in `start ..< carriageReturnScanned`.
    private var carriageReturnScanned = 0
    /// A CR ended the last line and the buffer ended after it: an LF that comes next belongs to it.
    private var skipsLineFeed = false
    /// Whether a byte order mark can still come.
    private var isAtStart = true
    private var isComplete = false

    init(ending: Ending) { self.ending = ending }

    mutating func append(_ new: some ContiguousBytes) {
        guard !isComplete else { return }
        dropConsumed()
        new.withUnsafeBytes { raw in
            raw.withMemoryRebound(to: UInt8.self) { bytes.append(contentsOf: $0) }
        }
    }

    /// Says that no more bytes come: `tail()` may be asked for.
    mutating func finish() { isComplete = true }

    /// Lets go of everything.
    mutating func close() {
        isComplete = true
        bytes = []
        start = 0
        lineFeedScanned = 0
        hasLineFeed = false
        carriageReturnScanned = 0
    }

    /// Bytes of the line that has not ended yet. Exact after `nextLine()` gave nil.
    var pendingCount: Int { bytes.count - start }

    /// The next line that has ended, as a range to be read with `withBytes`; nil when there is none.
    mutating func nextLine() -> Range<Int>? {
        if isAtStart, !passByteOrderMark() { return nil }
        let count = bytes.count
        if skipsLineFeed, start < count {
            skipsLineFeed = false
            if bytes[start] == UInt8(ascii: "\n") { begin(at: start + 1) }
        }
        if !hasLineFeed {
            let from = max(lineFeedScanned, start)
            let found = find(UInt8(ascii: "\n"), in: from..<count)
            hasLineFeed = found != nil
            lineFeedScanned = found ?? count
        }
        if ending == .any {
            let from = max(carriageReturnScanned, start)
            if let found = find(UInt8(ascii: "\r"), in: from..<lineFeedScanned) {
                let line = start..<found
                if found + 1 == count {
                    skipsLineFeed = true
                    begin(at: count)
                } else {
                    begin(at: bytes[found + 1] == UInt8(ascii: "\n") ? found + 2 : found + 1)
                }
                return line
            }
            carriageReturnScanned = lineFeedScanned
        }
        guard hasLineFeed else { return nil }
        let line = start..<lineFeedScanned
        begin(at: lineFeedScanned + 1)
        return line
    }

    /// The last line where it has no line end: what is left once the input is complete.
    mutating func tail() -> Range<Int>? {
        guard isComplete, start < bytes.count else { return nil }
        let line = start..<bytes.count
        begin(at: bytes.count)
        return line
    }

    /// Reads a line that `nextLine` or `tail` gave, before anything is appended.
    func withBytes<Result>(_ line: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[line])) }
    }

    private mutating func begin(at index: Int) {
        start = index
        if index > lineFeedScanned || hasLineFeed && index == lineFeedScanned + 1 { hasLineFeed = false }
    }

    private func find(_ byte: UInt8, in range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        return bytes.withUnsafeBytes { raw -> Int? in
            guard let base = raw.baseAddress,
                let found = memchr(base + range.lowerBound, Int32(byte), range.count)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// Removes U+FEFF from the very start (Encoding Standard, UTF-8 decode); false while it takes more bytes to tell.
    private mutating func passByteOrderMark() -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let head = bytes.prefix(3)
        if head.elementsEqual(mark.prefix(head.count)), head.count < 3, !isComplete { return false }
        isAtStart = false
        if head.elementsEqual(mark) { begin(at: 3) }
        return true
    }

    private mutating func dropConsumed() {
        guard start > 0, start >= bytes.count / 2 else { return }
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: true)
        } else {
            bytes.removeSubrange(..<start)
        }
        lineFeedScanned = max(lineFeedScanned - start, 0)
        carriageReturnScanned = max(carriageReturnScanned - start, 0)
        start = 0
    }
}

extension LineBuffer: CustomReflectable {
    /// Nothing of what it has read: content may be secret.
    var customMirror: Mirror { Mirror(self, children: ["input": "not shown"]) }
}
