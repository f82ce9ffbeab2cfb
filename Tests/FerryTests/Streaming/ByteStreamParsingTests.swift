import Ferry
import FerryTesting
import XCTest

final class ByteStreamParsingTests: XCTestCase {
    private struct Item: Codable, Equatable, Sendable { var n: Int }

    func testLIN05_aCutStreamThrowsAfterTheRecordsThatCame() async throws {
        let row = try ConformanceCase.load("LIN-05", area: "ndjson")
        let source = ScriptedSource(
            [try XCTUnwrap(row.input["body"].string)], failure: NetworkError(.connectionLost, "cut"))
        let result = await collect(ByteStream(source).jsonLines(as: Item.self))
        XCTAssertEqual(result.elements, row.expected["yields"].array.map { Item(n: $0["n"].int ?? 0) })
        XCTAssertEqual(result.error?.kind, .connectionLost)
    }

    func testCut_givesNoHalfElement() async {
        let failure = NetworkError(.connectionLost, "cut")
        func cut(_ text: String) -> ByteStream { ByteStream(ScriptedSource([text], failure: failure)) }
        let lines = await collect(cut("a\nhal").lines())
        XCTAssertEqual(lines.elements, ["a"])
        XCTAssertEqual(lines.error?.kind, .connectionLost)
        let records = await collect(cut("{\"n\":1}\n{\"n\":2").jsonLines(as: Item.self))
        XCTAssertEqual(records.elements, [Item(n: 1)])
        XCTAssertEqual(records.error?.kind, .connectionLost)
        let events = await collect(cut("data: a\n\ndata: b\n").serverSentEvents())
        XCTAssertEqual(events.elements.map(\.data), ["a"])
        XCTAssertEqual(events.error?.kind, .connectionLost)
        let elements = await collect(cut("{\"items\":[{\"n\":1},{").jsonArray(as: Item.self, keyPath: "items"))
        XCTAssertEqual(elements.elements, [Item(n: 1)])
        XCTAssertEqual(elements.error?.kind, .connectionLost)
        let bytes = await collect(cut("ab").bytes)
        XCTAssertEqual(bytes.elements, [0x61, 0x62])
        XCTAssertEqual(bytes.error?.kind, .connectionLost)
    }

    func testElements_comeBeforeTheNextChunkIsAskedFor() async throws {
        let source = ScriptedSource(["a\nb", "\nc\n", "d\n"])
        var iterator = ByteStream(source).lines().makeAsyncIterator()
        let first = try await iterator.next()
        XCTAssertEqual(first, "a")
        XCTAssertEqual(source.remaining, 2)
        let second = try await iterator.next()
        let third = try await iterator.next()
        XCTAssertEqual([second, third], ["b", "c"])
        XCTAssertEqual(source.remaining, 1)
    }

    func testBreak_cancelsTheTransfer() async throws {
        let source = ScriptedSource(Array(repeating: "data: a\n\n", count: 10))
        for try await _ in ByteStream(source).serverSentEvents() { break }
        XCTAssertTrue(source.isCancelled)
        let lines = ScriptedSource(Array(repeating: "a\n", count: 10))
        for try await _ in ByteStream(lines).lines() { break }
        XCTAssertTrue(lines.isCancelled)
        XCTAssertEqual(lines.remaining, 9)
    }

    func testIterator_isFinishedAfterAnError() async throws {
        var iterator = ByteStream([Data("{\"n\":1}\nx\n{\"n\":3}\n".utf8)]).jsonLines(as: Item.self).makeAsyncIterator()
        _ = try await iterator.next()
        do {
            _ = try await iterator.next()
            XCTFail("no error")
        } catch {
            XCTAssertEqual(error.kind, .decoding)
        }
        let after = try await iterator.next()
        XCTAssertNil(after)
    }

    func testStream_isReadOnce() async {
        let stream = ByteStream([Data("a\n".utf8)])
        _ = await collect(stream.lines())
        let second = await collect(stream.lines())
        XCTAssertEqual(second.error?.kind, .streamConsumed)
    }

