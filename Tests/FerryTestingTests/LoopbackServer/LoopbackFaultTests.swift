import Ferry
import FerryTesting
import Foundation
import XCTest

final class LoopbackFaultTests: XCTestCase {
    private let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    /// What a client reads that sends one GET and reads to the end.
    private func wire(_ response: LoopbackResponse) async throws -> (text: String, isReset: Bool) {
        try await withServer { server in
            server.on(.get, "/", response)
            let client = try RawClient(port: server.port)
            try client.send(get)
            let (data, isReset) = try client.readToEnd()
            return (String(decoding: data, as: UTF8.self), isReset)
        }
    }

    func testEndings_areOnTheWireAsNamed() async throws {
        let length = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: "
        let head = "HTTP/1.1 200 OK\r\n"
        let rows: [(String, LoopbackResponse, String, Bool)] = [
            ("closed", .closed, "", false),
            ("reset", .reset, "", true),
            ("garbage", .garbage, "\u{1}\u{2}garbage, not HTTP\r\n\r\n", false),
            ("raw", .raw("abc", then: .reset), "abc", true),
            ("close after", .text("abc").then(.close), length + "3\r\n\r\nabc", false),
            ("reset in head", .text("abc").cut(after: 10, then: .reset), "HTTP/1.1 2", true),
            ("longer", .text("abc").claiming(contentLength: 5), length + "5\r\n\r\nabc", false),
            ("shorter", .text("abc").claiming(contentLength: 1), length + "1\r\n\r\nabc", false),
            (
                "bad chunk", .badChunkSize,
                head + "Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\nxyz\r\nsecond\r\n0\r\n\r\n", false
            ),
            (
                "no last chunk", .missingLastChunk(["one", "two"]),
                head + "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n", false
            ),
            (
                "two lengths", .conflictingLengths("ab"), head + "Content-Length: 2\r\ncontent-length: 3\r\n\r\nab",
                false
            ),
            (
                "no length", .unframed("to the end", headers: ["Connection": "close"]),
                head + "Connection: close\r\n\r\nto the end", false
            ),
            (
                "1xx", .status(204).preceded(by: 100).preceded(by: 103, headers: ["Link": "<a>"]).then(.close),
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
                false
            ),
            (
                "trailers", .chunked(["a", "", "bc"], trailers: ["T": "v"], contentType: nil).then(.close),
                head + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\nT: v\r\n\r\n", false
            ),
        ]
        for (name, response, text, isReset) in rows {
            let got = try await wire(response)
            XCTAssertEqual(got.text, text, name)
            XCTAssertEqual(got.isReset, isReset, name)
            let trickled = try await wire(response.trickled(2))
            XCTAssertEqual(trickled.text, text, "\(name), trickled")
            XCTAssertEqual(trickled.isReset, isReset, "\(name), trickled")
        }
    }

    func testCut_atEveryByte() async throws {
        try await withServer { server in
            let streamed = LoopbackResponse.stream { writer in
                try await writer.write("one")
                try await writer.write("two")
            }
            for response in [LoopbackResponse.text("hello"), .chunked(["one", "two"]), streamed] {
                server.on(.get, "/", response.then(.close))
                let client = try RawClient(port: server.port)
                try client.send(get)
                let whole = try client.readAll()
                XCTAssertGreaterThan(whole.count, 50)
                for count in 0...whole.count {
                    server.on(.get, "/", response.cut(after: count))
                    let client = try RawClient(port: server.port)
                    try client.send(get)
                    XCTAssertEqual(try client.readAll(), whole.prefix(count), "cut after \(count)")
                }
            }
        }
    }

    func testStall_staysSilentUntilTheClientLeaves() async throws {
        try await withServer { server in
            server.on(.get, "/", .stalled)
            var client: RawClient? = try RawClient(port: server.port)
            try client?.send(get)
            await server.waitForRequests(1)
            XCTAssertEqual(server.openConnections, 1)
            client = nil
            await server.waitForConnectionsClosed()
            XCTAssertEqual(server.openConnections, 0)
        }
    }

    func testStall_endsWhenTheServerStops() async throws {
        let server = try await LoopbackServer.start()
        server.on(.get, "/", .stalled)
        let client = try RawClient(port: server.port)
        try client.send(get)
        await server.waitForRequests(1)
        await server.stop()
        XCTAssertEqual(try client.readAll(), Data())
    }

    func testHugeHead_hasAtLeastTheSizeAskedFor() async throws {
        let text = try await wire(.hugeHead(byteCount: 300_000).then(.close)).text
        XCTAssertGreaterThan(text.utf8.count, 300_000)
        XCTAssertTrue(text.hasSuffix("\r\n\r\nok"))
    }

    func testCutGzip_sendsOnlyTheBytesKept() async throws {
        let content = Data("content".utf8)
        try await withServer { server in
            server.on(.get, "/whole", .gzip(content))
            server.on(.get, "/cut", .gzip(content, keeping: 12))
            let client = try RawClient(port: server.port)
            let whole = try client.get("/whole")
            XCTAssertEqual(whole.headers["content-encoding"], "gzip")
            XCTAssertEqual(whole.body, Gzip.stored(content))
            XCTAssertEqual(try client.get("/cut").body, Gzip.stored(content).prefix(12))
        }
    }

    func testRedirectLoop_sendsTheClientToItsOwnTarget() async throws {
        try await withServer { server in
            server.on(.get, "/**") { .redirectLoop($0, status: .temporaryRedirect) }
            let response = try RawClient(port: server.port).get("/a?b=1")
            XCTAssertEqual(response.status, 307)
            XCTAssertEqual(response.headers["location"], "/a?b=1")
        }
    }

    func testDelay_waitsOnTheClock() async throws {
        try await withServer { server in
            let clock = ManualClock()
            server.on(.get, "/", .text("late").delayed(by: .seconds(60), on: clock))
            let client = try RawClient(port: server.port)
            try client.send(get)
            await clock.waitForSleepers()
            clock.advance(by: .seconds(60))
            XCTAssertEqual(try client.readResponse().text, "late")
            XCTAssertEqual(clock.requestedSleeps, [.seconds(60)])
            XCTAssertEqual(try client.get("/nope").status, 404, "the connection is kept")
        }
    }

    func testTrickle_waitsForItsPacing() async throws {
        try await withServer { server in
            let first = Gate()
            server.on(.get, "/", .raw("abcdef", then: .close).trickled(4) { await first.wait() })
            let client = try RawClient(port: server.port)
            try client.send(get)
            XCTAssertEqual(try client.read(exactly: 4), Data("abcd".utf8))
            first.open()
            XCTAssertEqual(try client.readAll(), Data("ef".utf8))
        }
    }

    func testOnConnect_decidesOverEachConnection() async throws {
        try await withServer { server in
            server.on(.get, "/", .text("ok"))
            server.onConnect { number in [.close, .reset, .ignore, .serve][number - 1] }
            XCTAssertEqual(try RawClient(port: server.port).readToEnd().isReset, false)
            let reset = try? RawClient(port: server.port).readToEnd()
            XCTAssertEqual(reset?.isReset ?? true, true)
            await server.waitForConnections(2)
            let ignored = try RawClient(port: server.port)
            try ignored.send(get)
            XCTAssertEqual(try RawClient(port: server.port).get("/").text, "ok")
            XCTAssertEqual(server.requests.count, 1)
            await server.stop()
            _ = try ignored.readToEnd()
        }
    }
}
