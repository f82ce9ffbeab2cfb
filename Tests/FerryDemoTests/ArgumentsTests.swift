import Foundation
import XCTest

@testable import ferry_demo

final class ArgumentsTests: XCTestCase {
    private func parse(_ arguments: String...) throws -> Arguments {
        try Arguments(arguments, chapters: ["first-call", "errors"])
    }

    func testArguments_noneRunEverything() throws {
        let arguments = try parse()
        XCTAssertEqual(arguments.action, .run)
        XCTAssertNil(arguments.baseURL)
        XCTAssertEqual(arguments.only, [])
    }

    func testArguments_baseURLInBothSpellings() throws {
        let url = URL(string: "http://127.0.0.1:8000/api")
        XCTAssertEqual(try parse("--base-url", "http://127.0.0.1:8000/api").baseURL, url)
        XCTAssertEqual(try parse("--base-url=http://127.0.0.1:8000/api").baseURL, url)
    }

    func testArguments_onlyMayBeRepeated() throws {
        XCTAssertEqual(
            try parse("--only", "errors", "--only=first-call", "--only", "errors").only, ["errors", "first-call"])
    }

    func testArguments_helpWinsOverList() throws {
        XCTAssertEqual(try parse("--list").action, .list)
        XCTAssertEqual(try parse("--help", "--list").action, .help)
        XCTAssertEqual(try parse("--list", "-h").action, .help)
    }

    func testArguments_wrongOnesAreUsageErrors() {
        let wrong: [[String]] = [
            ["--nonsense"], ["first-call"], [""], ["--only"], ["--only", "--list"], ["--only="], ["--only", "nobody"],
            ["--base-url"], ["--base-url", "ftp://example.test"], ["--base-url", "localhost:8000"],
            ["--base-url=http://"], ["--base-url=http://a.test", "--base-url=http://b.test"], ["--list=yes"],
            ["--help=yes"],
        ]
        for arguments in wrong {
            XCTAssertThrowsError(try Arguments(arguments, chapters: ["first-call"]), "\(arguments)") {
                XCTAssert($0 is UsageError)
            }
        }
    }

    func testMain_exitCodes() async {
        let wrong = await Tour.main(["--nonsense"], environment: [:])
        let help = await Tour.main(["--help"], environment: [:])
        XCTAssertEqual(wrong, 64)
        XCTAssertEqual(help, 0)
    }
}
