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
