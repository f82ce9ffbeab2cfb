import Foundation
import XCTest

@testable import Ferry

final class URLErrorTableTests: XCTestCase {
    func testUnknownFailure_behindAHeadIsALostConnection() {
        let error = NSError(
            domain: NSURLErrorDomain, code: -1, userInfo: [NSLocalizedDescriptionKey: "words that nobody knows"])
        XCTAssertEqual(URLErrorTable.error(for: error, hasHead: true).kind, .connectionLost)
        XCTAssertEqual(URLErrorTable.error(for: error, hasHead: false).kind, .network)
    }
}
