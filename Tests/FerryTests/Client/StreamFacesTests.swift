import Ferry
import FerryTesting
import Foundation
import XCTest

/// The client's lazily connecting sequences, on real sockets.
final class StreamFacesTests: ClientTestCase {
    private let call = NetworkCall(.get, "/s")

    private struct Number: Codable, Equatable, Sendable {
        var n: Int
    }

    func testSequences_connectWithTheFirstNext() async throws {
        server.on(.get, "/s", .text("a\nb"))
        let client = client()
        var lines = client.lines(call).makeAsyncIterator()
        XCTAssertEqual(server.acceptedConnections, 0)
        let first = try await lines.next()
        XCTAssertEqual(first, "a")
        XCTAssertEqual(server.requestCount, 1)
    }

    func testSequences_giveWhatTheContentHolds() async throws {
        let client = client()
        server.on(.get, "/s", .chunked([#"{"n":1}"#, "\n\n{\"n\"", ":2}"]))
        let records = await collect(client.jsonLines(call, as: Number.self))
        XCTAssertEqual(records.elements, [Number(n: 1), Number(n: 2)])
        let lines = await collect(client.lines(call))
        XCTAssertEqual(lines.elements, [#"{"n":1}"#, "", #"{"n":2}"#])
        let bytes = await collect(client.bytes(call))
        XCTAssertEqual(bytes.elements.count, 16)
        server.on(.get, "/s", .json(#"{"data": {"items": [{"n": 1}, {"n": 2}]}}"#))
        let elements = await collect(client.jsonArray(call, as: Number.self, keyPath: "data.items"))
        XCTAssertEqual(elements.elements, [Number(n: 1), Number(n: 2)])
        XCTAssertNil(elements.error)
    }

    func testSTR03_everySequenceThrowsAnErrorStatusWithItsBody() async throws {
        let row = try ConformanceCase.load("STR-03", area: "streams")
        let response = row.input["response"]
        let status = HTTPStatus(try XCTUnwrap(response["status"].int))
        let body = try XCTUnwrap(response["body"].string)
        server.on(.get, "/s", .json(body, status: status).header("Retry-After", "1"))
        let client = client()
        let failures = [
            await collect(client.chunks(call)).error, await collect(client.bytes(call)).error,
            await collect(client.lines(call)).error, await collect(client.jsonLines(call, as: Number.self)).error,
            await collect(client.jsonArray(call, as: Number.self)).error,
            await collect(client.serverSentEvents(call)).error,
        ]
        for error in failures {
            XCTAssertEqual(error?.status, status)
            XCTAssertEqual(error?.body.map { String(decoding: $0, as: UTF8.self) }, body)
            XCTAssertEqual(error?.response?.headers["Retry-After"], "1")
        }
    }

    func testLIN05_aCutStreamThrowsAfterWhatArrived() async throws {
        let row = try ConformanceCase.load("LIN-05", area: "ndjson")
        let length = try XCTUnwrap(row.input["headers"]["Content-Length"].string)
        let body = try XCTUnwrap(row.input["body"].string)
        server.on(.get, "/s", .raw("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n\(body)"))
        let (elements, error) = await collect(client().jsonLines(call, as: Number.self))
        XCTAssertEqual(elements.map { Double($0.n) }, row.expected["yields"].array.compactMap { $0["n"].number })
        XCTAssertEqual(error?.kind, .connectionLost)
    }

    // MARK: Leaving

    func testSTR01_leavingTheLoopClosesTheConnectionWithinASecond() async throws {
        let isClosed = Gate()
        server.on(
            .get, "/s",
            .stream { writer in
                defer { isClosed.open() }
                while true {
                    try await writer.write(Data(count: 1024))
                    try await Task.sleep(for: .milliseconds(10))  // The pace of the row's server.
                }
            })
        var chunks = 0
        for try await _ in client().chunks(call) {
            chunks += 1
            if chunks == 3 { break }
        }
        let end = await within(.seconds(1), "the connection") {
            await isClosed.wait()
            return "closed"
        }
        XCTAssertEqual(end, "closed")
    }

    func testSequences_endWithTheirTask() async throws {
        server.on(.get, "/s", .stream { await $0.waitForDisconnect() })
        let client = client()
        let call = call
        let reader = Task { await collect(client.lines(call)) }
        await server.waitForRequests(1)
        reader.cancel()
        let result = await reader.value
        XCTAssertEqual(result.error?.kind, .cancelled)
        await server.waitForConnectionsClosed()
    }

    func testSTR04_aSlowConsumerDoesNotMakeTheClientHoldTheContent() async throws {
        // A small variant: no end of bytes at a consumer that takes three chunks, with 64 KiB of memory and 1 MiB of
        // overflow.
        server.on(.get, "/s", .stream { writer in while true { try await writer.write(Data(count: 1 << 16)) } })
        let limits = Limits(streamMemory: 1 << 16, streamOverflow: 1 << 20)
        var iterator = client().chunks(call.limits(limits)).makeAsyncIterator()
        for _ in 1...3 { _ = try await iterator.next() }
        // URLSession cannot stop a server: what is beyond both bounds ends the transfer, and never grows.
        await server.waitForConnectionsClosed()
        var error: NetworkError?
        do throws(NetworkError) {
            while try await iterator.next() != nil {}
        } catch let thrown {
            error = thrown
        }
        XCTAssertEqual(error?.kind, .bodyTooLarge)
    }

    // MARK: Server-sent events

    private func events(_ text: String, contentType: MediaType? = .eventStream) -> LoopbackResponse {
        .chunked([text], contentType: contentType)
    }

    /// What a row writes with escapes, as it goes over the wire.
    private func wire(_ text: String) -> String {
        text.replacing("<close>", with: "").replacing("\\n", with: "\n")
    }

    func testSSE15_reconnectsWithTheLastID() async throws {
        let row = try ConformanceCase.load("SSE-15", area: "sse")
        let bodies = row.input["connections"].strings
        server.script(
            .get, "/s",
            bodies.map { $0 == "<204>" ? .status(204) : events(wire($0)) })
        let clock = ManualClock(advancesItself: true)
        let client = client {
            $0.clock = clock
            $0.timeouts = Timeouts(idle: nil)
        }
        let (elements, error) = await collect(client.serverSentEvents(call))
        XCTAssertNil(error)
        XCTAssertEqual(elements.map(\.data), row.expected["events"].strings)
        let ids = row.expected["Last-Event-ID_headers"].array.map(\.string)
        XCTAssertEqual(server.requests.map { $0.headers["Last-Event-ID"] }, ids)
        let wait = Duration.milliseconds(try XCTUnwrap(row.expected["wait_before_reconnect_ms"].int))
        XCTAssertEqual(clock.requestedSleeps, [wait, wait])
    }

    func testEvents_firstIDAmongTheFieldsDoesNotComeBack() async throws {
        let resetting = events("retry: 1\nid\ndata: x\n\n")
        server.script(.get, "/s", [events("retry: 1\ndata: x\n\n"), resetting, .status(204)])
        _ = await collect(client().serverSentEvents(call.header("last-event-id", "7")))
        XCTAssertEqual(server.requests.map { $0.headers["Last-Event-ID"] }, ["7", "7", nil])
    }

    func testEvents_idThatNoFieldCanCarryIsLeftOut() async throws {
        server.script(
            .get, "/s",
            [
                events("retry: 1\nid: a\u{1}b\ndata: x\n\n"), events("retry: 1\nid: é… 1\ndata: y\n\n"),
                .status(204),
            ])
        let (elements, error) = await collect(client().serverSentEvents(call))
        XCTAssertNil(error)
        XCTAssertEqual(elements.map(\.id), ["a\u{1}b", "é… 1"])
        XCTAssertEqual(server.requests.map { $0.headers["Last-Event-ID"] }, [nil, nil, "é… 1"])
    }

    func testJSONArray_readsAKeyPathAsCallsDo() async throws {
        server.on(.get, "/s", .json(#"{"a.b":{"":[[7],[8]]}}"#))
        let (elements, error) = await collect(client().jsonArray(call, as: Int.self, keyPath: #"a\.b.\e.1"#))
        XCTAssertEqual(elements, [8])
        XCTAssertNil(error)
        let requests = server.requestCount
        for path in ["a..b", "a.", #"a\x"#] {
            let (_, error) = await collect(client().jsonArray(call, as: Int.self, keyPath: path))
            XCTAssertEqual(error?.kind, .invalidRequest, path)
        }
        XCTAssertEqual(server.requestCount, requests)
    }

    func testJSONArray_withoutContentIsAnEmptyBody() async throws {
        server.on(.get, "/s", .status(204))
        let (elements, error) = await collect(client().jsonArray(call, as: Int.self))
        XCTAssertEqual(elements, [])
        XCTAssertEqual(error?.kind, .emptyBody)
    }

    func testEvents_askForWhatTheyNeed() async throws {
        server.on(.get, "/s", .status(204))
        let client = client { $0.headers["Accept"] = "application/json" }
        _ = await collect(client.serverSentEvents(call))
        _ = await collect(client.serverSentEvents(call.header("Accept", "text/event-stream, */*;q=0.1")))
        XCTAssertEqual(
            server.requests.map { $0.headers["Accept"] }, ["text/event-stream", "text/event-stream, */*;q=0.1"])
        XCTAssertEqual(server.requests.map { $0.headers["Cache-Control"] }, ["no-store", "no-store"])
    }

    /// What ends a stream behind its head is an error with that head's status, 200.
    func testEvents_reconnectAfterACutAndAfterSilence() async throws {
        let whole = "retry: 1\nid: 1\ndata: x\n\n"
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 999\r\n\r\n"
        for end in [LoopbackResponse.Ending.close, .keepOpen] {
            server.script(.get, "/s", [.raw(head + whole + "data: half", then: end), .status(204)])
            let before = server.requestCount
            let client = client { $0.timeouts = Timeouts(idle: .milliseconds(200)) }
            let (elements, error) = await collect(client.serverSentEvents(call))
            XCTAssertNil(error)
            XCTAssertEqual(elements.map(\.data), ["x"])
            XCTAssertEqual(server.requests.dropFirst(before).map { $0.headers["Last-Event-ID"] }, [nil, "1"])
        }
    }

    func testEvents_reconnectForGETAlone() async throws {
        server.on(.post, "/s", events("id: 1\ndata: x\n\n"))
        let (elements, error) = await collect(client().serverSentEvents(NetworkCall(.post, "/s")))
        XCTAssertEqual(elements.map(\.data), ["x"])
        XCTAssertNil(error)
        XCTAssertEqual(server.requestCount, 1)
    }

    func testEvents_ofAnotherContentTypeAreAnError() async throws {
        for type in [MediaType.json, nil] {
            server.on(.get, "/s", events(#"{"e": 1}"#, contentType: type))
            let (elements, error) = await collect(client { $0.contentTypes = .json }.serverSentEvents(call))
            XCTAssertEqual(elements, [])
            XCTAssertEqual(error?.kind, .contentType)
            XCTAssertEqual(error?.body.map { String(decoding: $0, as: UTF8.self) }, #"{"e": 1}"#)
        }
    }

    func testEvents_retryEachConnectionAsThePolicySays() async throws {
        server.script(.get, "/s", [.status(503), events("data: x\n\n"), .status(503), .status(204)])
        let clock = ManualClock(advancesItself: true)
        let client = client {
            $0.clock = clock
            $0.timeouts = Timeouts(idle: nil)
            $0.retry = .constant(.seconds(1), maxRetries: 1)
        }
        let (elements, error) = await collect(client.serverSentEvents(call))
        XCTAssertNil(error)
        XCTAssertEqual(elements.map(\.data), ["x"])
        XCTAssertEqual(clock.requestedSleeps, [.seconds(1), .seconds(3), .seconds(1)])
    }

    func testEvents_areDecodedUpToTheSentinel() async throws {
        let isClosed = Gate()
        server.on(
            .get, "/s",
            .stream(contentType: .eventStream) { writer in
                try await writer.write(
                    "data: {\"n\":1}\n\ndata: {\"n\":\ndata: 2}\n\ndata: [DONE]\n\ndata: {\"n\":3}\n\n")
                await writer.waitForDisconnect()
                isClosed.open()
            })
        let values = await collect(client().serverSentEvents(call, as: Number.self, until: "[DONE]"))
        XCTAssertEqual(values.elements, [Number(n: 1), Number(n: 2)])
        XCTAssertNil(values.error)
        await isClosed.wait()
    }

    func testEvents_comeWhileTheServerStillSends() async throws {
        let isFirstSeen = Gate()
        server.on(
            .get, "/s",
            .stream(contentType: .eventStream) { writer in
                try await writer.write("data: first\n\n")
                // Not sent before the client has the first: had it to wait for the end, nothing would ever come.
                await isFirstSeen.wait()
                try await writer.write("data: last\n\n")
            })
        var seen: [String] = []
        for try await event in client().serverSentEvents(call, reconnection: nil) {
            seen.append(event.data)
            isFirstSeen.open()
        }
        XCTAssertEqual(seen, ["first", "last"])
    }

    func testEvents_breakingOutClosesTheConnection() async throws {
        let isClosed = Gate()
        server.on(
            .get, "/s",
            .stream(contentType: .eventStream) { writer in
                try await writer.write("data: first\n\n")
                await writer.waitForDisconnect()
                isClosed.open()
            })
        for try await _ in client().serverSentEvents(call) { break }
        let end = await within(.seconds(1), "the connection") {
            await isClosed.wait()
            return "closed"
        }
        XCTAssertEqual(end, "closed")
    }
}
