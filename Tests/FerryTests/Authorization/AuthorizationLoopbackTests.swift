import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// The same over real sockets.
final class AuthorizationLoopbackTests: XCTestCase {
    private func burst(refresh: LoopbackResponse) async throws -> (
        results: [Result<String, NetworkError>], refreshes: Int, requests: Int, credential: String?
    ) {
        let server = try await LoopbackServer.start()
        let counts = Mutex((refreshes: 0, requests: 0))
        let rejected = Gate()
        server.on(.get, "/items") { request in
            counts.withLock { $0.requests += 1 }
            return request.headers["Authorization"] == "Bearer T2" ? .text("ok") : .status(401)
        }
        server.on(.post, "/token") { _ in
            // All have met their 401 by then: a request that came later would be sent with T2 or after the failure.
            await rejected.wait()
            counts.withLock { $0.refreshes += 1 }
            return refresh
        }
        let store = CredentialStore.asking()
        let client = NetworkClient(baseURL: server.baseURL) { $0.authorization = .refreshing(store) }
        async let texts = client.texts(200, NetworkCall(.get, "/items"))
        await waitUntil { store.waiterCount == 200 }
        rejected.open()
        let results = await texts
        await client.shutdown()
        await server.stop()
        let (refreshes, requests) = counts.withLock { $0 }
        return (results, refreshes, requests, store.credential?.accessToken)
    }

    func testBurst_of200OverSocketsRefreshesOnceAndAllSucceed() async throws {
        let run = try await burst(refresh: .text("T2"))
        XCTAssertEqual(run.results.filter { $0.value == "ok" }.count, 200)
        XCTAssertEqual(run.refreshes, 1)
        XCTAssertEqual(run.credential, "T2")
        // Those that came during the refresh waited without a request of their own.
        XCTAssertTrue((201...400).contains(run.requests), "\(run.requests)")
    }

    func testBurst_of200OverSocketsFailsTogether() async throws {
        let run = try await burst(refresh: .json(#"{"error": "invalid_grant"}"#, status: 400))
        XCTAssertEqual(run.results.filter { $0.error?.status == 400 }.count, 200)
        XCTAssertEqual(run.refreshes, 1)
        XCTAssertNil(run.credential)
        XCTAssertLessThanOrEqual(run.requests, 200)
    }
}
