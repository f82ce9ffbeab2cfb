import Ferry
import FerryTesting
import Foundation
import XCTest

extension TransportConformanceTests {
    func testInformationalResponses_areSkipped() async throws {
        server.on(.get, "/x", .text("final").preceded(by: 100).preceded(by: 103, headers: ["Link": "</a>"]))
        let response = try await send(.get, "/x")
        let body = try await text(response)
        XCTAssertEqual(response.status, 200)
        XCTAssertEqual(body, "final")
    }

    func testStatusesWithoutContent_end() async throws {
        server.on(.get, "/204", .status(204))
        server.on(.get, "/205", .status(205))
        server.on(.get, "/304", .unframed("", headers: ["ETag": "\"v\"", "Content-Length": "10"]).status(304))
        for code in [204, 205, 304] {
            let response = try await send(.get, "/\(code)")
            let body = try await response.data()
            XCTAssertEqual(response.status.code, code)
            XCTAssertEqual(body.count, 0)
        }
    }

    func testHead_keepsContentLengthWithoutContent() async throws {
        server.on(.head, "/h", .unframed("", headers: ["Content-Length": "1234"]))
        let response = try await send(.head, "/h")
        let body = try await response.data()
        XCTAssertEqual(response.headers["Content-Length"], "1234")
        XCTAssertEqual(body.count, 0)
    }

    func testRedirects_areHandedOutAndNotFollowed() async throws {
        for code in [301, 302, 303, 307, 308] {
            server.on(nil, "/r\(code)", .text("moved").status(HTTPStatus(code)).header("Location", "/target"))
            for method: HTTPMethod in [.get, .post] {
                let response = try await send(method, "/r\(code)", body: method == .post ? .text("x") : .none)
                let body = try await text(response)
                XCTAssertEqual(response.status.code, code)
                XCTAssertEqual(response.headers["Location"], "/target")
                XCTAssertEqual(body, "moved", "\(code) \(method)")
            }
        }
        XCTAssertFalse(server.requests.contains { $0.path == "/target" })
    }

    func testRedirects_withoutAUsableLocationAreHandedOut() async throws {
        let locations: [String?] = [
            nil, "", "http://[::1", "mailto:a@b", "//", "http://", "?", "http:///x", "a b", "#f",
        ]
        for (index, location) in locations.enumerated() {
            var moved = LoopbackResponse.text("moved").status(302)
            if let location { moved = moved.header("Location", location) }
            server.on(.get, "/r\(index)", moved)
            let response = try await send(.get, "/r\(index)")
            XCTAssertEqual(response.status, 302, location ?? "none")
        }
        server.on(.get, "/300", .text("choices").status(300))
        let choices = try await send(.get, "/300")
        let body = try await text(choices)
        XCTAssertEqual(body, "choices")
    }

    func testRedirect_withoutLocationKeepsItsBody() async throws {
        guard isPossible("body of a redirect without Location") else { return }
        server.on(.get, "/r", .text("moved").status(302))
        let response = try await send(.get, "/r")
        let body = try await text(response)
        XCTAssertEqual(body, "moved")
    }

    func testChallenges_areHandedOut() async throws {
        let challenges = [
            "Basic realm=\"a\"", "Digest realm=\"a\", nonce=\"n\"", "Bearer", "Negotiate", "Basic", "",
            "Basic realm=\"a\", Bearer error=\"x\"", "=,;\"",
        ]
        for delivery in [Delivery.buffered, .streamed] {
            for (index, challenge) in challenges.enumerated() where !challenge.isEmpty {
                server.on(nil, "/c\(index)", .text("who?").status(401).header("WWW-Authenticate", challenge))
                for method: HTTPMethod in [.get, .post] {
                    let response = try await transport.send(
                        request(method, "/c\(index)", body: method == .post ? .text("x") : .none),
                        context: CallContext(delivery: delivery))
                    let body = try await text(response)
                    XCTAssertEqual(response.status, 401, challenge)
                    XCTAssertEqual(body, "who?", challenge)
                }
            }
        }
        server.on(.get, "/407", .text("proxy?").status(407).header("Proxy-Authenticate", "Basic realm=\"p\""))
        let proxy = try await send(.get, "/407")
        XCTAssertEqual(proxy.status, 407)
    }

    func testHeaders_thatRepeatAreMergedInOrder() async throws {
        server.on(
            .get, "/h",
            .text("ok").header("Link", "<a>; rel=\"x\"").header("Link", "<b>; rel=\"y\"").header("X-N", "1")
                .header("X-N", "2"))
        let response = try await send(.get, "/h")
        XCTAssertEqual(response.headers["Link"], "<a>; rel=\"x\", <b>; rel=\"y\"")
        XCTAssertEqual(response.headers["x-n"], "1, 2")
    }

