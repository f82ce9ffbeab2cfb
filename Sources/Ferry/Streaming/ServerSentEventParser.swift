public import Foundation

/// Parses an event stream (`text/event-stream`) to the letter of WHATWG HTML §9.2.5 and §9.2.6.
///
/// - One byte order mark at the very start is removed; LF, CRLF and a lone CR end lines, nothing else does.
/// - A block without data dispatches nothing, yet its `id` counts: see ``lastEventID``.
/// - An `id` with NUL and a `retry` that is not all ASCII digits are ignored.
/// - What is not ended by a blank line is discarded at the end of the stream.
public struct ServerSentEventParser: StreamParser {
    /// Largest event in bytes by default: 16 MiB.
    public static let defaultMaxEventSize = 16 << 20

    /// Longest reconnection time: 10¹² ms, about 31 years. Longer ones are held to it, so that no clock overflows.
    static let maxReconnectionMilliseconds: Int64 = 1_000_000_000_000

    /// The ID to send as Last-Event-ID when reconnecting; empty where the server set none, or reset it.
    ///
    /// Changes when a block ends, also one without data.
    public private(set) var lastEventID: String

    /// The reconnection time that the server set last, or nil. Changes as soon as the `retry` line was read.
    public private(set) var reconnectionTime: Duration?

    private let maxEventSize: Int
    private var buffer = LineBuffer(ending: .any)
    /// The block's only data so far, where they lie in `buffer` still: nearly every event has one line of them, and is
    /// copied once.
    private var line: Range<Int>?
    /// The block's data otherwise, each line ended by LF.
    private var data: [UInt8] = []
    private var event = ""
    private var id: String
    private var retry: Duration?

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - lastEventID: What an earlier connection ended with. The standard starts each connection's ID buffer empty;
    ///     as in browsers it starts with this here, so that an event without an ID after a reconnection does not make
    ///     the client forget its place. Default empty.
    ///   - maxEventSize: Most bytes of data in an event, and longest line; more is an error. Default 16 MiB.
    public init(lastEventID: String = "", maxEventSize: Int = ServerSentEventParser.defaultMaxEventSize) {
        self.lastEventID = lastEventID
        self.maxEventSize = maxEventSize
        id = lastEventID
    }

    /// Takes the next bytes.
    public mutating func append(_ bytes: some ContiguousBytes) {
        gatherLine()
        buffer.append(bytes)
    }

    /// Says that the stream has ended: an event without its blank line is discarded (§9.2.6).
    public mutating func finish() { buffer.finish() }

    /// The next event, or nil.
    ///
    /// - Throws: `NetworkError` of kind `bodyTooLarge` where an event's data or a line is larger than the limit.
    public mutating func next() throws(NetworkError) -> ServerSentEvent? {
        guard try readBlock() else { return nil }
        defer { clear() }
        let text = withData { String(decoding: $0, as: UTF8.self) }
        return ServerSentEvent(event: event.isEmpty ? "message" : event, data: text, id: id, retry: retry)
    }

    /// The data of the next event as they came, or nil: a decoder needs no text in between.
    mutating func nextData() throws(NetworkError) -> Data? {
        guard try readBlock() else { return nil }
        defer { clear() }
        return withData { Data($0) }
    }

    /// Reads up to the end of a block that has data; false where it takes more bytes. A block without data is nothing,
    /// but its ID is remembered all the same.
    private mutating func readBlock() throws(NetworkError) -> Bool {
        while let line = buffer.nextLine() {
            if line.isEmpty {
                lastEventID = id
                if self.line != nil || !data.isEmpty { return true }
                clear()
            } else if line.count > maxEventSize || !process(line) {
                throw tooLarge()
            }
        }
        if buffer.pendingCount > maxEventSize { throw tooLarge() }
        return false
    }

