import Foundation
import XCTest

@testable import Ferry

final class HTTPHeadersTests: XCTestCase {
    func testHDR01_injectionIsRefused() throws {
        let row = try ConformanceCase.load("HDR-01", area: "headers")
        let name = try XCTUnwrap(row.input["name"].string)
        let url = try XCTUnwrap(URL(string: "https://api.example.test/"))
        func assertRefused(_ headers: HTTPHeaders, hides secret: String?) {
            XCTAssertThrowsError(try HTTPRequest(url: url, headers: headers).validate()) {
                XCTAssertEqual(($0 as? NetworkError)?.kind, .invalidHeader)
                if let secret { XCTAssertFalse("\($0)".contains(secret)) }
            }
        }
        XCTAssertEqual(row.input["values"].strings.count, 5)
        for value in row.input["values"].strings {
            assertRefused([name: value], hides: value)
            var appended: HTTPHeaders = [:]
            appended.append(name, value)
            assertRefused(appended, hides: value)
        }
        for bad in row.input["bad_names"].strings { assertRefused([bad: "v"], hides: nil) }
    }

    func testHDR04_requestReplacesDefaultsOfOtherCase() throws {
        let row = try ConformanceCase.load("HDR-04", area: "headers")
        let defaults = HTTPHeaders(
            row.input["defaults"].object.map { HTTPHeaders.Field(name: $0.key, value: $0.value.string ?? "") })
        let own = HTTPHeaders(
            row.input["request"].object.map { HTTPHeaders.Field(name: $0.key, value: $0.value.string ?? "") })
        let merged = defaults.merging(own)
        for (name, values) in row.expected["wire"].object { XCTAssertEqual(merged.values(of: name), values.strings) }
        XCTAssertEqual(merged.count, 2)
    }

    func testSubscript_readsAndReplacesWithoutCase() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
        XCTAssertEqual(headers["a"], "1, 3")
        XCTAssertEqual(headers.values(of: "A"), ["1", "3"])
        headers["a"] = "x"
        XCTAssertEqual(headers.fields.map(\.name), ["a", "B"])
        headers["b"] = nil
        XCTAssertFalse(headers.contains("B"))
        headers["C"] = ""
        XCTAssertEqual(headers["c"], "")
        XCTAssertNil(headers["D"])
        headers.append("c", "2")
        XCTAssertEqual(headers["C"], ", 2")
    }

    func testMerge_replacesAllLinesOfAName() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
        headers.merge(["a": "x", "A": "y", "C": "z"])
        XCTAssertEqual(headers.map(\.value), ["2", "x", "y", "z"])
        headers.merge([:])
        XCTAssertEqual(headers.count, 4)
    }

    func testEquality_ignoresCaseOfNamesAlone() {
        XCTAssertEqual(["Accept": "a"] as HTTPHeaders, ["accept": "a"])
        XCTAssertNotEqual(["Accept": "a"] as HTTPHeaders, ["accept": "A"])
        XCTAssertEqual(Set([["Accept": "a"] as HTTPHeaders, ["ACCEPT": "a"]]).count, 1)
        // Only ASCII letters have a case here: "@" and "`" differ by the same bit.
        XCTAssertNil((["@": "1"] as HTTPHeaders)["`"])
        XCTAssertNil((["K": "1"] as HTTPHeaders)["\u{212A}"], "the Kelvin sign is no K")
    }

    /// RFC 9110 §5.5 and §5.6.2.
    func testValidate_table() {
        let values: [(String, Bool)] = [
            ("", true), ("a b\tc", true), ("é", true), ("\u{85}", true), ("a\u{0B}", false), ("a\u{7F}", false),
            ("a\u{1}", false), ("a\n", false), ("\r\n", false), ("\u{301}", true), ("\n\u{301}", false),
        ]
        for (value, isValid) in values {
            XCTAssertEqual((try? (["X-A": value] as HTTPHeaders).validate()) != nil, isValid, value.debugDescription)
        }
        for (name, isValid) in [
            ("x!#$%&'*+-.^_`|~9", true), ("é", false), ("a b", false), ("a\t", false), ("(", false),
        ] {
            XCTAssertEqual((try? ([name: "v"] as HTTPHeaders).validate()) != nil, isValid, name)
        }
    }

    func testDescription_neverShowsValues() {
        let headers: HTTPHeaders = ["Authorization": "hunter2"]
        var dumped = ""
        dump(headers, to: &dumped)
        for text in ["\(headers)", String(reflecting: headers), dumped, "\(Optional(headers) as Any)"] {
            XCTAssertFalse(text.contains("hunter2"), text)
        }
        let field = HTTPHeaders.Field(name: "Authorization", value: "hunter2")
        XCTAssertFalse("\(field)".contains("hunter2"))
        XCTAssertFalse("\(headers.fields)".contains("hunter2"))
    }
}
