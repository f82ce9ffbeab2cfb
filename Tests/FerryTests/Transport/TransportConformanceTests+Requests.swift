import Ferry
import FerryTesting
import Foundation
import XCTest

extension TransportConformanceTests {
    func testMethods_goOnTheWireAsTheyAre() async throws {
        server.on(nil, "/m", .text("ok"))
        for method: HTTPMethod in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "Purge", "HEAD"] {
            let response = try await send(method, "/m")
            XCTAssertEqual(response.status, 200)
            XCTAssertEqual(server.requests.last?.method.rawValue, method.rawValue)
        }
    }

    func testTarget_isPathAndQueryWithoutFragment() async throws {
        server.fallback { _ in .text("ok") }
        for (url, target) in [
            ("", "/"), ("/", "/"), ("/a%2Fb;c=1/", "/a%2Fb;c=1/"), ("/s?q=a%2Bb%20c#frag", "/s?q=a%2Bb%20c"),
            ("/a//b", "/a//b"), ("/%C3%A4?tag=%5B%C3%A4", "/%C3%A4?tag=%5B%C3%A4"), ("/x?", "/x?"),
        ] {
            _ = try await send(.get, url)
            XCTAssertEqual(server.requests.last?.target, target, url)
        }
    }

    func testBodies_areFramedByAnExactContentLength() async throws {
        server.on(nil, "/b") { .data($0.body, contentType: .octetStream) }
        let directory = try temporaryDirectory()
        let file = directory.appending(path: "body.bin")
        try Data("from a file".utf8).write(to: file)
        let emptyFile = directory.appending(path: "empty.bin")
        try Data().write(to: emptyFile)
        let large = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let stream = BodyStream { AsyncStream<Data>.of([Data("in ".utf8), Data(), Data("pieces".utf8)]) }
        let declared = BodyStream(length: 9) { AsyncStream<Data>.of([Data("in ".utf8), Data("pieces".utf8)]) }
        let rows: [(name: String, body: RequestBody, expected: Data)] = [
            ("data", .data(Data("hello".utf8)), Data("hello".utf8)),
            ("no bytes", .data(Data()), Data()),
            ("large data", .data(large), large),
            ("text", .text("grüße"), Data("grüße".utf8)),
            ("file", .file(file), Data("from a file".utf8)),
            ("empty file", .file(emptyFile), Data()),
            ("stream", .stream(stream), Data("in pieces".utf8)),
            ("stream of a declared length", .stream(declared), Data("in pieces".utf8)),
        ]
        for method: HTTPMethod in [.post, .put, .patch, .delete] {
            for row in rows {
                let response = try await send(method, "/b", body: row.body)
                let echoed = try await response.data()
                XCTAssertEqual(echoed, row.expected, "\(method) \(row.name)")
                let seen = try XCTUnwrap(server.requests.last)
                XCTAssertEqual(seen.headers.values(of: "Content-Length"), ["\(row.expected.count)"], row.name)
                XCTAssertFalse(seen.headers.contains("Transfer-Encoding"), row.name)
            }
        }
    }

    func testContentType_isNeverInvented() async throws {
        server.on(.post, "/b", .text("ok"))
        _ = try await send(
            .post, "/b", headers: ["Content-Type": "application/json"], body: .data(Data("{}".utf8)))
        XCTAssertEqual(server.requests.last?.headers.values(of: "Content-Type"), ["application/json"])
        _ = try await send(.post, "/b", body: .data(Data("a=b".utf8)))
        XCTAssertEqual(server.requests.last?.headers.values(of: "Content-Type"), ["application/octet-stream"])
        _ = try await send(.post, "/b")
        XCTAssertEqual(server.requests.last?.headers.values(of: "Content-Type"), [])
    }

    func testHeaders_reachTheServer() async throws {
        server.on(.get, "/h", .text("ok"))
        _ = try await send(
            .get, "/h",
            headers: [
                "X-One": "1", "x-two": "a", "X-Two": "b", "X-Empty": "", "X-Space": " \t ", "Cookie": "a=1",
                "cookie": "b=2",
            ])
        let seen = try XCTUnwrap(server.requests.last?.headers)
        XCTAssertEqual(seen["X-One"], "1")
        XCTAssertEqual(seen["X-Two"], "a, b")
        XCTAssertEqual(seen["Cookie"], "a=1; b=2")
        XCTAssertEqual(seen["X-Empty"], "")
        XCTAssertEqual(seen["X-Space"], "", "RFC 9110 §5.5: white space around a value is not part of it")
    }

    func testBodies_thatCannotBeReadFailBeforeAnyConnection() async throws {
        let directory = try temporaryDirectory()
        let missing = directory.appending(path: "missing")
        let web = try XCTUnwrap(URL(string: "http://127.0.0.1/x"))
        let short = BodyStream(length: 10) { AsyncStream<Data>.of([Data("1234567".utf8)]) }
        let long = BodyStream(length: 10) { AsyncStream<Data>.of([Data("123456789012".utf8)]) }
        struct Broken: Error {}
        let broken = BodyStream { AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Broken()) } }
        for body: RequestBody in [
            .file(missing), .file(directory), .file(web), .stream(short), .stream(long), .stream(broken),
        ] {
            let error = await failure("/b", method: .post, body: body)
            XCTAssertEqual(error?.kind, .invalidBody, "\(body)")
        }
        XCTAssertEqual(server.acceptedConnections, 0)
        XCTAssertEqual(try spools(), [], "a spool is left behind")
    }

    func testStreamBody_thatIsSpentFailsWithBodyNotReplayable() async throws {
        server.on(.post, "/b") { .data($0.body, contentType: .octetStream) }
        let once = RequestBody.stream(BodyStream(once: AsyncStream<Data>.of([Data("x".utf8)])))
        XCTAssertFalse(once.isReplayable)
        let response = try await send(.post, "/b", body: once)
        let echoed = try await text(response)
        XCTAssertEqual(echoed, "x")
        let error = await failure("/b", method: .post, body: once)
        XCTAssertEqual(error?.kind, .bodyNotReplayable)
        XCTAssertEqual(try spools(), [])
    }

    private func spools() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
            .filter { $0.hasPrefix("ferry-upload-\(ProcessInfo.processInfo.processIdentifier)-") }
    }
}
