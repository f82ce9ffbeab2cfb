import Ferry
import Foundation

/// An incremental, strict parser of HTTP/1.x requests (RFC 9112).
///
/// Bytes go in at any split, events come out in order: a head, pieces of its body, an end. Bytes behind the end
/// are kept for the next request (pipelining).
///
///     head --+-- no body ----------------------------------> end
///            +-- Content-Length --> fixed ------------------> end
///            +-- chunked --> size -> data -> data end -> size
///                             +-- 0 --> trailers -----------> end
struct RequestParser {
    enum Event: Equatable {
        case head(RequestHead)
        case body(Data)
        case end(trailers: HTTPHeaders)
    }

    private enum State {
        case head
        case noBody
        case fixed(remaining: Int)
        case chunkSize
        case chunkData(remaining: Int)
        case chunkDataEnd
        case trailers
        case failed(RequestFailure)
    }

    /// Most bytes of a head, and of a trailer section. Default 64 KiB.
    let headLimit: Int

    private var state = State.head
    private var buffer: [UInt8] = []
    /// Where the bytes that were not taken yet begin.
    private var start = 0
    /// Where the search for the next LF goes on; never behind `start`.
    private var searched = 0
    /// Where the line that is being searched begins.
    private var lineStart = 0

    /// A chunk-size line is a few digits; extensions may follow, within reason.
    private static let chunkLineLimit = 4096

    init(headLimit: Int = 64 * 1024) { self.headLimit = headLimit }

    /// Bytes that were given and not taken yet.
    var bufferedCount: Int { buffer.count - start }

    /// Whether a request has begun and not ended, or bytes of one wait.
    var isIdle: Bool {
        if case .head = state { return bufferedCount == 0 }
        return false
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        compact()
        buffer.append(contentsOf: bytes)
    }

