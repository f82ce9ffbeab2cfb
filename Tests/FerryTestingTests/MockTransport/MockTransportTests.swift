import Ferry
import FerryTesting
import Foundation
import XCTest

final class MockTransportTests: MockTestCase, @unchecked Sendable {  // Stores nothing itself.
    private struct User: Codable, Equatable { var id: Int; var name: String }

    func testRoute_answersByMethodAndPathTemplate() async throws {
        let mock = transport()
        let route = mock.on(.get, "/users/{id}", .json(#"{"id": 7, "name": "Ada"}"#))
        let user: User = try await client(mock).get("/users/7")
        XCTAssertEqual(user, User(id: 7, name: "Ada"))
        XCTAssertEqual(mock.requests(of: route).map(\.pathParameters), [["id": "7"]])
        XCTAssertEqual(issues, [])
    }

    func testReplies_comeOneAfterTheOtherAndRetriesSeeThem() async throws {
        let mock = transport(allowsUnusedRoutes: false)
        mock.on(.get, "/flaky", .status(503), .failure(.connectionLost), .json("[1]"))
        let client = try client(mock) {
            $0.retry = .constant(.seconds(5), maxRetries: 2)
            $0.clock = ManualClock(advancesItself: true)
            $0.timeouts = Timeouts(idle: nil)
        }
        let values: [Int] = try await client.get("/flaky")
        XCTAssertEqual(values, [1])
        XCTAssertEqual(mock.requests.count, 3)
        mock.verify()
        XCTAssertEqual(issues, [])
    }

    func testMatches_chooseTheRoute() async throws {
        let rows: [(match: RequestMatch, call: NetworkCall, other: NetworkCall)] = [
            (.query("q", "a b"), .init(.post, "/x?q=a%20b&z=1"), .init(.post, "/x?q=a")),
            (.exactQuery(["b": "2", "a": "1"]), .init(.post, "/x?a=1&b=2"), .init(.post, "/x?a=1&b=2&c=3")),
            (
                .header("x-tenant", "7"), .init(.post, "/x", headers: ["X-Tenant": "7"]),
                .init(.post, "/x", headers: ["X-Tenant": "8"])
            ),
            (
                .json(["a": ["b": 1], "c": [["d": true]]]),
                .init(.post, "/x", body: .json(["a": ["b": 1, "z": 2], "c": [["d": true, "e": nil]]] as JSON)),
                .init(.post, "/x", body: .json(["a": ["b": 1], "c": []] as JSON))
            ),
            (
                .exactJSON(["a": 1]), .init(.post, "/x", body: .json(["a": 1] as JSON)),
                .init(.post, "/x", body: .json(["a": 1, "b": 2] as JSON))
            ),
            (
                .form("q", "a b"), .init(.post, "/x", body: .form(["q": "a b", "z": "1"])),
                .init(.post, "/x", body: .form(["q": "a"]))
            ),
            (.bodyContains("needle"), .init(.post, "/x", body: .text("a needle")), .init(.post, "/x")),
            (
                RequestMatch("a long body") { $0.body.count > 3 }, .init(.post, "/x", body: .text("1234")),
                .init(.post, "/x", body: .text("123"))
            ),
        ]
        for row in rows {
            let mock = transport()
            mock.on(.post, "/x", matching: [row.match], .text("right"))
            mock.on(nil, "/**", .text("other"))
            let client = try client(mock)
            let right = try await client.string(row.call)
            let other = try await client.string(row.other)
            XCTAssertEqual([right, other], ["right", "other"], row.match.description)
        }
    }

    func testMCK01_mockedStatusFailsAsALiveOneAndIsRetried() async throws {
        let mock = transport()
        mock.on(.get, "/a", .json(#"{"e":1}"#, status: 500))
        let client = try client(mock) { $0.retry = .constant(.zero, maxRetries: 1) }
        let error = await XCTAssertThrowsNetworkError(.server) { try await client.data(NetworkCall(.get, "/a")) }
        XCTAssertEqual(error?.status, 500)
        XCTAssertEqual(error?.body, Data(#"{"e":1}"#.utf8))
        XCTAssertEqual(mock.requests.count, 2)
    }

    func testMCK03_mockedAnswerHasURLStatusAndHeaders() async throws {
        let mock = transport(fixtures: .memory(["a.json": Data("{}".utf8)]))
        mock.on(.get, "http://api.example.test/a", .fixture("a.json", status: 201, headers: ["etag": "\"v\""]))
        let url = try XCTUnwrap(URL(string: "http://api.example.test/a"))
        let response = try await client(mock).response(NetworkCall(.get, url: url), as: JSON.self)
        XCTAssertEqual(response.head.url, url)
        XCTAssertEqual(response.status, 201)
        XCTAssertEqual(response.headers["ETag"], "\"v\"")
        XCTAssertEqual(response.source, .mock)
    }

    func testMCK04_matchersAndRecordSeeBodiesOfEveryKind() async throws {
        let content = Data(#"{"a":1}"#.utf8)
        let file = FileManager.default.temporaryDirectory.appending(path: "ferry-mck04-\(UUID().uuidString)")
        try content.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let stream = AsyncStream<Data> { continuation in
            continuation.yield(content)
            continuation.finish()
        }
        let bodies: [(name: String, body: RequestBody)] = [
            ("Data body", .data(content)), ("file body", .file(file)),
            ("multipart", .multipart { $0.append("part", file: file) }),
            ("stream body", .stream(BodyStream { stream })),
        ]
        for (name, body) in bodies {
            let mock = transport()
            mock.on(.post, "/x", matching: [.bodyContains(#""a":1"#)], .empty())
            try await client(mock).request(NetworkCall(.post, "/x", body: body))
            XCTAssertNotNil(mock.requests.first?.body.range(of: content), name)
            XCTAssertEqual(issues, [], name)
        }
    }

    func testUnmatched_namesRequestAndNearestRoutesAtTheTransportsLine() async throws {
        let mock = transport(line: 4711)
        mock.on(.post, "/users/{id}", matching: [.json(["name": "Ada"])], .empty())
        mock.on(.get, "/users/{id}", times: .exactly(1), .json("{}"))
        mock.on(.delete, "/other", .empty())
        mock.on(.patch, "/another", matching: [.query("a", "1")], .empty())
        let client = try client(mock)
        _ = try await client.data(NetworkCall(.get, "/users/1"))
        let error = await XCTAssertThrowsNetworkError(.mock) {
            try await client.data(NetworkCall(.get, "/users/1?token=hush"))
        }
        XCTAssertEqual(issues.count, 1)
        XCTAssertEqual(issueLines, [4711])
        XCTAssertEqual(
            issues.first,
            """
            GET https://api.example/users/1 was not mocked (query names: token). The nearest routes:
              - GET /users/{id}: does not fit: it has answered 1 of 1 times
              - POST /users/{id} with JSON body with {"name":"Ada"}: does not fit: method POST, JSON body with {"name":"Ada"}
              - DELETE /other: does not fit: method DELETE, path /other
              and 1 more
            """)
        XCTAssertEqual(error?.message, issues.first)
    }

    func testUnused_failsAtTheRoutesLineAtVerifyOrAtTheEnd() async throws {
        let verified = transport(allowsUnusedRoutes: false)
        verified.on(.get, "/never", .empty(), line: 11)
        verified.on(.get, "/sequence", .status(503), .json("[]"), line: 12)
        verified.on(.get, "/optional", times: .anyNumber, .empty())
        _ = try? await client(verified).data(NetworkCall(.get, "/sequence"))
        verified.verify()
        XCTAssertEqual(issueLines, [11, 12])
        XCTAssertEqual(
            issues,
            [
                "The mocked route GET /never was never used",
                "The mocked route GET /sequence was used 1 times and is meant for 2",
            ])

        var dropped: MockTransport? = transport(allowsUnusedRoutes: false)
        dropped?.on(.get, "/dropped", .empty(), line: 13)
        dropped = nil
        XCTAssertEqual(issueLines, [11, 12, 13])
    }

    func testDelay_runsByTheClientsClock() async throws {
        let clock = ManualClock()
        let mock = transport()
        mock.on(.get, "/slow", .text("late").delayed(by: .seconds(9)))
        let client = try client(mock) {
            $0.clock = clock
            $0.timeouts = Timeouts(idle: nil)
        }
        async let text = client.string(NetworkCall(.get, "/slow"))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(9))
        let late = try await text
        XCTAssertEqual(late, "late")
    }

    func testClosure_seesTheRequestAndMayThrow() async throws {
        struct Broken: Error {}
        let mock = transport()
        mock.on(.post, "/echo") { request in .text(request.text + (request.headers["X-Mark"] ?? "")) }
        mock.on(.get, "/broken") { _ in throw Broken() }
        mock.on(.get, "/offline") { _ in throw NetworkError(.offline, "no network") }
        let client = try client(mock)
        let text = try await client.string(
            NetworkCall(.post, "/echo", headers: ["X-Mark": "!"], body: .text("hello")))
        XCTAssertEqual(text, "hello!")
        await XCTAssertThrowsNetworkError(.mock) { try await client.data(NetworkCall(.get, "/broken")) }
        await XCTAssertThrowsNetworkError(.offline) { try await client.data(NetworkCall(.get, "/offline")) }
    }

    func testOrder_isAsserted() async throws {
        let mock = transport()
        let signIn = mock.on(.post, "/session", .empty())
        let read = mock.on(.get, "/users/{id}", .json("{}"))
        let client = try client(mock)
        try await client.request(NetworkCall(.post, "/session"))
        _ = try await client.data(NetworkCall(.get, "/users/1"))
        mock.assertRequests("POST /session", "GET /users/{id}")
        mock.assertOrder(signIn, before: read)
        XCTAssertEqual(issues, [])
        mock.assertOrder(read, before: signIn)
        mock.assertRequests("GET /users/1", "GET /users/1", "DELETE /x")
        XCTAssertEqual(
            issues,
            [
                "GET /users/{id} answered request 2, after POST /session answered request 1",
                """
                The requests are not the expected ones:
                  ✗ 1. came POST /session, expected GET /users/1
                    2. came GET /users/1, expected GET /users/1
                  ✗ 3. came nothing, expected DELETE /x
                """,
            ])
    }

    func testConcurrentCalls_takeEachReplyOnce() async throws {
        let mock = transport(allowsUnusedRoutes: false)
        for index in 0..<20 { mock.on(.get, "/n", times: .exactly(1), .text("\(index)")) }
        let client = try client(mock)
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await client.string(NetworkCall(.get, "/n")) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        XCTAssertEqual(answers.count, 20)
        mock.verify()
        XCTAssertEqual(issues, [])
    }
}
