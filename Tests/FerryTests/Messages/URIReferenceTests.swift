import Ferry
import Foundation
import XCTest

final class URIReferenceTests: XCTestCase {
    private func resolve(_ reference: String, _ base: String) -> String {
        URIReference(reference).resolved(against: URIReference(base)).text
    }

    func testURIReference_resolvesTheExamplesOfTheRFC() {
        let rows: [(reference: String, target: String)] = [
            // RFC 3986 §5.4.1, normal
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
            (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
            ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"),
            // RFC 3986 §5.4.2, abnormal
            ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
            ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
            ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
        ]
        for row in rows { XCTAssertEqual(resolve(row.reference, "http://a/b/c/d;p?q"), row.target, row.reference) }
    }

    func testURIReference_mergesAndSplits() {
        let rows: [(reference: String, base: String, target: String, spec: String)] = [
            ("g", "http://a", "http://a/g", "§5.2.3: base without path"),
            ("../g", "http://a?q", "http://a/g", "§5.2.3"),
            ("", "http://a/b?q#f", "http://a/b?q", "§5.2.2: the base's fragment does not count"),
            ("?", "http://a/b?q", "http://a/b?", "§5.2.2: an empty query is a query"),
            ("#", "http://a/b?q", "http://a/b?q#", "§5.2.2: an empty fragment is one"),
            ("1a:b", "http://a/b", "http://a/1a:b", "§3.1: a scheme begins with a letter"),
            ("a:b", "http://a/b", "a:b", "§4.2"),
            ("?u=http://x/y", "http://a/b", "http://a/b?u=http://x/y", "colon in a query"),
            ("x/http://y", "http://a/b", "http://a/x/http://y", "colon in a path"),
            ("//u@h:8/x", "http://a/b", "http://u@h:8/x", "§5.2.2"),
            ("//h?x", "http://a/b", "http://h?x", "§3.2: the authority ends at ?"),
            ("//h#x", "https://a/b", "https://h#x", "§3.2: the authority ends at #"),
            ("/a//b/../c", "http://h", "http://h/a//c", "§5.2.4: empty segments count"),
            ("/a/b/..", "http://h", "http://h/a/", "§5.2.4"), ("/a/.", "http://h", "http://h/a/", "§5.2.4"),
            ("/..", "http://h", "http://h/", "§5.2.4"), ("/a/...", "http://h", "http://h/a/...", "§5.2.4"),
            ("/mid/content=5/../6", "http://h", "http://h/mid/6", "§5.2.4"),
        ]
        for row in rows {
            XCTAssertEqual(resolve(row.reference, row.base), row.target, "\(row.reference): \(row.spec)")
        }
        XCTAssertEqual(URIReference.removingDotSegments("/a/b/c/./../../g"), "/a/g", "§5.2.4 example")
        XCTAssertEqual(URIReference.removingDotSegments("mid/content=5/../6"), "mid/6", "§5.2.4 example")
        XCTAssertEqual(URIReference.removingDotSegments("../a/./b/.."), "a/", "§5.2.4 A")
        XCTAssertEqual(URIReference.removingDotSegments(".."), "", "§5.2.4 D")
    }

    func testURIReference_encodesWhatNoURIHolds_once() {
        let rows: [(String, String)] = [
            ("/a b", "/a%20b"), ("/a%20b", "/a%20b"), ("/ä", "/%C3%A4"), ("/%c3%a4", "/%c3%a4"), ("/100%", "/100%25"),
            ("/%zz", "/%25zz"), ("/%2", "/%252"), ("/a|b^`{}\"<>\\", "/a%7Cb%5E%60%7B%7D%22%3C%3E%5C"),
            ("?a[]=1&b=ü", "?a%5B%5D=1&b=%C3%BC"), ("#a#b", "#a%23b"), ("/a:@!$&'()*+,;=~-._", "/a:@!$&'()*+,;=~-._"),
            ("/日本", "/%E6%97%A5%E6%9C%AC"), ("/e\u{301}", "/e%CC%81"), ("/?\u{301}", "/?%CC%81"),
        ]
        for (text, expected) in rows { XCTAssertEqual(URIReference(text).text, expected, text) }
    }

    func testOrigin_comparesSchemeHostAndPort() {
        let rows: [(String, String, Bool)] = [
            ("http://a/x", "http://a/y?z", true), ("http://a", "HTTP://A:80", true),
            ("https://a:443/", "https://a", true),
            ("http://a", "https://a", false), ("http://a", "http://a:8080", false), ("http://a", "http://b", false),
            ("http://a", "http://a.b", false), ("http://u:p@a/", "http://a/", true),
            ("http://[::1]", "http://[::1]:80", true),
            ("http://a:", "http://a", true),
        ]
        for (lhs, rhs, isSame) in rows {
            XCTAssertEqual(Origin(URIReference(lhs)) == Origin(URIReference(rhs)), isSame, "\(lhs) \(rhs)")
            XCTAssertNotNil(Origin(URIReference(lhs)), lhs)
        }
    }

    func testOrigin_refusesMalformedAuthorities() {
        for text in [
            "ftp://a/", "http:a", "http:///x", "http://", "http://:80/", "http://a:0/", "http://a:65536/",
            "http://a:x/",
            "http://a:-1/", "http://a:99999999999999999999/", "http://[::1", "http://[::1]x/", "http://[a]/",
            "http://[]/",
            "http://a b/", "http://a%2Fb/", "http://a\\b/", "http://a,b/", "http://u@/", "http://[::1%25en0]/",
        ] { XCTAssertNil(Origin(URIReference(text)), text) }
    }
}
