import Foundation
import XCTest

@testable import Ferry

final class CookieParserTests: XCTestCase {
    func testCookieDate_followsTheAlgorithm() {
        let rows: [(text: String, seconds: TimeInterval?, spec: String)] = [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777, "RFC 6265 §5.1.1"),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777, "year 94 is 1994"),
            ("Sun Nov  6 08:49:37 1994", 784_111_777, "asctime"),
            ("Sun, 06-Nov-1994 08:49:37 GMT", 784_111_777, "Netscape"),
            ("6 nov 1994 8:49:37", 784_111_777, "no zone, one digit"),
            ("1994 November 6 8:49:37", 784_111_777, "year first"),
            ("8:49:37 6 November 1994 PST", 784_111_777, "any order, zone ignored"),
            ("06/Nov/94;08:49:37", 784_111_777, "delimiters"),
            ("6th NOV 1994 08:49:37.5", 784_111_777, "rest of a token"),
            ("Mon, 01-Jan-70 00:00:00 GMT", 0, "70 is 1970"),
            ("Sun, 01-Jan-69 00:00:00 GMT", 3_124_224_000, "69 is 2069"),
            ("01 Jan 00 00:00:00", 946_684_800, "00 is 2000"), ("01 Jan 99 00:00:00", 915_148_800, "99 is 1999"),
            ("01 Jan 1601 00:00:00", -11_644_473_600, "year 1601"), ("01 Jan 1600 00:00:00", nil, "year below 1601"),
            ("01 Jan 100 00:00:00", nil, "year 100"), ("00 Jan 2020 00:00:00", nil, "day 0"),
            ("32 Jan 2020 00:00:00", nil, "day 32"), ("30 Feb 2020 00:00:00", nil, "no such date"),
            ("01 Jan 2020 24:00:00", nil, "hour"), ("01 Jan 2020 00:60:00", nil, "minute"),
            ("01 Jan 2020 23:59:60", nil, "second"), ("01 Jan 2020 00:00", nil, "no seconds"),
            ("01 Jan 2020", nil, "no time"), ("Jan 2020 00:00:00", nil, "no day"),
            ("01 2020 00:00:00", nil, "no month"),
            ("01 Jan 00:00:00", nil, "no year"), ("01 Jan 12345 00:00:00", nil, "five digits"), ("", nil, ""),
            ("001 Jan 2020 00:00:00", nil, "three digits are a year, and then no day"), ("tomorrow", nil, ""),
        ]
        for row in rows {
            XCTAssertEqual(CookieDate.parse(row.text)?.timeIntervalSince1970, row.seconds, "\(row.text): \(row.spec)")
        }
    }

    private func parse(_ line: String) -> [SetCookie] { SetCookieParser.cookies(in: [line]) }

    func testSetCookie_pairs() {
        let rows: [(line: String, name: String?, value: String, spec: String)] = [
            ("a=b", "a", "b", "§5.2"), ("  a \t= b ; Path=/", "a", "b", "white space"),
            ("a=b=c", "a", "b=c", "first ="),
            ("a=", "a", "", "empty value"), ("=b", nil, "", "empty name"), ("a", nil, "", "no ="),
            ("", nil, "", "empty"),
            (";a=b", nil, "", "pair comes first"), ("a; b=c", nil, "", "pair has no ="),
            ("a=\"b c\"", "a", "\"b c\"", "quotes kept"), ("a=\"b;c\"", "a", "\"b", "; ends also in quotes"),
            ("a=b,c", "a", "b,c", "comma"), ("a=b, c", "a", "b, c", "comma"),
            ("a=b,c=d", "a", "b,c=d", "comma in a value"),
            ("a[1]=b", "a[1]", "b", "no token"), ("a=ü", "a", "ü", "not ASCII"), ("a=b\tc", "a", "b\tc", "tab"),
            ("a=b\r\nX: y", nil, "", "6265bis §5.6 step 1"), ("a=b\u{0}", nil, "", "6265bis"),
            ("a=b; Path=/\u{7F}", nil, "", "6265bis"),
            ("a=" + String(repeating: "x", count: 4095), "a", String(repeating: "x", count: 4095), "4096"),
            ("a=" + String(repeating: "x", count: 4096), nil, "", "6265bis: more than 4096"),
        ]
        for row in rows {
            let cookies = parse(row.line)
            XCTAssertEqual(cookies.map(\.name), row.name.map { [$0] } ?? [], "\(row.line.prefix(40)): \(row.spec)")
            if row.name != nil { XCTAssertEqual(cookies.first?.value, row.value, row.spec) }
        }
    }

    func testSetCookie_attributes() {
        let cookie = parse("a=b; SECURE; httponly; sAmEsItE=LaX; PATH=/x; DoMaIn=.Example.COM; MAX-AGE=60").first
        var expected = SetCookie(name: "a", value: "b")
        (expected.isSecure, expected.isHTTPOnly, expected.sameSite) = (true, true, .lax)
        (expected.path, expected.domain, expected.maxAge) = ("/x", "example.com", 60)
        XCTAssertEqual(cookie, expected)
        let rows: [(attributes: String, check: (SetCookie) -> Bool, spec: String)] = [
            ("Max-Age=0", { $0.maxAge == 0 }, "§5.2.2"), ("Max-Age=-5", { $0.maxAge == -1 }, "§5.2.2"),
            ("Max-Age=+5", { $0.maxAge == nil }, "§5.2.2"), ("Max-Age=5s", { $0.maxAge == nil }, "§5.2.2"),
            ("Max-Age=", { $0.maxAge == nil }, "§5.2.2"), ("Max-Age", { $0.maxAge == nil }, "§5.2.2"),
            ("Max-Age=99999999999999999999", { $0.maxAge == .max }, "§5.2.2"),
            ("Max-Age=5; Max-Age=x", { $0.maxAge == 5 }, "malformed is skipped"),
            ("Max-Age=5; Max-Age=6", { $0.maxAge == 6 }, "last wins"),
            ("Domain=", { $0.domain == nil }, "§5.2.3"), ("Domain=.", { $0.domain == nil }, "§5.2.3"),
            ("Domain=a.test; Domain=b.test", { $0.domain == "b.test" }, "last wins"),
            ("Path=x", { $0.path == nil }, "§5.2.4"), ("Path=", { $0.path == nil }, "§5.2.4"),
            ("Path=/a; Path=/b", { $0.path == "/b" }, "last wins"), ("Path = /a ", { $0.path == "/a" }, "white space"),
            ("Secure=false", { $0.isSecure }, "§5.2.5: whatever the value"),
            ("HttpOnly=no", { $0.isHTTPOnly }, "§5.2.6"),
            ("SameSite=x", { $0.sameSite == nil }, "6265bis"), ("Expires=soon", { $0.expires == nil }, "§5.2.1"),
            ("Unknown=1;;  ; x", { $0 == SetCookie(name: "a", value: "b") }, "§5.2"),
            ("Path=/" + String(repeating: "x", count: 1024), { $0.path == nil }, "6265bis: longer than 1024"),
        ]
        for row in rows {
            let cookie = parse("a=b; " + row.attributes).first
            XCTAssertEqual(cookie.map(row.check), true, "\(row.attributes.prefix(40)): \(row.spec)")
        }
    }

    func testRED11_foldedLineIsSplitBetweenCookies() throws {
        let row = try ConformanceCase.load("RED-11", area: "cookies")
        let cookies = parse(try XCTUnwrap(row.input["set_cookie"].string))
        XCTAssertEqual(cookies.map(\.name), row.expected["names"].strings)
        XCTAssertEqual(cookies.map(\.value), row.expected["values"].strings)
        XCTAssertEqual(cookies.first?.expires?.timeIntervalSince1970, 2_340_785_472)
        XCTAssertEqual(cookies.last?.isHTTPOnly, true)
        let old = parse(try XCTUnwrap(row.input["rfc850"].string))
        XCTAssertEqual(old.first?.name, "k3")
        XCTAssertEqual(old.first?.expires?.timeIntervalSince1970, 802_692_672)
    }

    func testSetCookie_foldedLines() {
        let rows: [(line: String, pairs: [String])] = [
            ("a=1, b=2, c=3", ["a=1", "b=2", "c=3"]), ("a=1; Path=/,b=2", ["a=1", "b=2"]), ("a=1,b=2", ["a=1,b=2"]),
            ("a=1; Expires=Sat, 05-Mar-2044 10:11:12 GMT, b=2", ["a=1", "b=2"]),
            ("a=1; Expires=Saturday, 05-Mar-44 10:11:12 GMT; Path=/, b=2; Secure", ["a=1", "b=2"]),
            ("a=1; Expires=Sat,05 Mar 2044 10:11:12 GMT", ["a=1"]),
            ("a=\"x, y=z\"; Path=/, b=2", ["a=\"x, y=z\"", "b=2"]),
            ("a=\"x, b=2", ["a=\"x", "b=2"]), ("a=1, x", ["a=1, x"]), ("a=, b=", ["a=", "b="]), ("a=1,", ["a=1,"]),
            ("a=1; HttpOnly, b[x]=2", ["a=1", "b[x]=2"]), ("a=1, b = 2", ["a=1", "b=2"]),
            ("a=1; Domain=x.test, b=2", ["a=1", "b=2"]),
        ]
        for row in rows { XCTAssertEqual(parse(row.line).map { "\($0.name)=\($0.value)" }, row.pairs, row.line) }
        XCTAssertEqual(
            SetCookieParser.cookies(in: ["a=1, b=2", "c=3"]).map(\.value), ["1, b=2", "3"],
            "lines that come apart are not folded")
    }

    func testSetCookie_survivesAnyBytes() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("ab=;, \"\t/.-:0123 GMTExpires=Max-Age=Domain=Path=é\r\n".utf8)
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                alphabet[Int.random(in: alphabet.indices, using: &generator)]
            }
            for cookie in parse(String(decoding: bytes, as: UTF8.self)) {
                XCTAssertFalse(cookie.name.isEmpty)
                XCTAssertFalse(
                    cookie.name.utf8.contains {
                        $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ";") || $0 < 0x20 && $0 != 9
                    })
                XCTAssertFalse(cookie.value.utf8.contains { $0 == UInt8(ascii: ";") || $0 < 0x20 && $0 != 9 })
            }
        }
    }

    func testRules_domainMatch() {
        let rows: [(String, String, Bool)] = [  // RFC 6265 §5.1.3
            ("a.test", "a.test", true), ("x.a.test", "a.test", true), ("y.x.a.test", "a.test", true),
            ("a.test", "x.a.test", false), ("xa.test", "a.test", false), ("a.test.x", "a.test", false),
            ("a.test", "", false),
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "0.0.1", false), ("::1", "1", false),
            ("1.2.3.4", "4", false),
        ]
        for (host, domain, matches) in rows {
            XCTAssertEqual(CookieRules.domainMatches(host, domain), matches, "\(host) \(domain)")
        }
    }

    func testRules_paths() {
        let matches: [(String, String, Bool)] = [  // RFC 6265 §5.1.4
            ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
            ("/a/b", "/a/", true), ("/ab", "/a", false), ("/a", "/a/", false), ("/A", "/a", false), ("/b", "/a", false),
        ]
        for (path, cookiePath, matched) in matches {
            XCTAssertEqual(CookieRules.pathMatches(path, cookiePath), matched, "\(path) \(cookiePath)")
        }
        for (path, folder) in [("/a/b/c", "/a/b"), ("/a/b/", "/a/b"), ("/a", "/"), ("/", "/"), ("", "/"), ("a/b", "/")]
        {
            XCTAssertEqual(CookieRules.defaultPath(path), folder, path)
        }
    }

    func testPublicSuffixes_builtIn() {
        for suffix in ["com", "test", "co.uk", "com.au", "or.jp", "github.io", "me.uk"] {
            XCTAssertTrue(PublicSuffixes.contains(suffix), suffix)
        }
        for name in ["example.com", "a.co.uk", "t.co", "bbc.uk", "x.github.io", "com.com", "co.example"] {
            XCTAssertFalse(PublicSuffixes.contains(name), name)
        }
    }
}
