import Ferry
import FerryTesting
import Foundation
import XCTest

final class LinkHeaderTests: XCTestCase {
    private func next(_ id: String, file: StaticString = #filePath, line: UInt = #line) throws {
        let row = try ConformanceCase.load(id, area: "pagination")
        var headers = HTTPHeaders()
        for value in row.input["link_field_lines"].strings { headers.append("Link", value) }
        let url = try XCTUnwrap(row.input["request_url"].string.flatMap(URL.init(string:)))
        let page = PageContent(
            head: HTTPResponse.Head(status: 200, headers: headers, url: url), body: Data(), token: nil, itemCount: 1)
        let position = try Pagination.linkHeader().position(after: page)
        XCTAssertEqual(position, row.expected["next"].string.map { .url($0) }, id, file: file, line: line)
    }

    func testPAG01_commaInsideTheTarget() throws { try next("PAG-01") }
    func testPAG02_delimitersInsideQuotes() throws { try next("PAG-02") }
    func testPAG03_relativeTargetSeveralRelationsOddCase() throws { try next("PAG-03") }
    func testPAG04_relNotFirstValuelessAndDuplicateParameters() throws { try next("PAG-04") }

    func testLinks_table() {
        let rows: [(value: String, links: [(target: String, relations: [String])], section: String)] = [
            ("<a>; rel=next", [("a", ["next"])], "3"),
            ("<a>;rel=\"next prev\"", [("a", ["next", "prev"])], "3.3"),
            ("<a>; rel=NEXT", [("a", ["next"])], "3.3"),
            ("<a>; rel=x; rel=next", [("a", ["x"])], "3.3: the first rel counts"),
            ("<a>; title=\"b, <c>; rel=next\"; rel=d", [("a", ["d"])], "B.3"),
            ("<a>; title=\"\\\"\\\\\"; rel=d", [("a", ["d"])], "RFC 9110 5.6.4"),
            ("<a,b;c>; rel=d", [("a,b;c", ["d"])], "B.2"),
            ("<>; rel=self", [("", ["self"])], "3.1: the empty reference"),
            ("<a>", [("a", [])], "3.3"),
            ("<a>; rel", [("a", [])], "B.3"),
            ("<a>; rel=", [("a", [])], "B.3"),
            ("<a> ; rel = \"x\" , , <b>;rel=y,", [("a", ["x"]), ("b", ["y"])], "RFC 9110 5.6.1"),
            ("a; rel=x, <b>; rel=y", [("b", ["y"])], "B.2: malformed is skipped"),
            ("a <x,<c>; rel=x, <b>; rel=y", [("b", ["y"])], "B.2: a comma inside <> is no end of it"),
            ("a <x,<c; rel=x", [], "B.2: nor where no > follows"),
            ("<a; rel=x", [], "B.2"),
            ("<a>; title=\"open, <b>; rel=y", [("a", [])], "B.4: an open quote takes the rest"),
            ("", [], "3"),
            ("<a>; ; ;rel=x", [("a", ["x"])], "B.3"),
            ("<a>; =y; rel=x", [("a", ["x"])], "B.3: a parameter without a name"),
            ("<a>; title*=UTF-8''x; rel=x", [("a", ["x"])], "3.4.1"),
            ("<a>; rel=\"https://example.com/rels/x\"", [("a", ["https://example.com/rels/x"])], "2.1.2"),
        ]
        for row in rows {
            let links = LinkHeader(row.value).links
            XCTAssertEqual(links.map(\.target), row.links.map(\.target), "\(row.value) (\(row.section))")
            XCTAssertEqual(links.map(\.relations), row.links.map(\.relations), "\(row.value) (\(row.section))")
        }
    }

    /// RFC 8288 B.1.
    func testLinks_areReadLineByLine() {
        var headers: HTTPHeaders = ["Link": "<a>; rel=prev; title=\"open"]
        headers.append("link", "<b>; rel=next")
        XCTAssertEqual(LinkHeader(headers).links.map(\.target), ["a", "b"])
        XCTAssertEqual(LinkHeader(headers).links(relation: "next").map(\.target), ["b"])
    }

    /// Random text never traps, and what was written is read again.
    func testLinks_fuzz() {
        var generator = SeededGenerator(seed: 31)
        let alphabet = Array("<>;,=\"\\ \trel next*a/é".unicodeScalars)
        for _ in 0..<50_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...24, using: &generator) {
                text.append(alphabet.randomElement(using: &generator) ?? "a")
            }
            _ = LinkHeader(String(text))
        }
        let values = Array("ab, ;=\"\\<>".unicodeScalars)
        for _ in 0..<5_000 {
            let written = (0..<Int.random(in: 1...4, using: &generator)).map { index -> (String, String) in
                var title = String.UnicodeScalarView()
                for _ in 0..<Int.random(in: 0...8, using: &generator) {
                    title.append(values.randomElement(using: &generator) ?? "a")
                }
                return ("/t\(index),;", String(title))
            }
            let field = written.map { target, title in
                let quoted = title.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                return "<\(target)>; title=\"\(quoted)\"; rel=next"
            }
            let links = LinkHeader(field.joined(separator: ", ")).links
            XCTAssertEqual(links.map(\.target), written.map(\.0))
            XCTAssertEqual(links.map { $0.parameter("title") }, written.map(\.1))
            XCTAssertEqual(links.map(\.relations), written.map { _ in ["next"] })
        }
    }

    func testLinks_withAnotherContextDoNotPage() throws {
        let url = try XCTUnwrap(URL(string: "https://api.example.test/a?page=1#top"))
        for (anchor, expected) in [
            ("/b", nil), ("/a?page=1", "https://api.example.test/n"), ("#x", "https://api.example.test/n"),
        ] {
            let headers: HTTPHeaders = ["Link": "</n>; rel=next; anchor=\"\(anchor)\""]
            let page = PageContent(
                head: HTTPResponse.Head(status: 200, headers: headers, url: url), body: Data(), token: nil, itemCount: 1
            )
            XCTAssertEqual(try Pagination.linkHeader().position(after: page), expected.map { .url($0) }, anchor)
        }
    }
}
