import Ferry
import FerryTesting
import Foundation
import XCTest

final class ProfileStoreTests: XCTestCase {
    func testProfile_comesFromAFixture() async throws {
        let mock = MockTransport(fixtures: .bundle(.module, subdirectory: "Fixtures"))
        mock.on(.get, "/users/{id}", .fixture("users/1.json"))
        let store = ProfileStore(client: NetworkClient(baseURL: api) { $0.transport = mock })
        let profile = try await store.profile(1)
        XCTAssertEqual(profile, Profile(id: 1, name: "Ada"))
        mock.assertRequests("GET /users/1")
        mock.verify()
    }

    func testProfile_isThatOfTheFixture() async throws {
        let files = FixtureSource.bundle(.module, subdirectory: "Fixtures")
        let mock = MockTransport(fixtures: files)
        mock.on(.get, "users/{id}", matching: [.not(.hasHeader("Authorization"))], .fixture("users/1.http"))
        let store = ProfileStore(client: NetworkClient(baseURL: api) { $0.transport = mock })
        let profile = try await store.profile(1)
        XCTAssertEqual(profile, try Fixture("users/1.json", in: .module).decode(Profile.self))
        XCTAssertThrowsError(try Fixture("users/2.json", in: .module)) { error in
            XCTAssertTrue("\(error)".contains("Fixtures/users/2.json"), "the paths that were tried: \(error)")
        }
    }

    func testFlakyServer_isAskedAgain() async throws {
        let mock = MockTransport.answering(inTurn: .status(503), .failure(.connectionLost), .json("3"))
        let recorder = EventRecorder()
        let clock = ManualClock(advancesItself: true)
        let client = NetworkClient(baseURL: api) {
            $0.transport = mock
            $0.clock = clock
            $0.timeouts = Timeouts(idle: nil)
            $0.eventMonitors = [recorder]
            $0.retry = .constant(.seconds(5), maxRetries: 2)
        }
        let count = await ProfileStore(client: client).count()
        XCTAssertEqual(count, 3)
        XCTAssertEqual(recorder.retries.map(\.wait), [.seconds(5), .seconds(5)])
        XCTAssertEqual(recorder.runningCalls, 0)
        mock.verify()
    }

    func testRename_onARealServer() async throws {
        let server = try await LoopbackServer.start()
        server.expect(.patch, "/users/{id}", matching: [.json(["name": "Grace"])], .status(204))
        let client = NetworkClient(baseURL: server.baseURL)
        try await ProfileStore(client: client).rename(7, to: "Grace")
        server.verify()
        await server.stop()
    }

    func testRename_sendsTheName() async throws {
        let mock = MockTransport()
        mock.on(.patch, "/users/{id}", matching: [.json(["name": "Grace"])], .empty())
        let store = ProfileStore(client: NetworkClient(baseURL: api) { $0.transport = mock })
        try await store.rename(7, to: "Grace")
        XCTAssertEqual(mock.requests.first?.pathParameters, ["id": "7"])
        mock.verify()
    }

    func testServerError_isOne() async throws {
        let mock = MockTransport()
        mock.on(.get, "/users/1", .status(503))
        let store = ProfileStore(client: NetworkClient(baseURL: api) { $0.transport = mock })
        let error = await XCTAssertThrowsNetworkError(.server) { try await store.profile(1) }
        XCTAssertEqual(error?.status, 503)
    }

    func testRecording_isReplayed() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "consumer-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try await LoopbackServer.start { $0.on(.get, "/users/1", .json(#"{"id": 1, "name": "Live"}"#)) }
        let recording = RecordingTransport(to: file)
        let live = try await ProfileStore(
            client: NetworkClient(baseURL: server.baseURL) { $0.transport = recording }
        ).profile(1)
        await server.stop()

        let replay = try ReplayTransport(file)
        let replayed = try await ProfileStore(
            client: NetworkClient(baseURL: server.baseURL) { $0.transport = replay }
        ).profile(1)
        XCTAssertEqual(replayed, live)
        XCTAssertEqual(server.requestCount, 1)
        replay.verify()
    }
}
