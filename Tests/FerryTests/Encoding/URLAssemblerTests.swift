import Foundation
import XCTest

@testable import Ferry

final class URLAssemblerTests: XCTestCase {
    private func pairs(_ value: JSONValue) -> [ParameterPair] {
        value.array.map { ParameterPair(name: $0[0].string ?? "", value: $0[1].string) }
    }

    private func join(_ base: String, _ path: String, _ query: [ParameterPair] = []) throws -> String {
        try URLAssembler.url(base: XCTUnwrap(URL(string: base)), path: path, query: query).absoluteString
    }

    private func assertInvalid(_ label: String, _ body: () throws -> some Any, line: UInt = #line) {
        XCTAssertThrowsError(try body(), label, line: line) {
            XCTAssertEqual(($0 as? NetworkError)?.kind, .invalidURL, label, line: line)
        }
    }

    // MARK: Conformance

    func testURL01_emptyPathKeepsTheBase() throws {
        let row = try ConformanceCase.load("URL-01", area: "url")
        let url = try join(XCTUnwrap(row.input["base"].string), XCTUnwrap(row.input["path"].string))
        XCTAssertEqual(url, row.expected["url"].string)
    }

    func testURL03_pathKeepsItsQuery() throws {
        let row = try ConformanceCase.load("URL-03", area: "url")
        let url = try join(
            XCTUnwrap(row.input["base"].string), XCTUnwrap(row.input["path"].string), pairs(row.input["query"]))
        XCTAssertEqual(url, row.expected["url"].string)
    }

    func testURL04_templateEscapesValues() throws {
        let row = try ConformanceCase.load("URL-04", area: "url")
        let values = row.input["values"].object.compactMapValues(\.string)
        let path = try PathTemplate(XCTUnwrap(row.input["template"].string), values).path
        XCTAssertEqual(try join(XCTUnwrap(row.input["base"].string), path), row.expected["url"].string)
    }

    func testURL06_parametersGoBeforeTheFragment() throws {
        let row = try ConformanceCase.load("URL-06", area: "url")
        let base = try XCTUnwrap(URL(string: XCTUnwrap(row.input["base"].string)))
        let url = try URLAssembler.url(base: base, path: "", query: pairs(row.input["query"]))
        XCTAssertEqual(url.absoluteString, row.expected["url"].string)
        XCTAssertEqual(URLAssembler.requestTarget(of: url), row.expected["request_target"].string)
    }

    func testURL07_noParametersNoQuestionMark() throws {
        let row = try ConformanceCase.load("URL-07", area: "url")
        XCTAssertEqual(try join(XCTUnwrap(row.input["base"].string), ""), row.expected["url"].string)
    }

    func testURL09_pathNeverChangesTheHost() throws {
        let row = try ConformanceCase.load("URL-09", area: "url")
        for path in row.input["paths"].strings {
            assertInvalid(path) { try join(XCTUnwrap(row.input["base"].string), path) }
        }
    }

    func testURL10_semicolonsAreKept() throws {
        let row = try ConformanceCase.load("URL-10", area: "url")
        let urls = try row.input["paths"].strings.map { try join(XCTUnwrap(row.input["base"].string), $0) }
        XCTAssertEqual(urls, row.expected["urls"].strings)
    }

    func testURL12_nothingIsEncodedTwice() throws {
        let row = try ConformanceCase.load("URL-12", area: "url")
        let url = try URLAssembler.url(absolute: XCTUnwrap(row.input["url_string"].string))
        XCTAssertEqual(URLAssembler.requestTarget(of: url), row.expected["request_target"].string)
        XCTAssertFalse(url.absoluteString.contains(try XCTUnwrap(row.expected["never_contains"].string)))
    }

    // MARK: Joining