    func testHeads_thatAreLegalAreUnderstood() async throws {
        let rows: [(name: String, head: String, expect: (HTTPResponse) -> Bool)] = [
            ("empty value", "HTTP/1.1 200 OK\r\nX-Foo: \r\n", { $0.headers["X-Foo"] == "" }),
            ("no space after the colon", "HTTP/1.1 200 OK\r\nX-Foo:bar\r\n", { $0.headers["X-Foo"] == "bar" }),
            ("status line without reason", "HTTP/1.1 200\r\nX-Foo: bar\r\n", { $0.status == 200 }),
            ("empty reason", "HTTP/1.1 200 \r\nX-Foo: bar\r\n", { $0.status == 200 }),
            ("Latin-1 bytes", "HTTP/1.1 200 OK\r\nX-Foo: caf\u{E9}\r\n", { $0.headers["X-Foo"] != nil }),
            ("HTTP/1.0", "HTTP/1.0 200 OK\r\nX-Foo: bar\r\n", { $0.headers["x-foo"] == "bar" }),
            ("tab around the value", "HTTP/1.1 200 OK\r\nX-Foo: \tbar \t\r\n", { $0.headers["X-Foo"] == "bar" }),
            ("unknown status", "HTTP/1.1 299 Odd\r\nX-Foo: bar\r\n", { $0.status == 299 }),
        ]
        for row in rows where isPossible(row.name) {
            let wire = Data((row.head + "Content-Length: 2\r\n\r\nok").unicodeScalars.map { UInt8($0.value) })
            server.on(.get, "/h", .raw(wire))
            let response = try await send(.get, "/h")
            let body = try await text(response)
            XCTAssertTrue(row.expect(response), row.name)
            XCTAssertEqual(body, "ok", row.name)
        }
    }

    func testGzip_isDecoded() async throws {
        let content = Data(String(repeating: "hello gzip ", count: 4000).utf8)
        server.on(.get, "/z", .gzip(content))
        let response = try await send(.get, "/z")
        let body = try await response.data()
        XCTAssertEqual(body, content)
    }

    func testChunkedBodies_areJoined() async throws {
        server.on(.get, "/c", .chunked(["a", "bc", "def"]))
        let response = try await send(.get, "/c")
        let body = try await text(response)
        XCTAssertEqual(body, "abcdef")
    }

    func testCloseDelimitedBody_isComplete() async throws {
        server.on(.get, "/c", .unframed("until the end", headers: [:]))
        let response = try await send(.get, "/c")
        let body = try await text(response)
        XCTAssertEqual(body, "until the end")
    }

    func testTrailers_doNotHurt() async throws {
        guard isPossible("trailers") else { return }
        server.on(.get, "/t", .chunked(["a", "b"], trailers: ["X-Sum": "1"]))
        let response = try await send(.get, "/t")
        let body = try await text(response)
        XCTAssertEqual(body, "ab")
    }

    func testLimits_holdForBodiesAlsoAfterDecompression() async throws {
        server.on(.get, "/big", .data(Data(count: 5000), contentType: .octetStream))
        server.on(.get, "/chunked", .chunked([Data(count: 3000), Data(count: 3000)]))
        server.on(.get, "/zip", .gzip(Data(count: 5000)))
        for path in ["/big", "/chunked", "/zip"] {
            let error = await failure(path, limits: Limits(bufferedBody: 4999))
            XCTAssertEqual(error?.kind, .bodyTooLarge, path)
            XCTAssertEqual(error?.status, 200, path)
        }
        let enough = try await send(.get, "/big", limits: Limits(bufferedBody: 5000))
        let body = try await enough.data()
        XCTAssertEqual(body.count, 5000)
    }

    func testLimits_holdForHeads() async throws {
        var many = LoopbackResponse.text("ok")
        for index in 0..<100 { many = many.header("X-\(index)", "v") }
        server.on(.get, "/many", many)
        let tooMany = await failure("/many", limits: Limits(headerCount: 99))
        XCTAssertEqual(tooMany?.kind, .headTooLarge)
        let enough = try await send(.get, "/many", limits: Limits(headerCount: 200))
        XCTAssertEqual(enough.headers["X-99"], "v")
        server.on(.get, "/huge", .raw("HTTP/1.1 200 OK\r\nX-Big: \(String(repeating: "a", count: 400_000))\r\n\r\n"))
        let huge = await failure("/huge")
        XCTAssertEqual(huge?.kind, .headTooLarge)
    }
}
