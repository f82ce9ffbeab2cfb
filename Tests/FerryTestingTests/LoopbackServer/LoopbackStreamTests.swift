import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

final class LoopbackStreamTests: XCTestCase {
    private let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    func testStream_isPacedByTheTest() async throws {
        try await withServer { server in
            let gate = Gate()
            server.on(
                .get, "/",
                .stream(contentLength: 11) { writer in
                    try await writer.write("first")
                    await gate.wait()
                    try await writer.write("second")
                })
            let client = try RawClient(port: server.port)
            try client.send(get)
            let head = try client.read(until: "\r\n\r\n")
            XCTAssertTrue(head.contains("Content-Length: 11\r\n"))
            XCTAssertEqual(try client.read(exactly: 5), Data("first".utf8))
            gate.open()
            XCTAssertEqual(try client.read(exactly: 6), Data("second".utf8))
            XCTAssertEqual(try client.get("/none").status, 404, "the connection is kept")
        }
    }

    func testStream_withoutLengthIsChunkedAndForHTTP10EndsWithTheConnection() async throws {
        try await withServer { server in
            server.on(
                .get, "/",
                .stream { writer in
                    try await writer.write("one")
                    try await writer.write("two")
                    XCTAssertEqual(writer.byteCount, 6)
                })
            let client = try RawClient(port: server.port)
            let response = try client.get("/")
            XCTAssertEqual(response.headers["transfer-encoding"], "chunked")
            XCTAssertEqual(response.text, "onetwo")
            let old = try RawClient(port: server.port)
            try old.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let oldResponse = try old.readResponse()
            XCTAssertNil(oldResponse.headers["transfer-encoding"])
            XCTAssertEqual(oldResponse.headers["connection"], "close")
            XCTAssertEqual(oldResponse.text, "onetwo")
        }
    }

    func testStream_thatThrowsOrIsShortClosesTheConnection() async throws {
        try await withServer { server in
            server.on(
                .get, "/throws",
                .stream { writer in
                    try await writer.write("one")
                    throw CancellationError()
                })
            server.on(.get, "/short", .stream(contentLength: 9) { writer in try await writer.write("one") })
            for (path, tail) in [("/throws", "\r\n\r\n3\r\none\r\n"), ("/short", "\r\n\r\none")] {
                let client = try RawClient(port: server.port)
                try client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                let text = String(decoding: try client.readAll(), as: UTF8.self)
                XCTAssertTrue(text.hasSuffix(tail), text)
            }
        }
    }