    func testJoin_table() throws {
        let rows: [(base: String, path: String, url: String)] = [
            ("https://h", "a", "https://h/a"),
            ("https://h/", "a", "https://h/a"),
            ("https://h", "/a", "https://h/a"),
            ("https://h/", "/a", "https://h/a"),
            ("https://h/v1", "a/b/", "https://h/v1/a/b/"),
            ("https://h/v1/", "/a/b/", "https://h/v1/a/b/"),
            ("https://h/v1//", "a", "https://h/v1/a"),
            ("https://h/v1", "/", "https://h/v1/"),
            ("https://h/v1/", "/", "https://h/v1/"),
            ("https://h", "/", "https://h/"),
            ("https://h", "", "https://h"),
            ("https://h/", "", "https://h/"),
            ("https://h/v1/", "", "https://h/v1/"),
            // Queries.
            ("https://h/v1?k=1", "a", "https://h/v1/a?k=1"),
            ("https://h/v1?k=1", "a?p=2", "https://h/v1/a?k=1&p=2"),
            ("https://h/v1?k=1", "?p=2", "https://h/v1?k=1&p=2"),
            ("https://h?k=1", "a", "https://h/a?k=1"),
            ("https://h/v1?", "", "https://h/v1?"),
            ("https://h/v1", "a?", "https://h/v1/a?"),
            ("https://h/v1", "a?x=1&", "https://h/v1/a?x=1&"),
            ("https://h/v1", "a?u=http://x/y?z", "https://h/v1/a?u=http://x/y?z"),
            // Fragments.
            ("https://h/v1#top", "a", "https://h/v1/a#top"),
            ("https://h/v1#top", "a#sec", "https://h/v1/a#sec"),
            ("https://h/v1", "a#b?c", "https://h/v1/a#b?c"),
            // Kept as they are.
            ("https://h", "/a%2Fb%2fc/%3B;x/", "https://h/a%2Fb%2fc/%3B;x/"),
            ("https://h", "/a//b///c", "https://h/a//b///c"),
            ("https://h", "/a:b/c:d", "https://h/a:b/c:d"),
            ("https://h", "a/b:c", "https://h/a/b:c"),
            ("https://h", "/a+b@c,d=e!$&'()*~", "https://h/a+b@c,d=e!$&'()*~"),
            // Escaped (RFC 3986 §2.1).
            ("https://h", "/a b\"<>[]|\\^`{}", "https://h/a%20b%22%3C%3E%5B%5D%7C%5C%5E%60%7B%7D"),
            ("https://h", "/é/😀", "https://h/%C3%A9/%F0%9F%98%80"),
            ("https://h", "/é?é[=ü#ß", "https://h/%C3%A9?%C3%A9%5B=%C3%BC#%C3%9F"),
            ("https://h", "/100%", "https://h/100%25"),
            ("https://h", "/100%/x%zz%4", "https://h/100%25/x%25zz%254"),
            ("https://h", "/%25/%C3%A4 [", "https://h/%25/%C3%A4%20%5B"),
            ("https://h", "/a#b#c", "https://h/a#b%23c"),
            // Stays on the host.
            ("https://h", "@evil", "https://h/@evil"),
            ("https://h", ":8080/x", "https://h/:8080/x"),
            ("https://h", ".evil.com", "https://h/.evil.com"),
            ("https://h", "evil", "https://h/evil"),
            ("https://h", "\\evil", "https://h/%5Cevil"),
            ("https://h", " //evil", "https://h/%20//evil"),
            ("https://h", "12:30", "https://h/12:30"),
            ("https://h", "/https://evil/x", "https://h/https://evil/x"),
            ("https://h", "%2F%2Fevil/x", "https://h/%2F%2Fevil/x"),
            // Dot segments below the base (RFC 3986 §5.2.4).
            ("https://h/v1", "a/./b", "https://h/v1/a/b"),
            ("https://h/v1", "a/../b", "https://h/v1/b"),
            ("https://h/v1", "a/%2E%2e/b", "https://h/v1/b"),
            ("https://h/v1", "a/.", "https://h/v1/a/"),
            ("https://h/v1", "a/..", "https://h/v1/"),
            ("https://h/v1", "a/.../..b/b..", "https://h/v1/a/.../..b/b.."),
            ("https://h/v1", "a?x=../..", "https://h/v1/a?x=../.."),
            ("https://h", "a/..//evil", "https://h//evil"),
            // Hosts.
            ("https://h:8443/v1", "a", "https://h:8443/v1/a"),
            ("http://[::1]:8080/v1", "a", "http://[::1]:8080/v1/a"),
            ("HTTPS://API.Example.Test/V1", "a", "https://api.example.test/V1/a"),
            ("https://u:p@h/v1", "a", "https://u:p@h/v1/a"),
            ("https://bücher.example", "a", "https://xn--bcher-kva.example/a"),
        ]
        for row in rows { XCTAssertEqual(try join(row.base, row.path), row.url, "\(row.base) + \(row.path)") }
    }

    func testJoin_parametersComeLast() throws {
        let query = [ParameterPair(name: "q", value: "x y"), ParameterPair(name: "f", value: nil)]
        XCTAssertEqual(try join("https://h/a?k=1#t", "b?p=2", query), "https://h/a/b?k=1&p=2&q=x%20y&f#t")
        XCTAssertEqual(try join("https://h/a?", "", query), "https://h/a?q=x%20y&f")
        XCTAssertEqual(try join("https://h", "", query), "https://h?q=x%20y&f")
        XCTAssertEqual(try join("https://h/a?k=1&", "", query), "https://h/a?k=1&q=x%20y&f")
    }

    func testJoin_refusesOtherHosts() {
        let paths = [
            "//evil.example/x", "https://evil.example/x", "HTTP://evil", "http:evil", "javascript:alert(1)", "a:b",
            "\\\\evil", "/\\evil", "\\/evil", "///evil", "x-app+1.0-b:foo",
        ]
        for path in paths { assertInvalid(path) { try join("https://h/v1", path) } }
    }

    func testJoin_refusesClimbing() {
        let paths = ["..", "../x", "/../x", "a/../../x", "%2e%2e/x", ".%2E/x", "%2E./x", "a/%2e%2e/../x", "./../x"]
        for path in paths { assertInvalid(path) { try join("https://h/v1", path) } }
        assertInvalid("at the root") { try join("https://h", "/..") }
    }

