import Ferry
import Foundation

/// How a response answers one request: its head in bytes, and what may follow.
struct ResponsePlan {
    /// What of the request a response depends on.
    struct Context: Hashable, Sendable {
        var isHead: Bool
        var minorVersion: Int
        var wantsKeepAlive: Bool
    }

    enum Framing: Hashable {
        /// The body's bytes as they are.
        case identity
        /// In chunked coding.
        case chunked
        /// No body is sent.
        case none
    }

    let head: Data
    let framing: Framing
    /// Whether the connection carries another request afterwards.
    let keepsAlive: Bool

    /// Plans the answer.
    ///
    /// - Parameter length: The body's length, or nil where it is not known before.
    init(_ response: LoopbackResponse, length: Int?, _ context: Context) {
        let headers = response.headers
        let hasOwnLength = headers.contains("Content-Length")
        let hasOwnCoding = headers.contains("Transfer-Encoding")
        let asksToClose = headers["Connection"].map { FieldSyntax.equalIgnoringCase($0, "close") } ?? false
        var keepsAlive = context.wantsKeepAlive && response.ending == nil && !asksToClose
        var lines = headers.fields

        if case .unframed = response.body {
            framing = context.isHead ? .none : .identity
        } else if context.isHead || response.status.forbidsBody {
            framing = .none
        } else if length == nil, !hasOwnLength, context.minorVersion == 1 {
            framing = .chunked
        } else {
            framing = .identity
            if length == nil, !hasOwnLength { keepsAlive = false }
        }

        if case .unframed = response.body {
        } else if !hasOwnLength, !hasOwnCoding, !response.status.forbidsBody {
            if let length {
                lines.append(HTTPHeaders.Field(name: "Content-Length", value: String(length)))
            } else if context.minorVersion == 1 {
                lines.append(HTTPHeaders.Field(name: "Transfer-Encoding", value: "chunked"))
            }
        }
        if response.ending == nil, !headers.contains("Connection") {
            if !keepsAlive {
                lines.append(HTTPHeaders.Field(name: "Connection", value: "close"))
            } else if context.minorVersion == 0 {
                lines.append(HTTPHeaders.Field(name: "Connection", value: "keep-alive"))
            }
        }
        self.keepsAlive = keepsAlive
        head = Self.head(status: response.status, reason: response.reason, lines)
    }

    /// A status line, field lines and the empty line.
    static func head(status: HTTPStatus, reason: String?, _ lines: [HTTPHeaders.Field]) -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: "HTTP/1.1 ".utf8)
        bytes.append(contentsOf: String(status.code).utf8)
        bytes.append(Byte.space)
        append(reason ?? status.reasonPhrase, to: &bytes)
        bytes.append(Byte.cr)
        bytes.append(Byte.lf)
        append(lines, to: &bytes)
        return Data(bytes)
    }

    static func append(_ lines: [HTTPHeaders.Field], to bytes: inout [UInt8]) {
        for line in lines {
            append(line.name, to: &bytes)
            bytes.append(Byte.colon)
            bytes.append(Byte.space)
            append(line.value, to: &bytes)
            bytes.append(Byte.cr)
            bytes.append(Byte.lf)
        }
        bytes.append(Byte.cr)
        bytes.append(Byte.lf)
    }

    /// Text without what would end its line: a route that echoes what it was sent must not split its response
    /// (RFC 9110 §5.5). Other malformed text goes out as it is, and bytes at will by `.raw`.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(
            contentsOf: text.utf8.lazy.map { $0 == Byte.cr || $0 == Byte.lf || $0 == 0 ? Byte.space : $0 })
    }

    /// The informational responses before the final one; HTTP/1.0 knows none (RFC 9110 §15.2).
    static func interimHeads(_ response: LoopbackResponse, _ context: Context) -> Data {
        guard context.minorVersion == 1 else { return Data() }
        return response.interim.reduce(into: Data()) {
            $0.append(head(status: $1.status, reason: nil, $1.headers.fields))
        }
    }

    /// One chunk (RFC 9112 §7.1); an empty piece would be the last chunk, so it gives nothing.
    static func chunk(_ piece: Data) -> Data {
        guard !piece.isEmpty else { return Data() }
        var bytes = Data()
        bytes.reserveCapacity(piece.count + 12)
        bytes.append(contentsOf: (String(piece.count, radix: 16) + "\r\n").utf8)
        bytes.append(piece)
        bytes.append(Byte.cr)
        bytes.append(Byte.lf)
        return bytes
    }

    /// The last chunk with its trailers.
    static func lastChunk(_ trailers: HTTPHeaders) -> Data {
        var bytes: [UInt8] = [UInt8(ascii: "0"), Byte.cr, Byte.lf]
        append(trailers.fields, to: &bytes)
        return Data(bytes)
    }
}

/// A response that needs no task: all its bytes, and what happens then.
struct ImmediateAnswer: Sendable {
    var pieces: [Data]
    /// What happens to the connection; nil keeps it.
    var ending: LoopbackResponse.Ending?
    /// Whether the end was announced, so that the request's rest may be drained.
    var keepsAlive: Bool

    init(_ response: LoopbackResponse, _ context: ResponsePlan.Context) {
        ending = response.ending
        keepsAlive = false
        pieces = []
        switch response.body {
        case .raw(let bytes):
            pieces = [bytes]
        case .data(let data), .unframed(let data):
            let plan = ResponsePlan(response, length: data.count, context)
            keepsAlive = plan.keepsAlive
            pieces = [plan.head]
            if plan.framing != .none { add(data) }
        case .chunks(let chunks, let trailers):
            let plan = ResponsePlan(response, length: nil, context)
            keepsAlive = plan.keepsAlive
            pieces = [plan.head]
            switch plan.framing {
            case .none: break
            case .identity: chunks.forEach { add($0) }
            case .chunked:
                chunks.forEach { add(ResponsePlan.chunk($0)) }
                add(ResponsePlan.lastChunk(trailers))
            }
        case .file, .stream:
            preconditionFailure("A \(response.body) needs a task")
        }
        if !response.interim.isEmpty { pieces.insert(ResponsePlan.interimHeads(response, context), at: 0) }
        if let limit = response.limit { cut(to: limit) }
    }

    /// Small pieces join, so that they leave in one system call.
    private mutating func add(_ data: Data) {
        if let last = pieces.last, last.count + data.count <= 16 * 1024 {
            pieces[pieces.count - 1].append(data)
        } else {
            pieces.append(data)
        }
    }

    private mutating func cut(to limit: Int) {
        var rest = limit
        pieces = pieces.compactMap { piece in
            let kept = piece.prefix(rest)
            rest -= kept.count
            return kept.isEmpty ? nil : kept
        }
    }
}
