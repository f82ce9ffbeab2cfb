import Ferry
import FerryTesting
import XCTest

/// The suite with connections that are reused for bodies too, as a user may choose who trusts the server's keep-alive.
///
/// The tests of the superclass run here as well; on Linux they are found because this class has one of its own.
final class ReusingTransportTests: TransportConformanceTests {
    override func makeTransport() throws -> any Transport {
        URLSessionTransport(settings: .init(reusesConnectionsForBodies: true))
    }

    func testBodies_shareAConnection() async throws {
        server.on(.post, "/b", .text("ok"))
        for _ in 0..<3 { _ = try await send(.post, "/b", body: .text("x")) }
        XCTAssertEqual(server.acceptedConnections, 1)
    }
}
