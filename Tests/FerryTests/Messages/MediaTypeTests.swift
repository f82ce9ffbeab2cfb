import Foundation
import XCTest

@testable import Ferry

final class MediaTypeTests: XCTestCase {
    /// RFC 9110 §8.3.1 and §5.6.6.
    func testParse_table() {
        let rows: [(String, String?)] = [
            ("text/plain", "text/plain"), ("Text/HTML;Charset=UTF-8", "text/html; charset=UTF-8"),
            ("text/html; charset=\"utf-8\"", "text/html; charset=utf-8"),
            (" text/plain ; a=b ; c=d ", "text/plain; a=b; c=d"),
            ("text/plain;;", "text/plain"), ("text/plain;", "text/plain"), ("text/plain; ;a=b", "text/plain; a=b"),
            ("multipart/x; boundary=\"a b\\\"c\"", "multipart/x; boundary=\"a b\\\"c\""),
            ("a/b; x=1; X=2", "a/b; x=1"), ("application/vnd.api+json", "application/vnd.api+json"), ("*/*", "*/*"),
            ("a/b; x=\"\"", "a/b; x=\"\""),
            ("", nil), ("text", nil), ("text/", nil), ("/plain", nil), ("text /plain", nil), ("text/plain x", nil),
            ("te\u{301}xt/plain", nil), ("text/plain, text/html", nil),
        ]
        for (text, expected) in rows { XCTAssertEqual(MediaType(text)?.description, expected, text) }
    }

    /// WHATWG MIME Sniffing §4.4, step 11: what is no parameter is skipped.
    func testParse_skipsMalformedParameters() {
        let rows: [(String, String)] = [
            ("application/json; charset=", "application/json"), ("application/json;charset", "application/json"),
            ("application/json; =utf-8", "application/json"), ("application/json; =; a=b", "application/json; a=b"),
            ("text/html; charset =utf-8", "text/html"), ("text/html; x y=1;charset=gbk", "text/html; charset=gbk"),
            ("text/html;charset=gbk  ;a=b", "text/html; charset=gbk; a=b"),
            ("text/html;charset=\"gbk\" trash;a=b", "text/html; charset=gbk; a=b"),
            ("text/plain; a=\"b", "text/plain; a=b"), ("text/plain; a=\"b\\", "text/plain; a=\"b\\\\\""),
            ("text/plain; a=\"b;c", "text/plain; a=\"b;c\""), ("text/plain; a=;a=b", "text/plain; a=b"),
            ("text/plain; a=b, text/html", "text/plain; a=\"b, text/html\""),
            ("text/plain; a=\u{1};b=c", "text/plain; b=c"), ("text/plain; =\u{301}; a=b", "text/plain; a=b"),
        ]
        for (text, expected) in rows { XCTAssertEqual(MediaType(text)?.description, expected, text) }
        XCTAssertEqual(MediaType("application/json; charset=")?.isJSON, true)
    }

    func testContentType_ofSeveralTheLastWellFormedCounts() {
        let rows: [(lines: [String], type: String?)] = [  // RFC 9110 §8.3, WHATWG Fetch §2.2.2
            (["application/json"], "application/json"), (["text/html", "application/json"], "application/json"),
            (["application/json, text/html"], "text/html"), (["application/json", "nonsense"], "application/json"),
            (["application/json, */*"], "application/json"), (["a/b;x=\"1,c/d\""], "a/b; x=\"1,c/d\""),
            (["a/b;x=\"1,2\", c/d"], "c/d"), (["text/html;charset=gbk, text/html"], "text/html; charset=gbk"),
            (["text/html;charset=gbk, text/html;charset=utf-8"], "text/html; charset=utf-8"),
            (["text/html;charset=gbk, text/plain"], "text/plain"), ([",", ""], nil),
            (["a/b;x=\"1, c/d"], "a/b; x=\"1, c/d\""),
            (["a, b"], nil), ([], nil),
        ]
        for (lines, type) in rows {
            let headers = HTTPHeaders(lines.map { HTTPHeaders.Field(name: "Content-Type", value: $0) })
            let head = HTTPResponse.Head(status: .ok, headers: headers, url: URL(filePath: "/"))
            XCTAssertEqual(head.contentType?.description, type, "\(lines)")
        }
    }