    /// The data of the block that has ended. Each line appended LF; the last LF goes.
    private func withData<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let line { return buffer.withBytes(line, body) }
        return data.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
    }

    /// Makes ready for the next block.
    private mutating func clear() {
        line = nil
        if !data.isEmpty { data.removeAll(keepingCapacity: data.capacity <= 1 << 16) }
        if !event.isEmpty { event = "" }
        retry = nil
    }

    /// Copies the block's only line out of the buffer, whose bytes may move.
    private mutating func gatherLine() {
        guard let line else { return }
        self.line = nil
        gather(line)
    }

    private mutating func gather(_ value: Range<Int>) {
        buffer.withBytes(value) { raw in
            raw.withMemoryRebound(to: UInt8.self) { data.append(contentsOf: $0) }
        }
        data.append(UInt8(ascii: "\n"))
    }

    /// Processes a line that is not empty; false where the event has become too large.
    private mutating func process(_ line: Range<Int>) -> Bool {
        let field = buffer.withBytes(line) { Field($0, offset: line.lowerBound) }
        switch field.name {
        case .data:
            gatherLine()
            // Data of exactly the limit may pass: its last LF does not count.
            guard data.count + field.value.count <= maxEventSize else { return false }
            if data.isEmpty { self.line = field.value } else { gather(field.value) }
        case .event:
            event = text(field.value)
        case .id:
            let hasNull = buffer.withBytes(field.value) { $0.contains(0) }
            if !hasNull { id = text(field.value) }
        case .retry:
            if let time = buffer.withBytes(field.value, Self.reconnectionTime) {
                reconnectionTime = time
                retry = time
            }
        case .other:
            break
        }
        return true
    }

    private func text(_ range: Range<Int>) -> String {
        buffer.withBytes(range) { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func tooLarge() -> NetworkError {
        buffer.close()
        line = nil
        data = []
        return NetworkError(.bodyTooLarge, "A server-sent event is larger than \(maxEventSize) bytes")
    }

    /// ASCII digits only, at least one (§9.2.6), in milliseconds.
    private static func reconnectionTime(_ digits: UnsafeRawBufferPointer) -> Duration? {
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in digits {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { return nil }
            value = min(value * 10 + Int64(byte - UInt8(ascii: "0")), maxReconnectionMilliseconds)
        }
        return .milliseconds(value)
    }
}

/// A line cut at its first colon: the field's name, and where its value lies without one leading space.
private struct Field {
    enum Name {
        case data, event, id, retry
        /// Unknown fields and comments (whose name is empty) are ignored.
        case other
    }

    let name: Name
    let value: Range<Int>

    init(_ line: UnsafeRawBufferPointer, offset: Int) {
        // Nearly every line: found without a search.
        if line.count >= 5, Self.matches(UnsafeRawBufferPointer(rebasing: line[..<5]), "data:") {
            name = .data
            value = (offset + (line.count > 5 && line[5] == UInt8(ascii: " ") ? 6 : 5))..<(offset + line.count)
            return
        }
        // The longest known name has five bytes: a colon further on belongs to an unknown field.
        let colon = line.prefix(6).firstIndex(of: UInt8(ascii: ":"))
        guard colon != nil || line.count <= 5 else {
            (name, value) = (.other, offset..<offset)
            return
        }
        name = Self.name(UnsafeRawBufferPointer(rebasing: line[..<(colon ?? line.count)]))
        var first = colon.map { $0 + 1 } ?? line.count
        if colon != nil, first < line.count, line[first] == UInt8(ascii: " ") { first += 1 }
        value = (offset + first)..<(offset + line.count)
    }

    private static func name(_ bytes: UnsafeRawBufferPointer) -> Name {
        switch bytes.count {
        case 2 where matches(bytes, "id"): .id
        case 4 where matches(bytes, "data"): .data
        case 5 where matches(bytes, "event"): .event
        case 5 where matches(bytes, "retry"): .retry
        default: .other
        }
    }

    private static func matches(_ bytes: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        return bytes.count == name.utf8CodeUnitCount && memcmp(base, name.utf8Start, bytes.count) == 0
    }
}

extension ServerSentEventParser: CustomReflectable {
    /// Nothing of what it has read: content may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["input": "not shown"]) }
}
