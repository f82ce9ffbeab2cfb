import Ferry
import Foundation
import XCTest

/// RFC 9457.
final class ProblemDetailsTests: XCTestCase {
    private func decode(_ json: String) throws -> ProblemDetails {
        try JSONDecoder().decode(ProblemDetails.self, from: Data(json.utf8))
    }

    /// The example of §3.
    func testProblem_example() throws {
        let problem = try decode(
            """
            {"type":"https://example.com/probs/out-of-credit","title":"You do not have enough credit.",
            "detail":"Your current balance is 30, but that costs 50.","instance":"/account/12345/msgs/abc",
            "balance":30,"accounts":["/account/12345","/account/67890"]}
            """)
        XCTAssertEqual(problem.type, "https://example.com/probs/out-of-credit")
        XCTAssertEqual(problem.title, "You do not have enough credit.")
        XCTAssertEqual(problem.detail, "Your current balance is 30, but that costs 50.")
        XCTAssertEqual(problem.instance, "/account/12345/msgs/abc")
        XCTAssertNil(problem.status)
    }

    /// §3.1.1: an absent type is about:blank; §3.1: a member of another type is ignored.
    func testProblem_absentAndMistypedMembers() throws {
        for json in ["{}", #"{"type":7,"title":[],"status":"404","detail":{},"instance":null}"#, #"{"type":null}"#] {
            let problem = try decode(json)
            XCTAssertEqual(problem.type, "about:blank")
            XCTAssertNil(problem.title)
            XCTAssertNil(problem.status)
            XCTAssertNil(problem.detail)
            XCTAssertNil(problem.instance)
        }
        XCTAssertEqual(try decode(#"{"status":404,"title":1}"#).status, 404)
        for json in ["[]", "1", "null", #""x""#] { XCTAssertThrowsError(try decode(json), json) }
    }
}