    func testJoin_refusesControlCharacters() {
        for control in ["\r", "\n", "\r\n", "\t", "\0", "\u{7F}", "\u{1B}"] {
            assertInvalid(control.debugDescription) { try join("https://h", "/a\(control)b") }
            assertInvalid(control.debugDescription) { try join("https://h", "/a?b=\(control)") }
            assertInvalid(control.debugDescription) { try URLAssembler.url(absolute: "https://h/a\(control)") }
        }
    }

    func testBase_refusesWhatIsNoHTTPBase() {
        let bases = [
            "", "h", "/v1", "//h/v1", "ftp://h", "file:///etc", "https:/h", "https:h", "https://", "https:///x",
            "https://:80", "https://u@", "mailto:a@h", "data:,x", "://h",
        ]
        for base in bases { assertInvalid(base) { try URLAssembler.url(absolute: base) } }
    }

    func testAbsolute_refusesMalformedAuthorities() {
        let urls = [
            "https://h:99999/", "https://h:0/", "https://h:-1/", "https://h:8a/", "https://h:80:80/", "https://h h/",
            "https://good\\@evil/", "https://a@b@c/", "https://[::1/", "https://[::1]x/", "https://[h]/",
            "https://h%2Fx/",
            "https://h%00/", "https://h<x/", " https://h/", "https://h/ ", "https://u:%zz@h/", "https://[]/",
            "https://good.test／x@evil/", "https://good.test／evil/", "https://é:x/", "https://é%2F/",
            "https://é？x/", "https://é＃x/", "https://é＠x/", "https://é：80/",
            "https://h:99999999999999999999/",
            // RFC 3986 §3.2.2, and no zone (RFC 9844).
            "https://[::::]/", "https://[1:2]/", "https://[:]/", "https://[1::2::3]/", "https://[12345::]/",
            "https://[::256.1.1.1]/", "https://[fe80::1%25eth0]/", "https://[fe80::1%eth0]/", "https://[v1.a:b]/",
        ]
        for url in urls { assertInvalid(url) { try URLAssembler.url(absolute: url) } }
    }

    func testAbsolute_table() throws {
        let rows: [(text: String, url: String, target: String)] = [
            ("https://h", "https://h", "/"),
            ("https://h/", "https://h/", "/"),
            ("https://h?x=1", "https://h?x=1", "/?x=1"),
            ("https://h/x?", "https://h/x?", "/x?"),
            ("https://h/x/#f", "https://h/x/#f", "/x/"),
            ("https://h:/x", "https://h/x", "/x"),
            ("https://h:0443/x", "https://h:443/x", "/x"),
            ("https://h/a%2Fb;c//d/?x=%C3%A4&;=+", "https://h/a%2Fb;c//d/?x=%C3%A4&;=+", "/a%2Fb;c//d/?x=%C3%A4&;=+"),
            ("https://h//x", "https://h//x", "//x"),
            ("https://h/a/../../b", "https://h/b", "/b"),
            ("https://[FE80::1]/x", "https://[fe80::1]/x", "/x"),
            ("https://[2001:0DB8:0:0::1]:8/x", "https://[2001:db8::1]:8/x", "/x"),
            ("https://[::FFFF:127.0.0.1]/x", "https://[::ffff:127.0.0.1]/x", "/x"),
            ("https://a_b.c/x y", "https://a_b.c/x%20y", "/x%20y"),
            ("https://例え.テスト/x", "https://xn--r8jz45g.xn--zckzah/x", "/x"),
            ("https://h/?a=b|c&d=%", "https://h/?a=b%7Cc&d=%25", "/?a=b%7Cc&d=%25"),
        ]
        for row in rows {
            let url = try URLAssembler.url(absolute: row.text)
            XCTAssertEqual(url.absoluteString, row.url, row.text)
            XCTAssertEqual(URLAssembler.requestTarget(of: url), row.target, row.text)
            // Nothing changes the second time.
            XCTAssertEqual(try URLAssembler.url(absolute: url), url, row.text)
        }
    }

    func testErrors_neverShowTheURL() {
        for text in ["https://user:hunter2@h:99999/?k=hunter2", "https://hunter2 x/"] {
            XCTAssertThrowsError(try URLAssembler.url(absolute: text)) {
                XCTAssertFalse("\($0)".contains("hunter2"))
            }
        }
    }

    func testAnyBytes_giveAURLThatRoundTripsOrAnError() throws {
        var random = SplitMix(state: 7)
        let alphabet = Array("/:?#[]@%2eE.\\ ;&=+éab{}\"\u{301}😀")
        for _ in 0..<20_000 {
            let path = String(
                (0..<Int.random(in: 0...8, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
            guard let url = try? URLAssembler.url(base: XCTUnwrap(URL(string: "https://h.test:81/v1")), path: path)
            else {
                continue
            }
            XCTAssertEqual(url.host(), "h.test", path)
            XCTAssertEqual(url.port, 81, path)
            XCTAssertTrue(url.path(percentEncoded: true).hasPrefix("/v1"), path)
            XCTAssertEqual(try URLAssembler.url(absolute: url).absoluteString, url.absoluteString, path)
        }
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
