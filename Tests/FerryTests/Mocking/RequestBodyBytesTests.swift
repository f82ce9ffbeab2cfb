import Ferry
import FerryTesting
import Foundation
import XCTest

final class RequestBodyBytesTests: XCTestCase {
    private func kind(of operation: () async throws(NetworkError) -> Void) async -> NetworkError.Kind? {
        do throws(NetworkError) {
            try await operation()
            return nil
        } catch {
            return error.kind
        }
    }

    private func post(_ body: RequestBody) -> HTTPRequest {
        HTTPRequest(method: .post, url: MockTest.url, body: body)
    }

    func testMCK04_bytesOfEveryKindOfBodyAreVisible() async throws {
        let row = try ConformanceCase.load("MCK-04", area: "mock")
        let text = try XCTUnwrap(row.input["POST"].string)
        let directory = try temporaryDirectory()
        let file = directory.appending(path: "body")
        try Data(text.utf8).write(to: file)
        let parts = text.map(String.init)
        let bodies: [RequestBody] = [
            .text(text), .file(file), .stream(BodyStream { Chunks(chunks: parts) }),
            .stream(BodyStream(once: Chunks(chunks: parts), length: Int64(text.utf8.count))),
        ]
        for body in bodies {
            let seen = try await post(body).withBodyInMemory()
            let bytes = try await seen.body.bytes()
            XCTAssertTrue(String(decoding: bytes, as: UTF8.self).contains("a"))
            XCTAssertEqual(bytes, Data(text.utf8), "\(body)")
            XCTAssertEqual(seen.body.contentType, body.contentType)
            // The exchange still takes the same bytes, and so does a second look.
            let events = EventRecorder()
            _ = try await MockTest.respond(.empty(), to: seen, events: events)
            XCTAssertEqual(
                events.words, ["sent \(text.utf8.count) of \(text.utf8.count) bytes", "head: 204 No Content []"])
        }
    }

    func testBytes_keepToTheLimit() async throws {
        let body = RequestBody.stream(BodyStream { Chunks(chunks: ["ab", "cd"]) })
        let whole = try await body.bytes(limit: 4)
        XCTAssertEqual(whole, Data("abcd".utf8))
        let over = await kind { () throws(NetworkError) in _ = try await body.bytes(limit: 3) }
        XCTAssertEqual(over, .bodyTooLarge)
        let none = try await RequestBody.none.bytes(limit: 0)
        XCTAssertEqual(none, Data())
    }

    func testFile_largerThanAChunkIsReadWhole() async throws {
        let directory = try temporaryDirectory()
        let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        try data.write(to: directory.appending(path: "body"))
        let bytes = try await RequestBody.file(directory.appending(path: "body")).bytes()
        XCTAssertEqual(bytes, data)
    }

    func testExchange_readsTheBodyAsAServerWould() async throws {
        let missing = Repository.root.appending(path: "no-such-file")
        struct Broken: Error {}
        let rows: [(body: RequestBody, kind: NetworkError.Kind?, why: String)] = [
            (.file(missing), .invalidBody, "missing file"),
            (.file(Repository.root), .invalidBody, "a directory"),
            (.file(URL(string: "http://a.test/x")!), .invalidBody, "not a file URL"),
            (.stream(BodyStream(length: 3) { Chunks(chunks: ["ab"]) }), .invalidBody, "shorter than declared"),
            (.stream(BodyStream(length: 1) { Chunks(chunks: ["ab"]) }), .invalidBody, "longer than declared"),
            (.stream(BodyStream(length: 0) { Chunks(chunks: []) }), nil, "empty"),
            (.stream(BodyStream { Chunks(chunks: ["a"], failure: Broken()) }), .invalidBody, "fails"),
            (.stream(BodyStream { Chunks(chunks: [], failure: CancellationError()) }), .cancelled, "is cancelled"),
            (.stream(BodyStream { () throws -> Chunks in throw Broken() }), .invalidBody, "cannot be opened"),
            (.json(["a": 1]), .encoding, "not encoded"),
            (.none, nil, "none"),
        ]
        for row in rows {
            let result = await kind { () throws(NetworkError) in
                _ = try await MockTest.respond(.empty(), to: self.post(row.body))
            }
            XCTAssertEqual(result, row.kind, row.why)
        }
    }

    func testStreamThatCanBeSentOnce_isUsedUpByAnExchangeAndKeptByAFailureToConnect() async {
        for (mock, second) in [
            (MockResponse.status(503), NetworkError.Kind.bodyNotReplayable),
            (.failure(.connectionLost), .bodyNotReplayable),
            (.failure(.cannotConnect), nil),
            (.failure(.offline), nil),
            (.failure(.cannotFindHost), nil),
            (.failure(.tls), nil),
            (.fixture("missing.json"), nil),
        ] as [(MockResponse, NetworkError.Kind?)] {
            let request = post(.stream(BodyStream(once: Chunks(chunks: ["a"]))))
            _ = try? await MockTest.respond(mock, to: request)
            let again = await kind { () throws(NetworkError) in _ = try await MockTest.respond(.empty(), to: request) }
            XCTAssertEqual(again, second, "\(mock)")
        }
    }
}