    private mutating func compact() {
        guard start > 0 else { return }
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
        } else if start > 16 * 1024 {
            buffer.removeSubrange(..<start)
        } else {
            return
        }
        searched = max(searched - start, 0)
        lineStart = max(lineStart - start, 0)
        start = 0
    }

    /// The next event, or nil where more bytes are needed.
    ///
    /// - Throws: What is wrong with the request; the parser then gives nothing but the same failure.
    mutating func next() throws(RequestFailure) -> Event? {
        do throws(RequestFailure) {
            return try advance()
        } catch {
            state = .failed(error)
            throw error
        }
    }

    private mutating func advance() throws(RequestFailure) -> Event? {
        while true {
            switch state {
            case .head:
                guard let head = try takeHead() else { return nil }
                switch head.framing {
                case .none: state = .noBody
                case .contentLength(let length): state = .fixed(remaining: length)
                case .chunked: state = .chunkSize
                }
                return .head(head)
            case .noBody, .fixed(remaining: 0):
                return end([:])
            case .fixed(let remaining):
                guard let data = take(atMost: remaining) else { return nil }
                state = .fixed(remaining: remaining - data.count)
                return .body(data)
            case .chunkSize:
                guard let line = try takeLine(limit: Self.chunkLineLimit) else { return nil }
                let size = try Self.chunkSize(buffer[line])
                state = size == 0 ? .trailers : .chunkData(remaining: size)
            case .chunkData(remaining: 0):
                state = .chunkDataEnd
            case .chunkData(let remaining):
                guard let data = take(atMost: remaining) else { return nil }
                state = .chunkData(remaining: remaining - data.count)
                return .body(data)
            case .chunkDataEnd:
                guard try takeChunkEnd() else { return nil }
                state = .chunkSize
            case .trailers:
                guard let lines = try takeSection(allowsLeadingEmptyLines: false) else { return nil }
                var trailers = HTTPHeaders()
                for line in lines { try Self.parseField(buffer[line], into: &trailers) }
                return end(trailers)
            case .failed(let failure):
                throw failure
            }
        }
    }

    private mutating func end(_ trailers: HTTPHeaders) -> Event {
        state = .head
        return .end(trailers: trailers)
    }

    // MARK: Taking bytes

    private mutating func consume(upTo index: Int) {
        start = index
        searched = index
        lineStart = index
    }

    private mutating func take(atMost limit: Int) -> Data? {
        guard start < buffer.count else { return nil }
        let end = min(buffer.count, start + limit)
        let data = buffer.withUnsafeBytes { Data($0[start..<end]) }
        consume(upTo: end)
        return data
    }

    private mutating func takeChunkEnd() throws(RequestFailure) -> Bool {
        guard start < buffer.count else { return false }
        guard buffer[start] == Byte.cr else { throw .malformed("A chunk is longer than its size") }
        guard start + 1 < buffer.count else { return false }
        guard buffer[start + 1] == Byte.lf else { throw .malformed("A chunk is longer than its size") }
        consume(upTo: start + 2)
        return true
    }

    /// The place of the next LF before `end`, remembering how far the search came.
    private mutating func findLineFeed(before end: Int) -> Int? {
        let found = buffer.withUnsafeBufferPointer { $0[searched..<max(end, searched)].firstIndex(of: Byte.lf) }
        searched = found ?? max(end, searched)
        return found
    }

    /// One line that ends in CR LF, without these.
    private mutating func takeLine(limit: Int) throws(RequestFailure) -> Range<Int>? {
        guard let feed = findLineFeed(before: min(buffer.count, start + limit)) else {
            if bufferedCount >= limit { throw .malformed("A chunk-size line is too long") }
            return nil
        }
        guard feed > start, buffer[feed - 1] == Byte.cr else { throw .malformed("A line ends in LF without CR") }
        let line = start..<(feed - 1)
        consume(upTo: feed + 1)
        return line
    }

    /// The lines before an empty line, once all are there.
    private mutating func takeSection(allowsLeadingEmptyLines: Bool) throws(RequestFailure) -> [Range<Int>]? {
        while let feed = findLineFeed(before: min(buffer.count, start + headLimit)) {
            guard feed > lineStart, buffer[feed - 1] == Byte.cr else {
                throw .malformed("A line ends in LF without CR")
            }
            searched = feed + 1
            if feed - 1 > lineStart {
                lineStart = feed + 1
                continue
            }
            if lineStart == start, allowsLeadingEmptyLines {
                // RFC 9112 §2.2: an empty line before the request line is ignored.
                consume(upTo: feed + 1)
                continue
            }
            let lines = Self.lines(of: buffer, in: start..<lineStart)
            consume(upTo: feed + 1)
            return lines
        }
        if bufferedCount >= headLimit {
            throw RequestFailure(status: 431, reason: "The head is larger than \(headLimit) bytes")
        }
        return nil
    }

    private static func lines(of buffer: [UInt8], in range: Range<Int>) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var begin = range.lowerBound
        buffer.withUnsafeBufferPointer { bytes in
            while begin < range.upperBound, let feed = bytes[begin..<range.upperBound].firstIndex(of: Byte.lf) {
                lines.append(begin..<(feed - 1))
                begin = feed + 1
            }
        }
        return lines
    }

    // MARK: Heads

    private mutating func takeHead() throws(RequestFailure) -> RequestHead? {
        guard let lines = try takeSection(allowsLeadingEmptyLines: true), let first = lines.first else { return nil }
        var head = try Self.parseRequestLine(buffer[first])
        for line in lines.dropFirst() { try Self.parseField(buffer[line], into: &head.headers) }
        try Self.checkHost(head)
        head.framing = try Self.framing(head)
        return head
    }
}

/// The bytes that delimit HTTP/1.1 messages.
enum Byte {
    static let cr = UInt8(ascii: "\r")
    static let lf = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let colon = UInt8(ascii: ":")
    static let semicolon = UInt8(ascii: ";")
}
