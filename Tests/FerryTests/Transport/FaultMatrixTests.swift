import Ferry
import FerryTesting
import Foundation
import XCTest

/// Each fault on each operation: the right error or a right retry, never a hang and never short data as success.
///
/// What comes out is also a table of `Docs/FaultMatrix.md`, which this test compares with what it saw. To write the table
/// anew: `FERRY_UPDATE_DOCS=1 swift test --filter FaultMatrix`.
class FaultMatrixTests: XCTestCase {
    /// Names the transport in the docs.
    class var name: String { "URLSession" }
    class func makeTransport() throws -> any Transport { URLSessionTransport() }
    class var impossible: [String: String] { TransportConformanceTests.impossible }
    /// What this transport makes of a fault in another way than `Fault.expected` says, for a request with a response body.
    class var expected: [String: Set<String>] { [:] }

    /// What a server does wrong, and what each operation must make of it.
    struct Fault {
        let name: String
        /// Prepares the path for one response; nil: the port is closed.
        let response: (@Sendable (LoopbackRequest) -> LoopbackResponse)?
        let connection: LoopbackServer.ConnectionAction
        /// What a GET gives: `ok` with the content, or an error's kind.
        let expected: Set<String>
        /// The same for HEAD, which has no body that could break.
        let head: Set<String>
        let needs: String?
        /// Whether every answer is wrong, also after a retry.
        let repeats: Bool

        init(
            _ name: String, _ expected: Set<String>, head: Set<String>? = nil, needs: String? = nil,
            repeats: Bool = false,
            connection: LoopbackServer.ConnectionAction = .serve,
            _ response: (@Sendable (LoopbackRequest) -> LoopbackResponse)?
        ) {
            self.name = name
            self.response = response
            self.connection = connection
            self.expected = expected
            self.head = head ?? expected
            self.needs = needs
            self.repeats = repeats
        }

        /// This fault where a transport makes something else of it.
        func expecting(_ expected: Set<String>?) -> Fault {
            guard let expected else { return self }
            return Fault(name, expected, head: head, needs: needs, repeats: repeats, connection: connection, response)
        }
    }

    enum Operation: String, CaseIterable {
        case get = "GET"
        case stream = "GET, streamed"
        case post = "POST"
        case head = "HEAD"
        case getRetried = "GET, one retry"
        case postRetried = "POST, one retry"
    }

    private static let content = "0123456789abcdefghij"

