import Ferry
import FerryTesting
import Foundation
import XCTest

final class FixtureTests: MockTestCase, @unchecked Sendable {  // Stores nothing itself.
    private let source = FixtureSource.memory([
        "users/1.json": Data(#"{"id": 1}"#.utf8),
        "error.http": Data("HTTP/1.1 418 I'm a teapot\r\nX-A: 1\r\n\r\nshort and stout".utf8),
        "tokens.sse": Data("data: a\n\n: wait 250ms\n: kept\ndata: b\n\n: wait 1.5s\r\n: wait 500ms\ndata: c\n\n".utf8),
        "log.ndjson": Data("# wait 1s\n{\"n\":1}\n# wait 2s\n{\"n\":2}\n".utf8),
        "plain.sse": Data(": a comment\ndata: a\n\n".utf8),
        "broken.sse": Data("data: a\n\n: wait soon\n".utf8),
    ])

    func testFixture_isReadDecodedAndServed() async throws {
        let fixture = try Fixture("users/1.json", in: source)
        XCTAssertEqual(try fixture.decode([String: Int].self), ["id": 1])
        XCTAssertEqual(fixture.text, #"{"id": 1}"#)
        let mock = transport()
        mock.on(.get, "/users/1", try fixture.response())
        mock.on(.get, "/tea", try Fixture("error.http", in: source).response())
        let client = try client(mock)
        let response = try await client.response(NetworkCall(.get, "/users/1"), as: JSON.self)
        XCTAssertEqual(response.headers["Content-Type"], "application/json")
        let error = await XCTAssertThrowsNetworkError(.client) { try await client.data(NetworkCall(.get, "/tea")) }
        XCTAssertEqual(error?.status, 418)
        XCTAssertEqual(error?.headers["X-A"], "1")
        XCTAssertEqual(error?.body, Data("short and stout".utf8))
    }

    func testMissing_namesEachPathThatWasTried() {
        let places = FixtureSource.sources([.directory(URL(filePath: "/no/such")), .directory(URL(filePath: "/nor"))])
        XCTAssertThrowsError(try Fixture("a.json", in: places)) { error in
            XCTAssertTrue("\(error)".contains("/no/such/a.json, /nor/a.json"), "\(error)")
        }
    }

    func testPacing_marksAreTimesAndNotContent() async throws {
        let rows: [(name: String, chunks: [(Duration, String)])] = [
            (
                "tokens.sse",
                [
                    (.zero, "data: a\n\n"), (.milliseconds(250), ": kept\ndata: b\n\n"),
                    (.milliseconds(2250), "data: c\n\n"),
                ]
            ),
            ("log.ndjson", [(.seconds(1), "{\"n\":1}\n"), (.seconds(3), "{\"n\":2}\n")]),
            ("plain.sse", [(.zero, ": a comment\ndata: a\n\n")]),
        ]
        for row in rows {
            let clock = ManualClock(advancesItself: true)
            let mock = transport()
            mock.on(nil, "/x", try Fixture(row.name, in: source).response())
            let request = HTTPRequest(url: try XCTUnwrap(URL(string: "https://api.example/x")))
            let response = try await mock.send(request, context: CallContext(delivery: .streamed, clock: clock))
            guard case .stream(let stream) = response.body else { return XCTFail("no stream") }
            var chunks: [(Duration, String)] = []
            for try await chunk in stream { chunks.append((clock.now, String(decoding: chunk, as: UTF8.self))) }
            XCTAssertEqual(chunks.map(\.0), row.chunks.map(\.0), row.name)
            XCTAssertEqual(chunks.map(\.1), row.chunks.map(\.1), row.name)
        }
    }

    func testPacing_brokenMarkIsAnErrorWithItsLine() throws {
        let fixture = try Fixture("broken.sse", in: source)
        XCTAssertThrowsError(try fixture.response()) { XCTAssertTrue("\($0)".contains("line 3"), "\($0)") }
    }
}
