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
        "windows.jsonl": Data("1\r\n# wait \t1ms \r\n2".utf8),
        "ending.sse": Data("data: a\n\n: wait 5s\n".utf8),
        "mark.sse": Data("\u{FEFF}: wait 2s\ndata: a\n\n".utf8),
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
            ("windows.jsonl", [(.zero, "1\r\n"), (.milliseconds(1), "2")]),
            ("ending.sse", [(.zero, "data: a\n\n")]),
            ("mark.sse", [(.seconds(2), "data: a\n\n")]),
            ("plain.sse", [(.zero, ": a comment\ndata: a\n\n")]),
        ]
        for row in rows {
            // Named by a route, and read by the test.
            for reply in [MockResponse.fixture(row.name), try Fixture(row.name, in: source).response()] {
                let clock = ManualClock(advancesItself: true)
                let mock = transport(fixtures: source)
                mock.on(nil, "/x", reply)
                let request = HTTPRequest(url: try XCTUnwrap(URL(string: "https://api.example/x")))
                let response = try await mock.send(request, context: CallContext(delivery: .streamed, clock: clock))
                guard case .stream(let stream) = response.body else { return XCTFail("no stream") }
                var chunks: [(Duration, String)] = []
                for try await chunk in stream { chunks.append((clock.now, String(decoding: chunk, as: UTF8.self))) }
                XCTAssertEqual(chunks.map(\.0), row.chunks.map(\.0), row.name)
                XCTAssertEqual(chunks.map(\.1), row.chunks.map(\.1), row.name)
                if row.name == "ending.sse" { XCTAssertEqual(clock.now, .seconds(5), "the end waits too") }
            }
        }
    }

    func testPacing_holdsInMockMode_unlessTheMockSaysOtherwise() async throws {
        for (chunks, time) in [
            (MockResponse.Chunking.whole, Duration.seconds(3)), (.of(4, every: .seconds(1)), .seconds(3)),
        ] {
            let clock = ManualClock(advancesItself: true)
            let client = NetworkClient(baseURL: URL(string: "https://api.example")) {
                $0.mocking = .on(source)
                $0.clock = clock
                $0.timeouts = Timeouts(idle: nil)
            }
            let data = try await client.data(
                NetworkCall(.get, "/log").mocked(.fixture("log.ndjson", chunks: chunks)))
            XCTAssertEqual(data, Data("{\"n\":1}\n{\"n\":2}\n".utf8), "the marks are no content")
            XCTAssertEqual(clock.now, time)
        }
    }

    func testBundle_isSearchedInItsFixturesFolderFirst() throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "ferry-bundle-\(UUID().uuidString).resources")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder.appending(path: "Fixtures/users"), withIntermediateDirectories: true)
        try Data("in the folder".utf8).write(to: folder.appending(path: "Fixtures/users/1.json"))
        try Data("beside it".utf8).write(to: folder.appending(path: "2.json"))
        let bundle = try XCTUnwrap(Bundle(url: folder))
        XCTAssertEqual(try Fixture("users/1.json", in: bundle).text, "in the folder")
        XCTAssertEqual(try Fixture("2.json", in: bundle).text, "beside it")
        XCTAssertThrowsError(try Fixture("3.json", in: bundle)) { error in
            XCTAssertTrue("\(error)".contains("/Fixtures/3.json, "), "\(error)")
        }
        for name in ["../2.json", "/etc/hostname", "users/../../2.json", "a\\b", ""] {
            XCTAssertThrowsError(try Fixture(name, in: bundle), name) {
                XCTAssertTrue("\($0)".contains("is refused"), "\($0)")
            }
        }
    }

    func testRawResponse_withWindowsLineEndsAndAMark() async throws {
        let files = FixtureSource.memory([
            "crlf.http": Data("\u{FEFF}HTTP/1.1 201 Created\r\nX-A: 1\r\nX-A: 2\r\n\r\na\r\nb".utf8),
            "broken.http": Data("HTTP/1.1 201 Created\nX-A 1\n\n".utf8),
        ])
        let mock = transport(fixtures: files)
        mock.on(nil, "/x", .fixture("crlf.http"))
        let response = try await client(mock).response(NetworkCall(.get, "/x"), as: String.self)
        XCTAssertEqual(response.status, 201)
        XCTAssertEqual(response.headers.values(of: "x-a"), ["1", "2"])
        XCTAssertEqual(response.value, "a\r\nb")
        XCTAssertThrowsError(try Fixture("broken.http", in: files).response()) { error in
            XCTAssertTrue("\(error)".contains("\"broken.http\": line 2 has no colon"), "\(error)")
        }
    }

    func testPacing_brokenMarkIsAnErrorWithItsLine() throws {
        let fixture = try Fixture("broken.sse", in: source)
        XCTAssertThrowsError(try fixture.response()) { XCTAssertTrue("\($0)".contains("line 3"), "\($0)") }
    }
}