    func testCancel_throwsCancelled() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let lines = await collect(ByteStream([Data("a\n".utf8)]).lines())
            let events = await collect(ByteStream([Data("data: a\n\n".utf8)]).serverSentEvents())
            return [lines.error?.kind, events.error?.kind]
        }
        let kinds = await task.value
        XCTAssertEqual(kinds, [.cancelled, .cancelled])
    }

    func testBytes_giveEachByte() async {
        let result = await collect(ByteStream([Data([1, 2]), Data([3])]).bytes)
        XCTAssertEqual(result.elements, [1, 2, 3])
        XCTAssertNil(result.error)
    }

    func testDecode_endsAtTheSentinelAndLetsGo() async throws {
        let source = ScriptedSource([
            "data: {\"n\":1}\n\n: ping\n\ndata: {\"n\":2}\n\ndata: [DONE]\n\ndata: x\n\n", "more",
        ])
        let values = ByteStream(source).serverSentEvents().decode(as: Item.self, until: "[DONE]")
        let result = await collect(values)
        XCTAssertEqual(result.elements, [Item(n: 1), Item(n: 2)])
        XCTAssertNil(result.error)
        XCTAssertEqual(source.remaining, 1)
    }

    func testDecode_namesTheEventThatIsNoValue() async {
        let stream = ByteStream([Data("data: {\"n\":1}\n\ndata: {\"n\":\"x\"}\n\n".utf8)])
        let result = await collect(stream.serverSentEvents().decode(as: Item.self))
        XCTAssertEqual(result.elements, [Item(n: 1)])
        XCTAssertEqual(result.error?.kind, .decoding)
        XCTAssertEqual(result.error?.codingPath, "[1].n")
    }
}

final class ServerSentEventsTests: XCTestCase {
    private func response(_ status: Int, _ type: String, _ body: ByteStream) -> HTTPResponse {
        var head = HTTPResponse.Head(status: HTTPStatus(status), url: URL(filePath: "/"))
        head.headers["Content-Type"] = type
        return HTTPResponse(head: head, body: .stream(body))
    }

    func testRefusedResponse_isThrownWithItsBody() async {
        let answer = response(429, "application/json", ByteStream([Data("{\"e\":".utf8), Data("\"slow\"}".utf8)]))
        let events = ServerSentEvents(reconnection: .standard) { _ throws(NetworkError) in answer }
        let result = await collect(events)
        XCTAssertEqual(result.elements, [])
        XCTAssertEqual(result.error?.status, .tooManyRequests)
        XCTAssertEqual(result.error?.body, Data("{\"e\":\"slow\"}".utf8))
    }

    func testRefusedBody_isBounded() async {
        let chunks = Array(repeating: Data(repeating: 0x61, count: 20_000), count: 10)
        let answer = response(200, "text/html", ByteStream(chunks))
        let result = await collect(ServerSentEvents { _ throws(NetworkError) in answer })
        XCTAssertEqual(result.error?.kind, .contentType)
        XCTAssertEqual(result.error?.body?.count, NetworkError.bodyLimit)
        XCTAssertEqual(result.error?.isBodyTruncated, true)
    }

    func testCancel_duringTheWaitThrowsCancelled() async {
        let clock = ManualClock()
        let events = ServerSentEvents(reconnection: .standard, clock: clock) { _ throws(NetworkError) in
            throw NetworkError(.offline, "no network")
        }
        let task = Task { await collect(events) }
        await clock.waitForSleepers()
        task.cancel()
        let result = await task.value
        XCTAssertEqual(result.error?.kind, .cancelled)
    }

    func testSequence_iteratedTwiceIsTwoSessions() async {
        let events = ServerSentEvents { _ throws(NetworkError) in
            var head = HTTPResponse.Head(status: .ok, url: URL(filePath: "/"))
            head.headers["Content-Type"] = "text/event-stream"
            return HTTPResponse(head: head, body: .data(Data("data: a\n\n".utf8)))
        }
        for _ in 0..<2 {
            let result = await collect(events)
            XCTAssertEqual(result.elements.map(\.data), ["a"])
            XCTAssertNil(result.error)
        }
    }
}
