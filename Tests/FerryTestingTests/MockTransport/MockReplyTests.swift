import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// What routes answer, how often, and what is seen of requests.
final class MockReplyTests: MockTestCase, @unchecked Sendable {  // Stores nothing itself.
    private let call = NetworkCall(.get, "/x")

    private func texts(_ mock: MockTransport, _ count: Int) async throws -> [String] {
        let client = try client(mock)
        var texts: [String] = []
        for _ in 0..<count { texts.append(try await client.string(call)) }
        return texts
    }

    func testSequence_repeatsItsLastReply_orEndsAfterItsTimes() async throws {
        let mock = transport()
        mock.on(.get, "/x", replies: [.text("a"), .text("b")])
        let repeated = try await texts(mock, 4)
        XCTAssertEqual(repeated, ["a", "b", "b", "b"])

        let counted = transport(allowsUnusedRoutes: false)
        counted.on(.get, "/x", times: .exactly(3), .text("a"), .text("b"))
        counted.on(.get, "/x", .text("c"))
        let ended = try await texts(counted, 5)
        XCTAssertEqual(ended, ["a", "b", "b", "c", "c"])
        counted.verify()
        XCTAssertEqual(issues, [])
    }

    func testAnswering_inTurnIsExactlyThat() async throws {
        let mock = MockTransport.answering(inTurn: .status(503), .text("up"))
        let text = try await client(mock) { $0.retry = .constant(.zero, maxRetries: 1) }.string(call)
        XCTAssertEqual(text, "up")
        mock.verify()
        let echo = MockTransport.answering { .text("\($0.method) \($0.path)") }
        let answer = try await client(echo).string(NetworkCall(.delete, "/any/thing"))
        XCTAssertEqual(answer, "DELETE /any/thing")
    }

    func testBodyOfWhatHasNone_isLeftOut() async throws {
        let mock = transport()
        mock.on(.head, "/x", .json(#"{"a": 1}"#))
        mock.on(.get, "/204", .json("{}", status: 204))
        mock.on(.get, "/304", .json("{}", status: 304, headers: ["ETag": "\"1\""]))
        let client = try client(mock) { $0.validation = .any }
        for (call, status, length) in [
            (NetworkCall(.head, "/x"), 200, "8"), (NetworkCall(.get, "/204"), 204, nil),
            (NetworkCall(.get, "/304"), 304, nil),
        ] {
            let response = try await client.response(call, as: Data.self)
            XCTAssertEqual(response.status.code, status)
            XCTAssertEqual(response.body, Data())
            XCTAssertEqual(response.headers["Content-Length"], length, "RFC 9110 8.6, \(status)")
        }
    }

    func testReplyThatCannotBeGiven_failsTheTestAtItsRoute() async throws {
        let mock = transport(fixtures: .directory(URL(filePath: "/no/such")))
        mock.on(.get, "/fixture", .fixture("users/1.json"), line: 21)
        mock.on(.get, "/traversal", .fixture("../secret.json"), line: 22)
        mock.on(.get, "/status", .status(101), line: 23)
        mock.on(.get, "/meant", .failure(.mock), line: 24)
        let client = try client(mock)
        for path in ["/fixture", "/traversal", "/status", "/meant"] {
            await XCTAssertThrowsNetworkError(.mock) { try await client.data(NetworkCall(.get, path)) }
        }
        XCTAssertEqual(issueLines, [21, 22, 23])
        XCTAssertEqual(
            issues,
            [
                "GET /fixture: Fixture \"users/1.json\" does not exist: tried /no/such/users/1.json",
                "GET /traversal: Fixture name \"../secret.json\" is refused: it has a part of dots alone",
                "GET /status: The mock's status 101 is no final status (RFC 9110 §15)",
            ])
    }

    func testCancel_endsADelayAtOnce() async throws {
        let clock = ManualClock()
        let mock = transport()
        mock.on(.get, "/x", .text("late").delayed(by: .seconds(3600)))
        let client = try client(mock) {
            $0.clock = clock
            $0.timeouts = Timeouts(idle: nil)
        }
        let call = call
        let task = Task { try await client.string(call) }
        await clock.waitForSleepers()
        task.cancel()
        await XCTAssertThrowsNetworkError(.cancelled) { try await task.value }
        XCTAssertEqual(clock.sleeperCount, 0)
    }

    func testConcurrentCalls_areEachRecordedOnceWithTheirBody() async throws {
        let mock = transport()
        let route = mock.on(.post, "/n/{number}") { .text($0.pathParameters["number"] ?? "") }
        let client = try client(mock)
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await client.string(NetworkCall(.post, "/n/\(number)", body: .text("body \(number)")))
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        XCTAssertEqual(answers, Set((0..<200).map(String.init)))
        XCTAssertEqual(mock.requests.map(\.number), Array(1...200))
        XCTAssertTrue(mock.requests(of: route).allSatisfy { $0.text == "body \($0.pathParameters["number"] ?? "")" })
    }

    func testUploadsAndStreams_areRecordedWhole() async throws {
        let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let file = FileManager.default.temporaryDirectory.appending(path: "ferry-reply-\(UUID().uuidString)")
        try content.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let mock = MockTransport.answering { _ in .empty() }
        let client = try client(mock)
        try await client.request(NetworkCall(.put, "/up", body: .file(file)))
        let chunks = AsyncStream<Data> { continuation in
            for start in stride(from: 0, to: content.count, by: 1000) {
                continuation.yield(content[start..<start + 1000])
            }
            continuation.finish()
        }
        try await client.request(NetworkCall(.put, "/up", body: .stream(BodyStream(once: chunks))))
        XCTAssertEqual(mock.requests.map(\.body), [content, content])
        XCTAssertEqual(mock.requests.map(\.hasBody), [true, true])
        try await client.request(NetworkCall(.post, "/up"))
        try await client.request(NetworkCall(.post, "/up", body: .data(Data())))
        XCTAssertEqual(
            mock.requests.suffix(2).map(\.hasBody), [false, true], "no body and an empty one are two things")
        XCTAssertEqual(mock.requests.suffix(2).map(\.body), [Data(), Data()])
    }

    func testAssertRequests_mayAskForAQuery() async throws {
        let mock = MockTransport.answering { _ in .empty() }
        try await client(mock).request(NetworkCall(.get, "/search?q=a&page=2"))
        mock.assertRequests("get search?page=2")
    }

    func testRedirect_isFollowed() async throws {
        let mock = transport()
        mock.on(.get, "/old", .redirect(to: "/new", status: .permanentRedirect))
        mock.on(.get, "/new", .text("here"))
        let response = try await client(mock).response(NetworkCall(.get, "/old"), as: String.self)
        XCTAssertEqual(response.value, "here")
        XCTAssertEqual(response.redirects.map(\.status), [308])
    }
}