    func testFile_isSentWholeAndAMissingOneIs500() async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString)")
        let content = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try content.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try await withServer { server in
            server.on(.get, "/file", .file(url))
            server.on(.get, "/missing", .file(url.appendingPathExtension("missing")))
            let client = try RawClient(port: server.port)
            let response = try client.get("/file")
            XCTAssertEqual(response.headers["content-length"], "700000")
            XCTAssertEqual(response.body, content)
            XCTAssertEqual(try client.request("HEAD", "/file").headers["content-length"], "700000")
            XCTAssertEqual(try client.get("/missing").status, 500)
            server.on(.get, "/folder", .file(url.deletingLastPathComponent()))
            XCTAssertEqual(try client.get("/folder").status, 500)
        }
    }

    func testWriter_throwsWhenTheClientHasGone() async throws {
        try await withServer { server in
            let result = Mutex<NetworkError.Kind?>(nil)
            let finished = Gate()
            server.on(
                .get, "/",
                .stream { writer in
                    defer { finished.open() }
                    do throws(NetworkError) {
                        try await writer.write("one")
                        await writer.waitForDisconnect()
                        XCTAssertFalse(writer.isClientConnected)
                        try await writer.write("two")
                    } catch {
                        result.withLock { $0 = error.kind }
                        throw error
                    }
                })
            var client: RawClient? = try RawClient(port: server.port)
            try client?.send(get)
            _ = try client?.read(until: "one")
            client = nil
            await finished.wait()
            XCTAssertEqual(result.withLock { $0 }, .connectionLost)
            await server.waitForConnectionsClosed()
        }
    }

    func testHandler_seesTheClientLeaveAndIsCancelled() async throws {
        try await withServer { server in
            let started = Gate()
            let seen = Gate()
            let never = Gate()
            server.on(.get, "/") { request in
                XCTAssertTrue(request.isClientConnected)
                started.open()
                await never.wait()
                XCTAssertTrue(Task.isCancelled)
                await request.waitForDisconnect()
                XCTAssertFalse(request.isClientConnected)
                seen.open()
                return .text("nobody reads this")
            }
            var client: RawClient? = try RawClient(port: server.port)
            try client?.send(get)
            await started.wait()
            client = nil
            await seen.wait()
            await server.waitForConnectionsClosed()
        }
    }

    func testWriter_waitsForASlowClient() async throws {
        // The client reads nothing while the writer would write 64 MiB: it must come to a stand long before.
        try await withServer { server in
            let written = Mutex(0)
            server.on(
                .get, "/",
                .stream(contentLength: 64 << 20) { writer in
                    let piece = Data(count: 1 << 20)
                    for _ in 0..<64 {
                        try await writer.write(piece)
                        written.withLock { $0 += piece.count }
                    }
                })
            let client = try RawClient(port: server.port)
            try client.send(get)
            _ = try client.read(until: "\r\n\r\n")
            // Turns of the server in which an unchecked writer would have come far.
            server.on(.get, "/turn") { _ in .status(200) }
            let other = try RawClient(port: server.port)
            for _ in 0..<300 { _ = try other.get("/turn") }
            XCTAssertLessThan(written.withLock { $0 }, 32 << 20)
            var rest = 64 << 20
            while rest > 0 { rest -= try client.readSome(1 << 20).count }
            XCTAssertEqual(rest, 0)
            XCTAssertEqual(try client.get("/none").status, 404)
        }
    }

    func testStreamingUpload_isReadPieceByPiece() async throws {
        try await withServer(requestLimit: 1024) { server in
            server.onStreaming(.post, "/upload") { request, body in
                var count = 0
                for try await piece in body { count += piece.count }
                return .text("\(count) of \(request.framing)")
            }
            let client = try RawClient(port: server.port)
            let piece = Data(count: 1 << 20)
            try client.send("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: \(32 << 20)\r\n\r\n")
            for _ in 0..<32 { try client.send(piece) }
            XCTAssertEqual(try client.readResponse().text, "33554432 of contentLength(33554432)")
            let chunked = try client.request(
                "POST", "/upload", headers: "Transfer-Encoding: chunked\r\n", body: "2\r\nab\r\n0\r\n\r\n")
            XCTAssertEqual(chunked.text, "2 of chunked")
        }
    }

    func testStreamingUpload_answersExpectWhenItReads() async throws {
        try await withServer { server in
            server.onStreaming(.put, "/take") { _, body in .text("\(try await body.drain())") }
            server.onStreaming(.put, "/refuse") { _, _ in .status(417) }
            let head = { (path: String) in
                "PUT \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
            }
            let client = try RawClient(port: server.port)
            try client.send(head("/take"))
            XCTAssertEqual(try client.readResponse().status, 100)
            try client.send("abc")
            XCTAssertEqual(try client.readResponse().text, "3")
            try client.send(head("/refuse"))
            XCTAssertEqual(try client.readResponse().status, 417)
            XCTAssertEqual(try client.readAll(), Data())
        }
    }

    func testStreamingUpload_thatIsCutThrows() async throws {
        try await withServer { server in
            let kind = Mutex<NetworkError.Kind?>(nil)
            let done = Gate()
            server.onStreaming(.post, "/") { _, body in
                defer { done.open() }
                do throws(NetworkError) {
                    try await body.drain()
                } catch {
                    kind.withLock { $0 = error.kind }
                }
                return .status(200)
            }
            var client: RawClient? = try RawClient(port: server.port)
            try client?.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
            await server.waitForRequests(1)
            client = nil
            await done.wait()
            XCTAssertEqual(kind.withLock { $0 }, .connectionLost)
            XCTAssertEqual(server.rejections, ["Connection 1: the client left within a request"])
        }
    }

    func testStreamingUpload_answeredEarlyStillReachesAClientThatSendsOn() async throws {
        try await withServer { server in
            server.onStreaming(.post, "/") { _, _ in .text("enough", status: 413) }
            let client = try RawClient(port: server.port)
            try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(8 << 20)\r\n\r\n")
            let sender = Thread {
                for _ in 0..<8 { try? client.send(Data(count: 1 << 20)) }
                client.endSending()
            }
            sender.start()
            let response = try client.readResponse()
            XCTAssertEqual(response.text, "enough")
            XCTAssertEqual(response.headers["connection"], "close")
            await server.waitForConnectionsClosed()
        }
    }
}
