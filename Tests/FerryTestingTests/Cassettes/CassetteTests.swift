import Ferry
import FerryTesting
import Foundation
import XCTest

final class CassetteTests: CassetteTestCase, @unchecked Sendable {  // Stores nothing itself.
    private func archive() throws -> JSON { try JSONDecoder().decode(JSON.self, from: Data(contentsOf: file)) }

    private static let binary = Data([0, 0xFF, 0xFE, 0x80, 10, 13])

    /// A mocked server, recorded.
    private func record() async throws {
        let mock = transport()
        mock.on(
            .get, "/users/{id}",
            .json(#"{"id":1,"access_token":"hush","deep":[{"password":"hush"}]}"#, headers: ["Set-Cookie": "a=hush"]))
        mock.on(.get, "/binary", .data(Self.binary))
        mock.on(.get, "/flaky", .status(503), .text("later"))
        mock.on(.post, "/form", .text("made", status: 201))
        mock.on(.get, "/dead", .failure(.cannotConnect))
        let client = try client(RecordingTransport(to: file, over: mock)) {
            $0.retry = .constant(.zero, maxRetries: 1)
        }
        _ = try await client.data(
            NetworkCall(.get, "/users/1?api_key=hush&page=2", headers: ["Authorization": "Bearer hush", "X-A": "1"]))
        _ = try await client.data(NetworkCall(.get, "/binary"))
        _ = try await client.data(NetworkCall(.get, "/flaky"))
        _ = try await client.data(NetworkCall(.post, "/form", body: .form(["password": "hush", "name": "Ada"])))
        _ = try? await client.data(NetworkCall(.get, "/dead", retry: .never))
    }

    func testRecorded_isReplayed() async throws {
        try await record()
        let replay = try replay()
        let client = try client(replay) { $0.retry = .constant(.zero, maxRetries: 1) }
        let user = try await client.json(NetworkCall(.get, "/users/1?page=2&api_key=another"))
        XCTAssertEqual(user["id"], 1)
        let binary = try await client.data(NetworkCall(.get, "/binary"))
        XCTAssertEqual(binary, Self.binary)
        let response = try await client.response(NetworkCall(.get, "/flaky"), as: String.self)
        XCTAssertEqual(response.value, "later")
        XCTAssertEqual(response.attempts.map(\.status), [503, 200])
        let made = try await client.string(NetworkCall(.post, "/form", body: .form(["password": "x", "name": "Ada"])))
        XCTAssertEqual(made, "made")
        await XCTAssertThrowsNetworkError(.cannotConnect) {
            try await client.data(NetworkCall(.get, "/dead", retry: .never))
        }
        replay.verify()
        XCTAssertEqual(issues, [])
    }

    func testSecrets_areNotInTheFile() async throws {
        try await record()
        let text = try String(contentsOf: file, encoding: .utf8)
        XCTAssertFalse(text.contains("hush"), text)
        XCTAssertTrue(text.contains("Ada"))
        XCTAssertTrue(text.contains(#"{"id":1,"access_token":"REDACTED""#.replacing("\"", with: "\\\"")), text)
    }

    func testFile_hasTheFieldsOfHAR12() async throws {
        try await record()
        let log = try XCTUnwrap(archive()["log"])
        XCTAssertEqual(log["version"], "1.2")
        XCTAssertNotNil(log["creator"]?["name"]?.string)
        let entries = try XCTUnwrap(log["entries"]?.array)
        XCTAssertEqual(entries.count, 6)
        for entry in entries {
            for path: JSONKeyPath in [
                "startedDateTime", "time", "cache", "timings.send", "timings.wait", "timings.receive",
                "request.method", "request.url", "request.httpVersion", "request.cookies", "request.headers",
                "request.queryString", "request.headersSize", "request.bodySize", "response.status",
                "response.statusText", "response.httpVersion", "response.cookies", "response.headers",
                "response.content.size", "response.content.mimeType", "response.redirectURL",
                "response.headersSize", "response.bodySize",
            ] { XCTAssertNotNil(entry[path: path], "\(path)") }
        }
    }

    func testSameExchanges_giveTheSameFile() async throws {
        var texts: [String] = []
        for _ in 0..<2 {
            let mock = transport()
            mock.on(.get, "/a", .json(#"{"b":1,"a":2}"#, headers: ["X-B": "1", "X-A": "2"]))
            let client = try client(RecordingTransport(to: file, over: mock)) { $0.clock = ManualClock() }
            _ = try await client.data(NetworkCall(.get, "/a"))
            texts.append(try String(contentsOf: file, encoding: .utf8))
        }
        XCTAssertEqual(texts[0], texts[1])
    }

    func testStream_isRecordedWhenItEndsAndReplayedWithItsTimes() async throws {
        let clock = ManualClock(advancesItself: true)
        let mock = transport()
        mock.on(
            .get, "/s",
            .chunks([(.seconds(1), Data("a".utf8)), (.seconds(2), Data("b".utf8))]).delayed(by: .seconds(3)))
        let context = { CallContext(delivery: .streamed, clock: clock) }
        let request = HTTPRequest(url: try XCTUnwrap(URL(string: "https://api.example/s")))
        let recorder = RecordingTransport(to: file, over: mock)
        let left = try await recorder.send(request, context: context())
        XCTAssertEqual(left.status, 200)
        XCTAssertFalse(FileManager.default.fileExists(atPath: file.path()))
        let first = try await recorder.send(request, context: context()).data()
        XCTAssertEqual(first, Data("ab".utf8))

        let before = clock.now
        let replay = try replay(keepsTimings: true)
        let response = try await replay.send(request, context: context())
        XCTAssertEqual(clock.now - before, .seconds(3))
        guard case .stream(let stream) = response.body else { return XCTFail("no stream") }
        var times: [Duration] = []
        for try await _ in stream { times.append(clock.now - before) }
        XCTAssertEqual(times, [.seconds(4), .seconds(6)])
    }

    func testUnknownRequest_failsNamingTheNearestExchanges() async throws {
        try await record()
        let replay = try replay(line: 77)
        let client = try client(replay)
        let error = await XCTAssertThrowsNetworkError(.mock) {
            try await client.data(NetworkCall(.get, "/users/2?token=hush"))
        }
        XCTAssertEqual(issueLines, [77])
        XCTAssertTrue(
            error?.message.hasPrefix("GET https://api.example/users/2 is not what a.har has. The nearest exchanges:")
                == true,
            "\(error?.message ?? "")")
        XCTAssertFalse(error?.message.contains("hush") == true)
    }

    func testStrict_playsEachOnceInOrder() async throws {
        try await record()
        let strict = try replay(isStrict: true)
        let client = try client(strict)
        await XCTAssertThrowsNetworkError(.mock) { try await client.data(NetworkCall(.get, "/binary")) }
        XCTAssertEqual(
            issues,
            ["GET https://api.example/binary is not what a.har has next, which is GET https://api.example/users/1"])
        strict.verify()
        XCTAssertEqual(issues.count, 7)
    }

    func testMatching_isConfigurable() async throws {
        try await record()
        let form = NetworkCall(.post, "/form", body: .form(["name": "Bob", "password": "x"]))
        let byBody = try client(replay(matching: .with { $0.comparesBody = true }))
        await XCTAssertThrowsNetworkError(.mock) { try await byBody.data(form) }
        let loose = try client(
            replay(
                matching: .with {
                    $0.comparesOrigin = false; $0.ignoredQueryNames = ["page", "api_key"]
                }))
        let url = try XCTUnwrap(URL(string: "http://127.0.0.1:1/users/1"))
        let user = try await loose.json(NetworkCall(.get, url: url))
        XCTAssertEqual(user["id"], 1)
        let byRule = try client(replay(matching: .with { $0.isMatch = { $0.text == $1.text } }))
        await XCTAssertThrowsNetworkError(.mock) { try await byRule.data(form) }
    }

    func testModes_recordReplayAndAdd() async throws {
        let mock = transport()
        mock.on(.get, "/{name}") { .text("live \($0.path)") }
        for (path, isLive) in [("/a", true), ("/a", false), ("/b", true), ("/b", false)] {
            let before = mock.requests.count
            let either = try client(Cassette.transport(at: file, mode: .replayOrRecord, over: mock))
            let text = try await either.string(NetworkCall(.get, path))
            XCTAssertEqual(text, "live \(path)")
            XCTAssertEqual(mock.requests.count - before, isLive ? 1 : 0, path)
        }
        XCTAssertEqual(try archive()["log"]?["entries"]?.array?.count, 2)
        _ = try await client(Cassette.transport(at: file, mode: .record, over: mock)).data(NetworkCall(.get, "/c"))
        XCTAssertEqual(try archive()["log"]?["entries"]?.array?.count, 1)
        let text = try await client(Cassette.transport(at: file, mode: .strict)).string(NetworkCall(.get, "/c"))
        XCTAssertEqual(text, "live /c")
        XCTAssertThrowsError(try Cassette.transport(at: folder.appending(path: "no.har"), mode: .replay)) {
            XCTAssertEqual(($0 as? NetworkError)?.kind, .file)
        }
    }

    func testBodiesOfEveryKind_areRecordedAndCompared() async throws {
        let upload = FileManager.default.temporaryDirectory.appending(path: "ferry-body-\(UUID().uuidString)")
        try Self.binary.write(to: upload)
        defer { try? FileManager.default.removeItem(at: upload) }
        let large = Data(repeating: 7, count: 3 << 20)
        let stream = AsyncStream<Data> { continuation in
            continuation.yield(large)
            continuation.finish()
        }
        let bodies: [String: RequestBody] = [
            "file": .file(upload), "stream": .stream(BodyStream { stream }), "large": .data(large),
            "multipart": .multipart { $0.append("part", file: upload) },
        ]
        let mock = transport()
        for name in bodies.keys { mock.on(.post, "/x", matching: [.query("kind", name)], .text(name)) }
        let recording = try client(RecordingTransport(to: file, over: mock))
        for (name, body) in bodies { _ = try await recording.data(NetworkCall(.post, "/x?kind=\(name)", body: body)) }

        let replaying = try client(replay(matching: .with { $0.comparesBody = true }))
        for (name, body) in bodies where name != "stream" {
            let text = try await replaying.string(NetworkCall(.post, "/x?kind=\(name)", body: body))
            XCTAssertEqual(text, name)
        }
        let text = try await replaying.string(NetworkCall(.post, "/x?kind=stream", body: .data(large)))
        XCTAssertEqual(text, "stream")
        XCTAssertEqual(issues, [])
        await XCTAssertThrowsNetworkError(.mock) {
            try await replaying.data(NetworkCall(.post, "/x?kind=file", body: .data(Data([1]))))
        }
    }

    func testFileThatCannotBeWritten_failsTheCall() async throws {
        let mock = transport()
        mock.on(.get, "/a", .text("a"))
        let client = try client(RecordingTransport(to: URL(filePath: "/dev/null/a.har"), over: mock))
        await XCTAssertThrowsNetworkError(.file) { try await client.data(NetworkCall(.get, "/a")) }
    }

    func testAbsurdNumbersAndCutFiles_areNoCrash() async throws {
        let browser = try String(contentsOf: Self.browserFile, encoding: .utf8)
        let absurd = browser.replacing("45.1", with: "1e300").replacing(#""status": 303"#, with: #""status": -7"#)
            .replacing(#""cache": {},"#, with: #""cache": {}, "_chunks": [[1e300, 1e300], [-1], [0, -5], [2, 3]],"#)
        try write(Data(absurd.utf8))
        let client = try client(replay(keepsTimings: true)) {
            $0.clock = ManualClock(advancesItself: true)
            $0.timeouts = Timeouts(idle: nil)
        }
        let products = try await client.json(
            NetworkCall(.get, url: try XCTUnwrap(URL(string: "https://shop.example/api/products?session=x&page=1"))))
        XCTAssertEqual(products[path: "items.0.id"], 1)
        for length in stride(from: 0, to: browser.utf8.count - 4, by: 97) {
            try Data(browser.utf8.prefix(length)).write(to: file)
            XCTAssertThrowsError(try replay(), "\(length)") { XCTAssertEqual(($0 as? NetworkError)?.kind, .mock) }
        }
    }

    func testFile_isItsOwnersAloneAndNothingIsLeftBesideIt() async throws {
        for _ in 0..<2 { try await record() }
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path())
        XCTAssertEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, 0o600)
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path()), ["a.har"])
    }

    func testMultipartSecrets_areNotInTheFile() async throws {
        let mock = MockTransport.answering { _ in .status(201) }
        let client = try client(RecordingTransport(to: file, over: mock))
        let form = RequestBody.multipart {
            $0.append("name", "Ada")
            $0.append("password", "hush")
        }
        try await client.request(NetworkCall(.post, "/form", body: form))
        let text = try String(contentsOf: file, encoding: .utf8)
        XCTAssertTrue(text.contains("Ada"), text)
        XCTAssertFalse(text.contains("hush"), text)
    }

    func testOtherToolsEntries_areTakenAsTheyCome() async throws {
        try write(
            Data(
                #"""
                {"log": {"version": "1.1", "entries": [
                    {"request": {"method": "GET", "url": "https://api.example/caf%c3%a9", "headers": null},
                     "response": {"status": 200, "headers": [
                        {"name": ":status", "value": "200"}, {"name": "set-cookie", "value": "a=1\nb=2"},
                        {"name": "content-type", "value": "text/plain; charset=iso-8859-1"},
                        {"name": "content-length", "value": "3"}],
                      "content": {"size": "4", "text": "café"}, "headersSize": 1e300}, "time": null},
                    {"request": {"method": "GET", "url": "data:text/plain,x"}, "response": {"status": 200}},
                    {"request": {"method": "GET", "url": "https://api.example/b64"},
                     "response": {"status": 200, "content": {"text": "A", "encoding": "base64"}}}
                ]}}
                """#.utf8))
        let client = try client(replay(line: 31))
        let response = try await client.response(NetworkCall(.get, "/café"), as: String.self)
        XCTAssertEqual(response.value, "café", "the text of the file is Unicode, whatever the page was in")
        XCTAssertEqual(response.headers.values(of: "Set-Cookie"), ["a=1", "b=2"])
        XCTAssertEqual(response.headers["Content-Length"], "5")
        let error = await XCTAssertThrowsNetworkError(.mock) { try await client.data(NetworkCall(.get, "/b64")) }
        XCTAssertEqual(
            error?.message, "Exchange 3 of a.har cannot be played: The content of entry 3 of the cassette is no base64")
        XCTAssertEqual(issueLines, [31])
    }

    func testStrict_failsAtTheEndForWhatIsLeft() async throws {
        try await record()
        var strict: ReplayTransport? = try replay(isStrict: true, line: 41)
        XCTAssertEqual(strict?.count, 6)
        strict = nil
        XCTAssertEqual(issueLines, Array(repeating: 41, count: 6))
        XCTAssertEqual(issues.first, "Exchange 1 of a.har was not played: GET https://api.example/users/1")
    }

    func testAddedToABrowsersFile_itIsStillOne() async throws {
        try write(Data(contentsOf: Self.browserFile))
        let mock = MockTransport.answering { _ in .text("new") }
        let either = try client(Cassette.transport(at: file, mode: .replayOrRecord, over: mock))
        let old = try await either.json(
            NetworkCall(.get, url: try XCTUnwrap(URL(string: "https://shop.example/api/products?session=x&page=1"))))
        XCTAssertEqual(old[path: "items.0.id"], 1)
        _ = try await either.data(NetworkCall(.get, "/new"))
        XCTAssertEqual(mock.requests.count, 1)
        let entries = try XCTUnwrap(archive()[path: "log.entries"]?.array)
        XCTAssertEqual(entries.last?[path: "request.url"], "https://api.example/new")
        for entry in entries {
            XCTAssertEqual(entry[path: "request.cookies"], [])
            XCTAssertNotNil(entry[path: "timings.wait"]?.double)
            XCTAssertEqual(entry["cache"], [:])
        }
        let again = try await client(replay()).string(NetworkCall(.get, "/new"))
        XCTAssertEqual(again, "new")
    }

    func testBrowsersFile_isReplayed() async throws {
        let client = try client(replay(Self.browserFile))
        let products = try await client.json(
            NetworkCall(.get, url: try XCTUnwrap(URL(string: "https://shop.example/api/products?session=mine&page=1"))))
        XCTAssertEqual(products[path: "items.0.name"], "Kettle")
        let dot = try await client.response(
            NetworkCall(
                .post, url: try XCTUnwrap(URL(string: "https://shop.example/api/cart")),
                body: .form(["id": "1", "note": "blue one"])), as: Data.self)
        XCTAssertEqual(dot.body.count, 8)
        XCTAssertEqual(dot.redirects.count, 1)
        XCTAssertEqual(dot.headers["Content-Type"], "image/png")
        let gone = NetworkCall(.get, url: try XCTUnwrap(URL(string: "https://gone.example/")))
        await XCTAssertThrowsNetworkError(.network) { try await client.data(gone) }
    }

    func testBrokenFiles_areRefusedInWords() throws {
        let rows = [
            ("[", "it is no JSON"), (#"{"log": {}}"#, "log has no version"),
            (#"{"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": 7}}"#, "another type"),
            (#"{"log": {"version": "1.2", "entries": [{}]}}"#, "log.entries.0 has no request"),
            (
                #"{"log": {"version": "1.2", "entries": [{"request": {"method": "GET", "url": "http://a/"}, "response": {"status": 1e300}}]}}"#,
                "log.entries.0.response.status has a value that it cannot have"
            ),
            (
                #"{"log": {"version": "1.2", "entries": [{"request": {"method": "GET", "url": ""}, "response": {"status": 200}}]}}"#,
                "Entry 1 of the cassette has no URL"
            ),
        ]
        for (text, words) in rows {
            try write(Data(text.utf8))
            XCTAssertThrowsError(try replay()) { error in
                XCTAssertTrue("\(error)".contains(words), "\(error)")
            }
        }
    }

    /// A HAR of Ferry opens in haralyzer, a reader for Python: `pip install haralyzer`, and FERRY_PYTHON names its Python.
    func testFile_opensInHaralyzer() async throws {
        guard let python = ProcessInfo.processInfo.environment["FERRY_PYTHON"] else {
            throw XCTSkip("FERRY_PYTHON is not set to a Python that has haralyzer; nothing was read")
        }
        try await record()
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = [
            Self.browserFile.deletingLastPathComponent().appending(path: "../tools/read_har.py").path(), file.path(),
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        if process.terminationStatus == 3 { throw XCTSkip("\(python) has no haralyzer: pip install haralyzer") }
        XCTAssertEqual(process.terminationStatus, 0)
        XCTAssertEqual(
            text,
            """
            GET /users/1 200
            GET /binary 200
            GET /flaky 503
            GET /flaky 200
            POST /form 201
            GET /dead 0

            """)
    }
}
