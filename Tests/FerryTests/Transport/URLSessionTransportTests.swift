import Ferry
import FerryTesting
import Foundation
import XCTest

/// What the URLSession transport does beyond the contract, for facts of FoundationNetworking.
final class URLSessionTransportTests: ClientTestCase {
    /// On a kept-alive connection that the server closes on receipt, FoundationNetworking would send the head of a POST
    /// again without its body, and hang.
    func testBodies_doNotUseAConnectionThatTheServerMayClose() async throws {
        server.on(.get, "/a", .text("ok"))
        server.on(.post, "/b", .closed)
        let client = client()
        for _ in 0..<5 {
            _ = try await client.data(NetworkCall(.get, "/a"))
            let error = await failure { () throws(NetworkError) in
                try await client.data(NetworkCall(.post, "/b", body: .text("x")))
            }
            XCTAssertEqual(error?.kind, .connectionLost)
        }
        let posts = server.requests.filter { $0.method == .post }
        XCTAssertEqual(posts.map(\.text), Array(repeating: "x", count: 5), "each body came once and whole")
        XCTAssertTrue(posts.allSatisfy { $0.numberOnConnection == 1 })
        #if canImport(FoundationNetworking)
            XCTAssertEqual(Set(posts.compactMap { $0.headers["Connection"] }), ["close"])
        #endif
    }

    func testPlainRequests_shareConnections() async throws {
        server.on(.get, "/a", .text("ok"))
        let client = client()
        for _ in 0..<5 { _ = try await client.data(NetworkCall(.get, "/a")) }
        XCTAssertEqual(server.acceptedConnections, 1)
    }

    func testShutdown_endsExchangesThatAreJustStarting() async throws {
        server.on(.get, "/stall", .stalled)
        for round in 0..<20 {
            let client = client { $0.throttle = .none }
            let tasks = (0..<20).map { _ in
                Task { () -> NetworkError? in
                    await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/stall")) }
                }
            }
            for _ in 0..<round { await Task.yield() }
            await client.shutdown()
            for task in tasks {
                let error = await task.value
                XCTAssertEqual(error?.kind, .cancelled)
            }
        }
    }
}
