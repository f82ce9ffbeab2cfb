import Ferry
import Foundation
import XCTest

@testable import FerryTesting

final class LoopbackServerTests: XCTestCase {
    func testCanned_isAnsweredAndRecorded() async throws {
        try await withServer { server in
            server.on(.get, "/x", .json(#"{"a":1}"#))
            let client = try RawClient(port: server.port)
            let response = try client.request("GET", "/x?b=1&c=%20d", headers: "X-Custom-CASE: v\r\n")
            XCTAssertEqual(response.statusLine, "HTTP/1.1 200 OK")
            XCTAssertEqual(response.headers, ["content-type": "application/json", "content-length": "7"])
            XCTAssertEqual(response.text, #"{"a":1}"#)
            let request = try XCTUnwrap(server.requests.first)
            XCTAssertEqual(request.method, .get)
            XCTAssertEqual(request.target, "/x?b=1&c=%20d")
            XCTAssertEqual(request.path, "/x")
            XCTAssertEqual(request.query, "b=1&c=%20d")
            XCTAssertEqual(request.queryItems.map(\.value), ["1", " d"])
            XCTAssertEqual(request.headers.fields.map(\.name), ["Host", "X-Custom-CASE"])
            XCTAssertEqual(request.framing, .none)
            XCTAssertEqual(request.connection, 1)
            XCTAssertEqual(server.acceptedConnections, 1)
            XCTAssertEqual(server.openConnections, 1)
        }
    }

    func testHandler_seesPathParametersAndBody() async throws {
        try await withServer { server in
            server.on(.post, "/users/{id}") { request in
                .text("\(request.pathParameters["id"] ?? "") \(request.text)", status: 201)
            }
            let client = try RawClient(port: server.port)
            let first = try client.request("POST", "/users/a%2Fb", headers: "Content-Length: 5\r\n", body: "hello")
            XCTAssertEqual(first.text, "a/b hello")
            XCTAssertEqual(first.status, 201)
            let second = try client.request(
                "POST", "/users/2", headers: "transfer-ENCODING: Chunked\r\n",
                body: "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nDigest: z\r\n\r\n")
            XCTAssertEqual(second.text, "2 abcde")
            XCTAssertEqual(server.requests.map(\.framing), [.contentLength(5), .chunked])
            XCTAssertEqual(server.requests.last?.trailers["digest"], "z")
            XCTAssertEqual(server.requests.map(\.numberOnConnection), [1, 2])
        }
    }

    func testHandler_thatThrowsIsAnsweredWith500() async throws {
        try await withServer { server in
            server.on(.get, "/") { _ in throw CancellationError() }
            let response = try RawClient(port: server.port).get("/")
            XCTAssertEqual(response.status, 500)
            XCTAssertEqual(response.text, "The handler of GET / threw: CancellationError()\n")
        }
    }

    func testScript_repeatsItsLastResponse() async throws {
        try await withServer { server in
            server.script(.get, "/flaky", [.status(503), .status(503), .text("ok")])
            let client = try RawClient(port: server.port)
            let statuses = try (0..<4).map { _ in try client.get("/flaky").status }
            XCTAssertEqual(statuses, [503, 503, 200, 200])
        }
    }

    func testFallback_namesTheRequestByDefaultAndCanBeReplaced() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            let missing = try client.request("DELETE", "/nope?x=1")
            XCTAssertEqual(missing.status, 404)
            XCTAssertEqual(missing.text, "No route for DELETE /nope\n")
            server.fallback { request in .text("fell to \(request.path)") }
            XCTAssertEqual(try client.get("/a").text, "fell to /a")
        }
    }

    func testHead_isAnsweredByGetRoutesWithoutContent() async throws {
        try await withServer { server in
            server.on(.get, "/x", .text("hello"))
            server.on(.get, "/stream", .stream { writer in try await writer.write("never sent") })
            let client = try RawClient(port: server.port)
            let head = try client.request("HEAD", "/x")
            XCTAssertEqual(head.headers["content-length"], "5")
            XCTAssertEqual(try client.request("HEAD", "/stream").headers["transfer-encoding"], "chunked")
            XCTAssertEqual(try client.get("/x").text, "hello", "no byte of a body came between")
        }
    }

    func testPipelinedRequests_areAnsweredInOrder() async throws {
        try await withServer { server in
            server.on(.get, "/slow") { _ in
                await Task.yield()
                return .text("slow")
            }
            server.on(.get, "/fast", .text("fast"))
            let client = try RawClient(port: server.port)
            let get = { (path: String) in "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }
            try client.send(get("/slow") + get("/fast") + get("/slow") + get("/fast"))
            let texts = try (0..<4).map { _ in try client.readResponse().text }
            XCTAssertEqual(texts, ["slow", "fast", "slow", "fast"])
        }
    }

    func testKeepAlive_followsVersionAndConnectionOption() async throws {
        // RFC 9112 §9.3: request line and headers, the Connection line of the response, whether it closes.
        let rows: [(String, String?, Bool)] = [
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", nil, false),
            ("GET / HTTP/1.1\r\nHost: x\r\nconnection: Close\r\n\r\n", "close", true),
            ("GET / HTTP/1.0\r\n\r\n", "close", true),
            ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "keep-alive", false),
        ]
        try await withServer { server in
            server.on(.get, "/", .text("ok"))
            for (text, connection, closes) in rows {
                let client = try RawClient(port: server.port)
                try client.send(text)
                let response = try client.readResponse()
                XCTAssertEqual(response.headers["connection"], connection, text)
                if closes {
                    XCTAssertEqual(try client.readAll(), Data(), text)
                } else {
                    XCTAssertEqual(try client.get("/").text, "ok", text)
                }
            }
        }
    }

    func testExpectContinue_isAnsweredBeforeTheBody() async throws {
        try await withServer { server in
            server.on(.put, "/x") { request in .text("got \(request.body.count)") }
            let client = try RawClient(port: server.port)
            try client.send("PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
            XCTAssertEqual(try client.readResponse().statusLine, "HTTP/1.1 100 Continue")
            try client.send("abc")
            XCTAssertEqual(try client.readResponse().text, "got 3")
        }
    }

    func testRequestLimit_refusesLargerBodies() async throws {
        try await withServer(requestLimit: 10) { server in
            server.on(.post, "/", .text("ok"))
            let announced = try RawClient(port: server.port)
            try announced.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n")
            XCTAssertEqual(try announced.readResponse().status, 413)
            let chunked = try RawClient(port: server.port)
            try chunked.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n12345678901\r\n")
            XCTAssertEqual(try chunked.readResponse().status, 413)
            XCTAssertEqual(server.requests.count, 0)
            XCTAssertEqual(server.rejections.count, 2)
        }
    }

    func testMalformedRequest_isAnsweredWith400AndClosed() async throws {
        try await withServer { server in
            let client = try RawClient(port: server.port)
            try client.send("NONSENSE\r\n\r\n")
            let response = try client.readResponse()
            XCTAssertEqual(response.status, 400)
            XCTAssertEqual(response.headers["connection"], "close")
            XCTAssertEqual(try client.readAll(), Data())
            XCTAssertEqual(server.rejections, ["Connection 1: The request line has not three parts"])
        }
    }
}