    static let faults: [Fault] = [
        Fault("none", ["ok"]) { _ in .text(content) },
        Fault("connection refused", ["cannotConnect"], nil),
        Fault("closed on accept", ["connectionLost"], connection: .close) { _ in .text(content) },
        // Whether the reset comes while connecting or after it is up to the system's scheduler.
        Fault("reset on accept", ["cannotConnect", "connectionLost"], connection: .reset) { _ in .text(content) },
        Fault("closed without a byte", ["connectionLost"]) { _ in .closed },
        Fault("reset without a byte", ["connectionLost"]) { _ in .reset },
        Fault("only 103, then closed", ["connectionLost"]) { _ in .raw("HTTP/1.1 103 Early Hints\r\n\r\n") },
        Fault("stalled before the head", ["timeout"]) { _ in .stalled },
        Fault("stalled in the body", ["timeout"], head: ["ok"]) { _ in
            .unframed("0123", headers: ["Content-Length": "20"], then: .keepOpen)
        },
        Fault("reset in the head", ["connectionLost"]) { _ in .text(content).cut(after: 20, then: .reset) },
        Fault("reset in the body", ["connectionLost"], head: ["ok"]) { _ in
            .text(content).claiming(contentLength: 100).then(.reset)
        },
        Fault("a byte at a time", ["ok"]) { _ in .text(content).trickled() },
        Fault("100 and 103 before the head", ["ok"]) { _ in .text(content).preceded(by: 100).preceded(by: 103) },
        Fault("Content-Length too long", ["connectionLost"], head: ["ok"]) { _ in
            .text(content).claiming(contentLength: 21)
        },
        Fault("Content-Length too short", ["short"], head: ["ok"]) { _ in .text(content).claiming(contentLength: 19) },
        Fault("two Content-Length that differ", ["malformedResponse"], head: ["ok"]) { _ in
            .unframed(content, headers: ["Content-Length": "20", "Content-Length": "21"])
        },
        Fault("two Content-Length that differ, also in spelling", ["connectionLost"], head: ["ok"]) { _ in
            .conflictingLengths(content)
        },
        Fault("Content-Length that is no number", ["malformedResponse"], head: ["ok", "malformedResponse"]) { _ in
            .unframed(content, headers: ["Content-Length": "twenty"])
        },
        Fault("negative Content-Length", ["malformedResponse"], head: ["ok", "malformedResponse"]) { _ in
            .unframed(content, headers: ["Content-Length": "-1"])
        },
        Fault("chunk size that is no number", ["malformedResponse"], head: ["ok"]) { _ in .badChunkSize },
        Fault("last chunk missing", ["connectionLost"], head: ["ok"]) { _ in .missingLastChunk(["0123", "4567"]) },
        Fault("closed inside a chunk", ["connectionLost"], head: ["ok"]) { _ in
            .unframed("a\r\n0123", headers: ["Transfer-Encoding": "chunked"])
        },
        Fault("gzip cut on the way", ["connectionLost"], head: ["ok"]) { _ in
            .gzip(Data(content.utf8), keeping: 20).claiming(contentLength: 43)
        },
        Fault("gzip cut by the server", ["malformedResponse"], head: ["ok"], needs: "truncated gzip") { _ in
            .gzip(Data(content.utf8), keeping: 20)
        },
        Fault("gzip that is none", ["malformedResponse"], head: ["ok"]) { _ in
            .text(content).header("Content-Encoding", "gzip")
        },
        Fault("unknown content coding", ["malformedResponse"], head: ["ok"]) { _ in
            .text(content).header("Content-Encoding", "x-unknown")
        },
        Fault("garbage instead of a head", ["malformedResponse"]) { _ in .garbage },
        Fault("head of 400 kB", ["headTooLarge"]) { _ in
            .raw("HTTP/1.1 200 OK\r\nX-Big: \(String(repeating: "a", count: 400_000))\r\n\r\n")
        },
        Fault("redirect loop", ["redirect"], repeats: true) { .redirectLoop($0) },
        Fault("chunked with trailers", ["ok"], needs: "trailers") { _ in .chunked([content], trailers: ["X-Sum": "1"])
        },
        Fault("closed inside the head", ["connectionLost"], needs: "close in the head") { _ in
            .text(content).cut(after: 20)
        },
        Fault(
            "Content-Length of 2^63 - 1", ["bodyTooLarge", "connectionLost"], head: ["ok"],
            needs: "largest Content-Length"
        ) { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: \(Int64.max)\r\n\r\nabc") },
        Fault("gzip cut, no length", ["malformedResponse"], head: ["ok"], needs: "truncated gzip") { _ in
            .raw(gzipWithoutLength)
        },
    ]

    private static let gzipWithoutLength: Data = {
        Data("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8) + Gzip.stored(Data(content.utf8)).prefix(20)
    }()

    func testFaultMatrix_holdsAndIsWhatTheDocsSay() async throws {
        var rows: [[String]] = []
        for fault in Self.faults {
            let fault = fault.expecting(Self.expected[fault.name])
            let reason = fault.needs.flatMap { Self.impossible[$0] }
            var row = [fault.name + (reason.map { " (not over \(Self.name) on Linux: \($0))" } ?? "")]
            for operation in Operation.allCases {
                guard reason == nil else {
                    row.append("—")
                    continue
                }
                let result = await within(.seconds(30), "\(fault.name), \(operation.rawValue)") {
                    try await Self.run(fault, operation, over: try Self.makeTransport())
                }
                let allowed = Self.allowed(fault, operation)
                XCTAssertTrue(allowed.contains(result), "\(fault.name), \(operation.rawValue): \(result)")
                row.append(
                    allowed.count > 1 && allowed.contains(result) ? allowed.sorted().joined(separator: " or ") : result)
            }
            rows.append(row)
        }
        try compareWithDocs(rows)
    }

    /// Every offset of short responses: before the end of the body an error, and the whole only at the end.
    func testClosing_atEveryByteOffset() async throws {
        let gzip = Gzip.stored(Data("0123456789".utf8))
        let responses: [(name: String, head: String, body: Data)] = [
            ("content-length", "Content-Length: 10", Data("0123456789".utf8)),
            ("chunked", "Transfer-Encoding: chunked", Data("5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n".utf8)),
            ("gzip", "Content-Encoding: gzip\r\nContent-Length: \(gzip.count)", gzip),
        ]
        let server = try await LoopbackServer.start()
        let transport = try Self.makeTransport()
        let client = NetworkClient(baseURL: server.baseURL) { $0.transport = transport }
        for (name, fields, body) in responses {
            let head = Data("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n".utf8)
            let wire = head + body
            for offset in 0...wire.count {
                let isInHead = offset > 0 && offset < head.count
                if isInHead, Self.impossible["close in the head"] != nil { continue }
                server.on(.get, "/cut", .raw(wire.prefix(offset)))
                for streamed in [false, true] {
                    let result = await within(.seconds(30), "\(name) cut after \(offset)") {
                        await Self.content(client, "/cut", streamed: streamed)
                    }
                    if offset == wire.count {
                        XCTAssertEqual(result, "0123456789", "\(name) whole")
                    } else if name == "chunked", offset >= wire.count - 2, result == "0123456789" {
                        // The last chunk has come, so the content is complete; only the end of the trailers is missing.
                    } else {
                        XCTAssertTrue(
                            ["connectionLost", "malformedResponse"].contains(result),
                            "\(name) cut after \(offset): \(result)")
                    }
                }
            }
        }
        transport.shutdown()
        await server.stop()
    }

    // MARK: Support

    private static func allowed(_ fault: Fault, _ operation: Operation) -> Set<String> {
        let isFine = fault.expected == ["ok"] || fault.expected == ["short"]
        switch operation {
        case .get, .stream, .post: return fault.expected
        case .head: return fault.head
        case .getRetried:
            // What may pass by itself is repeated, and the second answer is right.
            let passing: Set<String> = ["cannotConnect", "connectionLost", "timeout"]
            return isFine || !fault.expected.isSubset(of: passing) ? fault.expected : ["ok, second attempt"]
        case .postRetried:
            // A POST that may have been processed is not repeated; one that never reached the server is.
            guard fault.expected.contains("cannotConnect") else { return fault.expected }
            return fault.expected.subtracting(["cannotConnect"]).union(["ok, second attempt"])
        }
    }

    private static func run(
        _ fault: Fault, _ operation: Operation, over base: any Transport
    ) async throws -> String {
        let server = try await LoopbackServer.start()
        let isRetried = operation == .getRetried || operation == .postRetried
        let seen = Collected<Int>()
        server.fallback { request in
            seen.add(1)
            let isSound = isRetried && !fault.repeats && (seen.all.count > 1 || fault.connection != .serve)
            return isSound ? .text(content) : fault.response?(request) ?? .text(content)
        }
        server.onConnect { number in number == 1 || !isRetried ? fault.connection : .serve }
        let refusals = fault.response != nil ? 0 : isRetried ? 1 : .max
        let transport = RefusedTransport(base, refusals: refusals)
        let client = NetworkClient(baseURL: server.baseURL) {
            $0.transport = transport
            $0.retry = isRetried ? .constant(.zero, maxRetries: 1) : .never
            $0.timeouts.idle = fault.expected == ["timeout"] ? .milliseconds(300) : .seconds(20)
        }
        let result = await outcome(of: operation, client)
        transport.shutdown()
        await server.stop()
        return result
    }

    private static func outcome(of operation: Operation, _ client: NetworkClient) async -> String {
        let call =
            switch operation {
            case .get, .stream, .getRetried: NetworkCall(.get, "/fault")
            case .post, .postRetried: NetworkCall(.post, "/fault", body: .data(Data(repeating: 7, count: 1000)))
            case .head: NetworkCall(.head, "/fault")
            }
        do throws(NetworkError) {
            switch operation {
            case .head:
                _ = try await client.response(call, as: Nothing.self)
                return "ok"
            case .stream:
                return judged(
                    String(decoding: try await client.stream(call).body.collect(), as: UTF8.self), attempts: 1)
            default:
                let response = try await client.response(call, as: String.self)
                return judged(response.value, attempts: response.attempts.count)
            }
        } catch {
            return error.kind.rawValue
        }
    }

    private static func judged(_ text: String, attempts: Int) -> String {
        if text == content { return attempts > 1 ? "ok, second attempt" : "ok" }
        return text == content.dropLast() ? "short" : "wrong content: \(text)"
    }

    private static func content(_ client: NetworkClient, _ path: String, streamed: Bool) async -> String {
        do throws(NetworkError) {
            let call = NetworkCall(.get, path)
            guard streamed else { return try await client.string(call) }
            return String(decoding: try await client.stream(call).body.collect(), as: UTF8.self)
        } catch {
            return error.kind.rawValue
        }
    }

    private func compareWithDocs(_ rows: [[String]]) throws {
        var lines = ["| fault | " + Operation.allCases.map(\.rawValue).joined(separator: " | ") + " |"]
        lines.append("|" + String(repeating: "---|", count: Operation.allCases.count + 1))
        for row in rows { lines.append("| " + row.joined(separator: " | ") + " |") }
        let table = lines.joined(separator: "\n")
        let file = Repository.root.appending(path: "Docs/FaultMatrix.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let begin = "<!-- \(Self.name): begin -->\n"
        let end = "\n<!-- \(Self.name): end -->"
        let start = try XCTUnwrap(text.range(of: begin)).upperBound
        let stop = try XCTUnwrap(text.range(of: end)).lowerBound
        if ProcessInfo.processInfo.environment["FERRY_UPDATE_DOCS"] != nil {
            try Data((text[..<start] + table + text[stop...]).utf8).write(to: file)
        } else {
            #if canImport(FoundationNetworking)
                XCTAssertEqual(String(text[start..<stop]), table, "Docs/FaultMatrix.md is not what was seen")
            #endif
        }
    }
}

/// Sends the first attempts to a closed port: real sockets are what the matrix is about, and no mock has any.
private struct RefusedTransport: Transport {
    let base: any Transport
    let refusals: Int
    private let attempts = Collected<Int>()

    init(_ base: any Transport, refusals: Int) {
        self.base = base
        self.refusals = refusals
    }

    var enforcesTimeouts: Bool { base.enforcesTimeouts }

    func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        attempts.add(1)
        var request = request
        if attempts.all.count <= refusals, let closed = URL(string: "http://127.0.0.1:1/") { request.url = closed }
        return try await base.send(request, context: context)
    }

    func shutdown() { base.shutdown() }
}
