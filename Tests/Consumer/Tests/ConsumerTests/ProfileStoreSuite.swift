import Ferry
import FerryTesting
import Foundation
import Testing

struct ProfileStoreSuite {
    @Test func profile_comesFromAFixture() async throws {
        let mock = MockTransport(fixtures: .bundle(.module, subdirectory: "Fixtures"))
        mock.on(.get, "/users/{id}", .fixture("users/1.json"))
        let store = ProfileStore(client: NetworkClient(baseURL: api) { $0.transport = mock })
        let profile = try await store.profile(1)
        #expect(profile == Profile(id: 1, name: "Ada"))
        mock.verify()
    }

    @Test func tokens_comeAtTheirTime() async throws {
        let files = FixtureSource.bundle(.module, subdirectory: "Fixtures")
        let mock = MockTransport(fixtures: files)
        mock.on(.get, "/tokens", try Fixture("tokens.sse", in: files).response())
        let clock = ManualClock(advancesItself: true)
        let client = NetworkClient(baseURL: api) {
            $0.transport = mock
            $0.clock = clock
            $0.timeouts = Timeouts(idle: nil)
        }
        let text = try await client.string(NetworkCall(.get, "/tokens"))
        #expect(text == "data: Hel\n\ndata: lo\n\n")
        #expect(clock.requestedSleeps.contains(.milliseconds(250)))
    }

    @Test func recording_isReplayed() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "consumer-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        let live = MockTransport.answering { _ in
            .json(#"{"id": 1, "name": "Live"}"#, headers: ["Set-Cookie": "s=hush"])
        }
        for mode in [Cassette.Mode.record, .replay, .replayOrRecord, .strict] {
            let transport = try Cassette.transport(at: file, mode: mode, over: live)
            let store = ProfileStore(client: NetworkClient(baseURL: api) { $0.transport = transport })
            let profile = try await store.profile(1)
            #expect(profile.name == "Live")
        }
        #expect(live.requests.count == 1)
        #expect(try !String(contentsOf: file, encoding: .utf8).contains("hush"))
    }

    @Test func missingProfile_isAnErrorOfTheClient() async throws {
        let mock = MockTransport()
        mock.on(.get, "/users/{id}", .json(#"{"message": "No such user"}"#, status: 404))
        let store = ProfileStore(client: NetworkClient(baseURL: api) { $0.transport = mock })
        let error = await XCTAssertThrowsNetworkError(.client) { try await store.profile(404) }
        #expect(error?.status == 404)
        mock.verify()
    }
}
