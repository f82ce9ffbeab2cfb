import Foundation
import XCTest

@testable import Ferry

final class PathTemplateTests: XCTestCase {
    private func assertInvalid(_ template: PathTemplate, naming word: String, line: UInt = #line) {
        XCTAssertThrowsError(try template.path, line: line) {
            let error = $0 as? NetworkError
            XCTAssertEqual(error?.kind, .invalidURL, line: line)
            XCTAssertTrue(error?.message.contains(word) == true, "\(error?.message ?? "")", line: line)
        }
    }

    func testValues_areEscapedAsOneSegment() throws {
        let rows = [
            ("a/b", "a%2Fb"), ("a+b", "a%2Bb"), ("%2F", "%252F"), ("é😀", "%C3%A9%F0%9F%98%80"), ("a b", "a%20b"),
            ("?#%", "%3F%23%25"), ("a;b:c@d", "a%3Bb%3Ac%40d"), ("-._~", "-._~"), ("{x}", "%7Bx%7D"), ("...", "..."),
            ("\r\n", "%0D%0A"), ("\\", "%5C"), ("%2e%2e", "%252e%252e"),
        ]
        for (value, escaped) in rows {
            XCTAssertEqual(try PathTemplate("/f/{v}/m", ["v": value]).path, "/f/\(escaped)/m")
        }
    }

    func testValues_ofSeveralTypes() throws {
        enum Kind: String, PathValue { case open }
        let id = try XCTUnwrap(UUID(uuidString: "00000000-0000-0000-0000-0000000000AB"))
        let path = PathTemplate(
            "/{a}/{b}/{c}-{d}{a}", ["a": 7, "b": Kind.open, "c": id, "d": Substring("x")])
        XCTAssertEqual(try path.path, "/7/open/00000000-0000-0000-0000-0000000000AB-x7")
        let name = "a/b"
        let interpolated: PathTemplate = "/users/\(7)/repos/\(name)?q=\("")"
        XCTAssertEqual(try interpolated.path, "/users/7/repos/a%2Fb?q=")
        XCTAssertEqual(try ("/plain/x%2Fy" as PathTemplate).path, "/plain/x%2Fy")
        XCTAssertFalse("\(interpolated)".contains("a/b"))
    }

    func testErrors_nameTheVariable() {
        assertInvalid(PathTemplate("/f/{name}"), naming: "{name}")
        assertInvalid(PathTemplate("/f/{a}", ["a": 1, "zed": 2]), naming: "{zed}")
        assertInvalid(PathTemplate("/f/{a}/x", ["a": ""]), naming: "{a}")
        assertInvalid(PathTemplate("/f/{a", ["a": "x"]), naming: "brace")
        assertInvalid(PathTemplate("/f/a}", [:]), naming: "brace")
    }

    func testDotSegments_areRefused() throws {
        assertInvalid(PathTemplate("/f/{a}/x", ["a": ".."]), naming: "{a}")
        assertInvalid(PathTemplate("/f/{a}", ["a": "."]), naming: "{a}")
        assertInvalid(PathTemplate("/f/{a}{b}", ["a": ".", "b": "."]), naming: "{b}")
        assertInvalid(PathTemplate("/f/.{a}?x", ["a": "."]), naming: "{a}")
        assertInvalid(PathTemplate("/f/%2e{a}", ["a": "."]), naming: "{a}")
        assertInvalid("/f/\("..")", naming: "interpolated")
        XCTAssertEqual(try PathTemplate("/f/{a}.{b}", ["a": "x", "b": ".."]).path, "/f/x...")
        XCTAssertEqual(try PathTemplate("/f?{a}", ["a": ".."]).path, "/f?..")
    }
}
