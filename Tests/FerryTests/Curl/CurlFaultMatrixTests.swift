#if os(Linux)
    import Ferry
    import FerryCurl
    import FerryTesting
    import XCTest

    /// The fault matrix over libcurl, with no row left out.
    final class CurlFaultMatrixTests: FaultMatrixTests {
        override class var name: String { "libcurl" }
        override class func makeTransport() throws -> any Transport { try CurlTransport() }
        override class var impossible: [String: String] { [:] }
        override class var expected: [String: Set<String>] {
            // The lines come as they were sent, so the contradiction is seen at once.
            ["two Content-Length that differ, also in spelling": ["malformedResponse"]]
        }

        func testMatrix_leavesNothingOut() { XCTAssertTrue(Self.impossible.isEmpty) }
    }
#endif
