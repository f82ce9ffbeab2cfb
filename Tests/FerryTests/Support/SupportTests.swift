import XCTest

final class SupportTests: XCTestCase {
    func testConformanceFiles_areReadable() throws {
        XCTAssertEqual(try ConformanceCase.load("URL-01", area: "url").input["path"].string, "")
    }
}