    func testParts_areChecked() {
        XCTAssertNil(MediaType(type: "a b", subtype: "c"))
        XCTAssertNil(MediaType(type: "a", subtype: ""))
        XCTAssertNil(MediaType(type: "a", subtype: "b", parameters: [("c", "d\r\n")]))
        XCTAssertEqual(MediaType(type: "A", subtype: "B", parameters: [("C", "d e")])?.description, "a/b; c=\"d e\"")
    }

    func testQuestions() throws {
        XCTAssertTrue(try XCTUnwrap(MediaType("application/hal+json")).isJSON)
        XCTAssertTrue(try XCTUnwrap(MediaType("text/json")).isJSON)
        XCTAssertFalse(try XCTUnwrap(MediaType("image/json")).isJSON)
        XCTAssertFalse(try XCTUnwrap(MediaType("application/jsonp")).isJSON)
        XCTAssertTrue(try XCTUnwrap(MediaType("image/svg+xml")).isText)
        XCTAssertFalse(MediaType.octetStream.isText)
        XCTAssertEqual(try XCTUnwrap(MediaType("a/b; Charset=UTF-8")).charset, "utf-8")
        XCTAssertTrue(MediaType.json.matches(try XCTUnwrap(MediaType("application/*"))))
        XCTAssertTrue(MediaType.json.matches(try XCTUnwrap(MediaType("*/*"))))
        XCTAssertFalse(MediaType.json.matches(MediaType.problem))
        XCTAssertEqual("\(MediaType.json)", "application/json")
    }
}

final class FieldScannerTests: XCTestCase {
    func testQuotedString_table() {
        let rows: [(String, String?, Int)] = [
            ("\"a\"b", "a", 3), ("\"\"", "", 2), ("\"a\\\"b\"", "a\"b", 6), ("\"a\\\\\"", "a\\", 5), ("\"a", nil, 0),
            ("\"a\\", nil, 0), ("a", nil, 0), ("", nil, 0), ("\"é;,\"", "é;,", 6), ("\"\u{301}\"", "\u{301}", 4),
        ]
        for (text, expected, position) in rows {
            var scanner = FieldScanner(text)
            XCTAssertEqual(scanner.quotedString(), expected, text)
            XCTAssertEqual(scanner.position, position, text)
        }
    }

    func testTokensAndDelimiters() {
        var scanner = FieldScanner("  ab\t=;x")
        XCTAssertNil(scanner.token())
        scanner.skipWhitespace()
        XCTAssertEqual(scanner.token(), "ab")
        XCTAssertFalse(scanner.take("="))
        scanner.skipWhitespace()
        XCTAssertTrue(scanner.take("="))
        XCTAssertTrue(scanner.take(";"))
        XCTAssertEqual(scanner.peek, UInt8(ascii: "x"))
        XCTAssertEqual(scanner.tokenOrQuotedString(), "x")
        XCTAssertTrue(scanner.isAtEnd)
        XCTAssertNil(scanner.takeByte())
    }

    func testTrimming_isOfSpacesAndTabsAlone() {
        XCTAssertEqual(FieldSyntax.trimmed(" \ta b\t "), "a b")
        XCTAssertEqual(FieldSyntax.trimmed("\u{A0}a"), "\u{A0}a")
        XCTAssertEqual(FieldSyntax.trimmed(" \t"), "")
        var scanner = FieldScanner(FieldSyntax.quoted("a\"b\\c"))
        XCTAssertEqual(scanner.quotedString(), "a\"b\\c")
    }
}
