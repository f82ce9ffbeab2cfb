#if os(Linux)
    import Ferry
    import FerryCurl
    import FerryTesting
    import Foundation
    import XCTest

    /// The suite over libcurl, with nothing left out.
    final class CurlTransportConformanceTests: TransportConformanceTests {
        override func makeTransport() throws -> any Transport { try CurlTransport() }
        override class var impossible: [String: String] { [:] }
        override class var stopsTheServer: Bool { true }

        func testHeaders_keepOrderAndSpelling() async throws {
            server.on(.get, "/h", .text("ok").header("zebra-count", "1").header("x-lower", "2").header("ETAG", "\"v\""))
            let response = try await send(.get, "/h")
            let names = response.headers.map(\.name).filter { ["zebra-count", "x-lower", "ETAG"].contains($0) }
            XCTAssertEqual(names, ["zebra-count", "x-lower", "ETAG"])
        }
    }
#endif
