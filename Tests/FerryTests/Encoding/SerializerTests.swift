import Foundation
import XCTest

@testable import Ferry

final class SerializerTests: XCTestCase {
    func testQRY02_formSerializer() throws {
        let row = try ConformanceCase.load("QRY-02", area: "form")
        let items = row.input["form"].array.map { ($0[0].string ?? "", $0[1].string as Parameters.Value) }
        let body = try BodyEncoder().encode(.form(Parameters(items)))
        guard case .data(let data) = body.content else { return XCTFail("not data") }
        XCTAssertEqual(String(decoding: data, as: UTF8.self), row.expected["body"].string)
        XCTAssertEqual(body.contentType?.description, row.expected["content_type"].string)
    }

    /// Value, in a query (RFC 3986 §2.3), in a form (WHATWG URL §5.2).
    private let table: [(value: String, query: String, form: String)] = [
        ("a b", "a%20b", "a+b"), ("a+b", "a%2Bb", "a%2Bb"), ("~*-._", "~%2A-._", "%7E*-._"),
        ("&=;#", "%26%3D%3B%23", "%26%3D%3B%23"), ("/?:@", "%2F%3F%3A%40", "%2F%3F%3A%40"),
        ("[]", "%5B%5D", "%5B%5D"), ("100%", "100%25", "100%25"), ("%2F", "%252F", "%252F"),
        ("é", "%C3%A9", "%C3%A9"), ("😀", "%F0%9F%98%80", "%F0%9F%98%80"), ("\r\n", "%0D%0A", "%0D%0A"),
        ("\0", "%00", "%00"), ("!$'(),", "%21%24%27%28%29%2C", "%21%24%27%28%29%2C"), ("", "", ""),
        ("e\u{301}=\u{301}", "e%CC%81%3D%CC%81", "e%CC%81%3D%CC%81"),
    ]

    func testSerializers_escapeNamesAndValues() {
        for row in table {
            let pairs = [ParameterPair(name: row.value, value: row.value), ParameterPair(name: "z", value: nil)]
            XCTAssertEqual(QuerySerializer.string(from: pairs), "\(row.query)=\(row.query)&z", row.value)
            XCTAssertEqual(FormSerializer.string(from: pairs), "\(row.form)=\(row.form)&z=", row.value)
        }
    }

    func testParsers_undoSerializers() {
        let pairs = table.map { ParameterPair(name: $0.value, value: $0.value) }
        XCTAssertEqual(FormParser.pairs(from: FormSerializer.string(from: pairs)), pairs)
        XCTAssertEqual(FormParser.pairs(from: QuerySerializer.string(from: pairs)), pairs, "servers read queries so")
        let withFlag = pairs + [ParameterPair(name: "flag", value: nil)]
        XCTAssertEqual(QuerySerializer.pairs(from: QuerySerializer.string(from: withFlag)), withFlag)
    }

    /// WHATWG URL §5.1.
    func testFormParser_table() {
        let rows: [(String, [[String]])] = [
            ("", []), ("&&", []), ("a", [["a", ""]]), ("a=", [["a", ""]]), ("=b", [["", "b"]]), ("=", [["", ""]]),
            ("a=b=c", [["a", "b=c"]]), ("a+b=c+d", [["a b", "c d"]]), ("a=%2B", [["a", "+"]]),
            ("a=%&b=%4&c=%zz", [["a", "%"], ["b", "%4"], ["c", "%zz"]]), ("a=1&a=2", [["a", "1"], ["a", "2"]]),
            ("a=%FF", [["a", "\u{FFFD}"]]), ("%C3%A9=é", [["é", "é"]]),
        ]
        for (text, expected) in rows {
            XCTAssertEqual(FormParser.pairs(from: text).map { [$0.name, $0.value ?? "nil"] }, expected, text)
        }
    }
}
