import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// The log tells what happened, without secrets, and is silent unless asked.
final class CallLoggerTests: ClientTestCase {
    func testLOG01_namesFieldsAndHidesTheirValues() async throws {
        let row = try ConformanceCase.load("LOG-01", area: "logging")
        let answer = try XCTUnwrap(row.input["response_headers"]["set-cookie"].string)
        server.on(.get, "/p", .status(200, headers: ["set-cookie": answer]))
        let entries = Entries()
        let client = client { $0.logger = CallLogger(level: .trace, bodyLimit: 1_000, sink: entries.sink) }
        var call = NetworkCall(.get, "/p")
        for (name, value) in row.input["headers"].object { call.headers[name] = value.string }
        _ = try await client.data(call)
        XCTAssertEqual(row.expected["log_contains_s3cr3t"].bool, false)
        XCTAssertFalse(entries.text.contains("s3cr3t"), entries.text)
        for name in row.expected["log_contains_names"].strings {
            XCTAssertTrue(entries.text.lowercased().contains(name), entries.text)
        }
        XCTAssertTrue(entries.text.lowercased().contains("set-cookie: redacted"), entries.text)
    }

    func testLevels_chooseWhatIsWritten() async throws {
        let expected: [LogLevel: [String]] = [
            .error: [], .warning: ["attempt repeated"], .info: ["attempt repeated", "call finished"],
            .debug: [
                "attempt started", "head received", "attempt repeated", "attempt started", "head received",
                "call finished",
            ],
        ]
        for (level, messages) in expected {
            let entries = Entries()
            server.script(.get, "/p", [.status(503), .status(200)])
            let client = client {
                $0.retry = .constant(.zero, maxRetries: 1)
                $0.logger = CallLogger(level: level, sink: entries.sink)
            }
            _ = try await client.data(NetworkCall(.get, "/p"))
            XCTAssertEqual(entries.all.map(\.message), messages, "\(level)")
        }
    }

    func testFailure_isAnErrorAndCancellationIsNot() async {
        let entries = Entries()
        server.on(.get, "/p", .status(404))
        let client = client { $0.logger = CallLogger(sink: entries.sink) }
        _ = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/p")) }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try? await client.data(NetworkCall(.get, "/p"))
        }
        await task.value
        XCTAssertEqual(entries.all.map(\.level), [.error, .info])
        XCTAssertEqual(entries.all.map(\.message), ["call failed", "call failed"])
    }

    /// A log is read by lines, and on terminals: what a server sends must not look like an entry, nor steer either.
    func testContent_cannotForgeEntries() async throws {
        server.on(.get, "/p", .text("a\ninfo: call finished call=#1\r\u{1B}[2J\u{2028}b\u{202E}c\tä"))
        let entries = Entries()
        let client = client { $0.logger = CallLogger(bodyLimit: 1_000, sink: entries.sink) }
        _ = try await client.data(NetworkCall(.get, "/p"))
        let lines = entries.text.split(separator: "\n")
        XCTAssertEqual(lines.count, 2, entries.text)
        XCTAssertTrue(
            lines[1].hasPrefix("  info: call finished call=#1\\u{D}\\u{1B}[2J\\u{2028}b\\u{202E}c\tä"), entries.text)
    }

    /// Also content without a space, which stands without quotes.
    func testWords_cannotSteerATerminal() async throws {
        server.on(.get, "/p", .text("a\u{9B}2J\u{202E}b"))
        let entries = Entries()
        let client = client { $0.logger = CallLogger(bodyLimit: 1_000, sink: entries.sink) }
        _ = try await client.data(NetworkCall(.get, "/p"))
        XCTAssertTrue(entries.text.hasSuffix(#"response="a\u{9B}2J\u{202E}b""#), entries.text)
    }

    /// What it costs where nobody listens: no event is made, and what an event would need is not looked at.
    func testNobodyListens_noEventIsMade() async throws {
        server.fallback { _ in .text("abc") }
        for (isListening, configure) in [
            (false, { _ in }), (false, { $0.logHandler = { _ in } }), (false, { $0.errorHandler = { _ in } }),
            (true, { $0.eventMonitors = [ActivityCounter()] }),
            (true, { $0.logger = CallLogger(sink: LogSink { _ in }) }),
        ] as [(Bool, (inout NetworkClient.Configuration) -> Void)] {
            let probe = EmitProbe()
            let client = client {
                configure(&$0)
                $0.interceptors = [probe]
            }
            _ = try await client.data(NetworkCall(.get, "/p"))
            _ = try await client.string(NetworkCall(.post, "/p", body: .text("a")))
            let stream = try await client.stream(NetworkCall(.get, "/p"))
            for try await _ in stream.body {}
            XCTAssertEqual(probe.counts, isListening ? [3, 3] : [3, 0])
        }
        // A reader of all events counts from the moment it is there.
        let probe = EmitProbe()
        let client = client { $0.interceptors = [probe] }
        _ = try await client.data(NetworkCall(.get, "/p"))
        let events = client.allEvents()
        _ = try await client.data(NetworkCall(.get, "/p"))
        XCTAssertEqual(probe.counts, [2, 1])
        await client.shutdown()
        for await _ in events {}
    }

    func testBodies_areWrittenOnlyWhenAskedBoundedAndIndented() async throws {
        server.on(.post, "/p", .json(#"{"n":1.50,"token":"s3cr3t","list":[],"text":"a\"{b"}"#))
        for limit in [nil, 20, 1_000] {
            let entries = Entries()
            let client = client { $0.logger = CallLogger(bodyLimit: limit, sink: entries.sink) }
            _ = try await client.data(NetworkCall(.post, "/p", body: .json(["password": "s3cr3t"])))
            let fields = try XCTUnwrap(entries.all.first).metadata
            XCTAssertFalse(entries.text.contains("s3cr3t"), entries.text)
            let response = fields.first { $0.name == "response" }?.value
            switch limit {
            case nil: XCTAssertNil(response)
            case 20:
                XCTAssertEqual(response, "{\n  \"n\": 1.50,\n  \"token\": \"REDACTED\"… (52 bytes in all)")
            default:
                XCTAssertEqual(
                    response,
                    "{\n  \"n\": 1.50,\n  \"token\": \"REDACTED\",\n  \"list\": [],\n  \"text\": \"a\\\"{b\"\n}")
                XCTAssertEqual(fields.first { $0.name == "request" }?.value, "{\n  \"password\": \"REDACTED\"\n}")
            }
        }
    }
}

/// Log entries, collected.
final class Entries: Sendable {
    /// Guards the entries: they come on any thread.
    private let entries = Mutex<[LogEntry]>([])

    var all: [LogEntry] { entries.withLock { $0 } }
    var text: String { all.map { "\($0)" }.joined(separator: "\n") }
    var sink: LogSink { LogSink { [self] entry in entries.withLock { $0.append(entry) } } }
}

/// Emits an event for each attempt, and counts how many were made.
private final class EmitProbe: Interceptor {
    /// Guards attempts and events: calls may run at once.
    private let state = Mutex([0, 0])

    /// Attempts, and events that were made.
    var counts: [Int] { state.withLock { $0 } }

    private func made() -> CallEvent {
        state.withLock { $0[1] += 1 }
        return .cacheHit
    }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws(NetworkError) -> HTTPResponse
    {
        state.withLock { $0[0] += 1 }
        context.emit(made())
        return try await next(request)
    }
}
