import Ferry
import Foundation
import XCTest

final class CookieJarTests: XCTestCase {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func url(_ text: String) throws -> URL { try XCTUnwrap(URL(string: text)) }

    private func store(_ jar: CookieJar, _ setCookie: String, from text: String, after seconds: TimeInterval = 0) throws
    {
        jar.store(["Set-Cookie": setCookie], from: try url(text), at: now + seconds)
    }

    private func header(_ jar: CookieJar, _ text: String, after seconds: TimeInterval = 0) throws -> String? {
        jar.header(for: try url(text), at: now + seconds)
    }

    func testJar_whatIsSetWhereAndSentWhere() throws {
        let rows: [(set: String, from: String, to: String, sent: String?, spec: String)] = [
            ("a=1", "http://h.test/", "http://h.test/", "a=1", "RFC 6265 §5.4"),
            ("a=1", "http://h.test/", "http://H.TEST/", "a=1", "§5.1.2: hosts have no case"),
            ("a=1", "http://h.test/", "http://h.test:8080/", "a=1", "§8.5: ports do not separate cookies"),
            ("a=1", "http://h.test", "http://h.test?x", "a=1", "§5.1.4: empty path"),
            ("a=1", "http://h.test/", "https://h.test/", "a=1", "also over https"),
            ("a=1", "http://h.test/", "http://x.h.test/", nil, "§5.3 step 6: host-only"),
            ("a=1; Domain=h.test", "http://h.test/", "http://x.h.test/", "a=1", "§5.1.3"),
            ("a=1; Domain=.H.test", "http://x.h.test/", "http://y.h.test/", "a=1", "§5.2.3: leading dot"),
            ("a=1; Domain=h.test", "http://x.h.test/", "http://h.test/", "a=1", "§5.1.3"),
            ("a=1; Domain=h.test", "http://h.test/", "http://xh.test/", nil, "§5.1.3: whole labels"),
            ("a=1; Domain=x.h.test", "http://h.test/", "http://x.h.test/", nil, "§5.3 step 6: may not set below"),
            ("a=1; Domain=other.test", "http://h.test/", "http://other.test/", nil, "§5.3 step 6"),
            ("a=1; Domain=test", "http://h.test/", "http://h.test/", nil, "§5.3 step 5: single label"),
            ("a=1; Domain=co.uk", "http://h.co.uk/", "http://h.co.uk/", nil, "§5.3 step 5: public suffix"),
            ("a=1; Domain=github.io", "https://me.github.io/", "https://me.github.io/", nil, "§5.3 step 5"),
            ("a=1; Domain=github.io", "https://github.io/", "https://github.io/", "a=1", "§5.3 step 5: itself"),
            ("a=1; Domain=github.io", "https://github.io/", "https://me.github.io/", nil, "§5.3 step 5: host-only"),
            ("a=1; Domain=localhost", "http://localhost/", "http://localhost:81/", "a=1", "§5.3 step 5: itself"),
            ("a=1; Domain=", "http://h.test/", "http://h.test/", "a=1", "§5.2.3: empty"),
            ("a=1", "http://127.0.0.1:81/", "http://127.0.0.1:82/", "a=1", "address"),
            ("a=1; Domain=127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", "a=1", "§5.1.3: identical"),
            ("a=1; Domain=0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", nil, "§5.1.3: not an address"),
            ("a=1", "http://[::1]/", "http://[::1]:81/", "a=1", "IPv6"),
            ("a=1", "http://[0:0::1]/", "http://[::1]/", "a=1", "IPv6: one address"),
            (
                "a=1; Domain=bücher.example", "http://bücher.example/", "http://bücher.example/", nil,
                "6265bis §5.7: ASCII"
            ),
            ("a=1; Domain=xn--bcher-kva.example", "http://bücher.example/", "http://w.bücher.example/", "a=1", "IDN"),
            ("a=1", "http://h.test/x/y", "http://h.test/x/z", "a=1", "§5.1.4: default path"),
            ("a=1", "http://h.test/x/y", "http://h.test/", nil, "§5.1.4: default path"),
            ("a=1; Path=/x", "http://h.test/", "http://h.test/x/y", "a=1", "§5.1.4"),
            ("a=1; Path=/x", "http://h.test/", "http://h.test/xy", nil, "§5.1.4"),
            ("a=1; Path=/x", "http://h.test/", "http://h.test/x?q", "a=1", "§5.1.4: the query does not count"),
            ("a=1; Path=x", "http://h.test/p/q", "http://h.test/p/", "a=1", "§5.2.4: not absolute"),
            ("a=1; Secure", "https://h.test/", "https://h.test/", "a=1", "§5.4"),
            ("a=1; Secure", "https://h.test/", "http://h.test/", nil, "§5.4: never over http"),
            ("a=1; Secure", "https://localhost/", "http://localhost/", nil, "§5.4: never over http"),
            ("a=1; Secure", "http://h.test/", "https://h.test/", nil, "6265bis §5.7: not from http"),
            ("a=1; HttpOnly; SameSite=Strict", "http://h.test/", "http://h.test/", "a=1", "kept"),
            ("__Secure-a=1; Secure", "https://h.test/", "https://h.test/", "__Secure-a=1", "6265bis §4.1.3"),
            ("__Secure-a=1", "https://h.test/", "https://h.test/", nil, "6265bis §4.1.3"),
            ("__secure-a=1", "https://h.test/", "https://h.test/", nil, "6265bis: prefixes have no case"),
            ("__Host-a=1; Secure; Path=/", "https://h.test/", "https://h.test/", "__Host-a=1", "6265bis §4.1.3"),
            ("__Host-a=1; Secure", "https://h.test/", "https://h.test/", nil, "6265bis: needs Path=/"),
            ("__Host-a=1; Secure; Path=/x", "https://h.test/", "https://h.test/x", nil, "6265bis: needs Path=/"),
            (
                "__Host-a=1; Secure; Path=/; Domain=h.test", "https://h.test/", "https://h.test/", nil,
                "6265bis: no Domain"
            ),
            ("__Host-a=1; Path=/", "https://h.test/", "https://h.test/", nil, "6265bis: needs Secure"),
            ("__Host-\u{301}=1; Secure", "https://h.test/", "https://h.test/", nil, "6265bis: a prefix of bytes"),
            ("__Secure-\u{301}=1", "https://h.test/", "https://h.test/", nil, "6265bis: a prefix of bytes"),
            ("a=1; Max-Age=10", "http://h.test/", "http://h.test/", "a=1", "§5.2.2"),
            ("a=1; Max-Age=0", "http://h.test/", "http://h.test/", nil, "§5.2.2"),
            ("a=1; Max-Age=-1", "http://h.test/", "http://h.test/", nil, "§5.2.2"),
            ("a=1; Max-Age=99999999999999999999", "http://h.test/", "http://h.test/", "a=1", "§5.2.2"),
            ("a=1; Expires=Thu, 01 Jan 2026 00:00:01 GMT", "http://h.test/", "http://h.test/", "a=1", "§5.2.1"),
            ("a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT", "http://h.test/", "http://h.test/", nil, "§5.2.1"),
            ("a=1; Expires=Fri, 09-Jun-95 10:11:12 GMT", "http://h.test/", "http://h.test/", nil, "§5.1.1: 1995"),
            (
                "a=1; Max-Age=10; Expires=Fri, 09-Jun-95 10:11:12 GMT", "http://h.test/", "http://h.test/", "a=1",
                "§5.3 step 3"
            ),
            (
                "a=1; Expires=Sat, 05 Mar 2044 10:11:12 GMT; Max-Age=0", "http://h.test/", "http://h.test/", nil,
                "§5.3 step 3"
            ),
            ("a=\"x y\"", "http://h.test/", "http://h.test/", "a=\"x y\"", "§5.2: quotes kept"),
            ("=1", "http://h.test/", "http://h.test/", nil, "§5.2: no name"),
        ]
        for row in rows {
            let jar = CookieJar()
            try store(jar, row.set, from: row.from)
            XCTAssertEqual(try header(jar, row.to), row.sent, "\(row.set) \(row.from) -> \(row.to): \(row.spec)")
        }
    }

    func testJar_ordersLongerPathsFirst_thenEarlier() throws {
        let jar = CookieJar()
        try store(
            jar, "a=1; Path=/, b=2; Path=/x/y, c=3; Path=/x, d=4; Path=/, e=5; Path=/x; Domain=h.test",
            from: "http://w.h.test/")
        XCTAssertEqual(try header(jar, "http://w.h.test/x/y/z"), "b=2; c=3; e=5; a=1; d=4")
        try store(jar, "a=new; Path=/", from: "http://w.h.test/", after: 5)
        XCTAssertEqual(try header(jar, "http://w.h.test/"), "a=new; d=4", "§5.3 step 11: keeps its place")
    }

    func testJar_replacesByNameDomainAndPath() throws {
        let jar = CookieJar()
        try store(jar, "a=1; Path=/, a=2; Path=/x, A=3; Path=/", from: "http://h.test/")
        try store(jar, "a=4; Path=/", from: "http://h.test/")
        XCTAssertEqual(try header(jar, "http://h.test/x"), "a=2; a=4; A=3")
        try store(jar, "a=; Path=/; Max-Age=0", from: "http://h.test/")
        XCTAssertEqual(try header(jar, "http://h.test/x"), "a=2; A=3")
        XCTAssertEqual(jar.cookies.map(\.value), ["2", "3"])
    }

    func testJar_cookiesEnd() throws {
        let jar = CookieJar()
        try store(jar, "a=1; Max-Age=10, b=2", from: "http://h.test/")
        XCTAssertEqual(try header(jar, "http://h.test/", after: 9), "a=1; b=2")
        XCTAssertEqual(try header(jar, "http://h.test/", after: 10), "b=2")
        XCTAssertEqual(jar.cookies.map(\.name), ["b"])
    }

    func testJar_httpDoesNotTouchSecureCookies() throws {
        let jar = CookieJar()
        try store(jar, "a=1; Secure; Path=/x; Domain=h.test", from: "https://h.test/")
        try store(jar, "a=2; Path=/x", from: "http://h.test/")
        try store(jar, "a=3; Path=/x/y; Domain=h.test", from: "http://w.h.test/")
        try store(jar, "a=; Path=/x; Domain=h.test; Max-Age=0", from: "http://h.test/")
        XCTAssertEqual(jar.cookies.map(\.value), ["1"])
        try store(jar, "a=4; Path=/", from: "http://h.test/")
        XCTAssertEqual(try header(jar, "https://h.test/x"), "a=1; a=4", "6265bis §5.7: a shorter path may")
        try store(jar, "a=5; Path=/x; Domain=h.test", from: "https://h.test/")
        XCTAssertEqual(try header(jar, "http://h.test/x"), "a=5; a=4", "https may")
    }

    func testJar_limits() throws {
        let jar = CookieJar()
        for number in 0..<CookieJar.domainLimit {
            try store(jar, "c\(number)=1; Path=\(number == 0 ? "/used" : "/other")", from: "http://h.test/")
        }
        XCTAssertEqual(try header(jar, "http://h.test/used")?.hasPrefix("c0=1"), true)
        try store(jar, "more=1; Path=/", from: "http://h.test/")
        XCTAssertEqual(jar.cookies.count, CookieJar.domainLimit)
        let names = Set(jar.cookies.map(\.name))
        XCTAssertTrue(names.isSuperset(of: ["c0", "more"]), "c0 is the earliest, and was sent since")
        XCTAssertFalse(names.contains("c1"))
        let many = CookieJar()
        for number in 0...CookieJar.limit { try store(many, "a=1", from: "http://h\(number).test/") }
        XCTAssertEqual(many.cookies.count, CookieJar.limit)
        XCTAssertNil(try header(many, "http://h0.test/"), "the one unused for longest goes")
        XCTAssertNotNil(try header(many, "http://h\(CookieJar.limit).test/"))
    }

    func testJar_limitTakesEndedAndUnusedFirst() throws {
        let jar = CookieJar()
        try store(jar, "ended=1; Path=/; Max-Age=5", from: "http://h.test/")
        try store(jar, "unused=1; Path=/never", from: "http://h.test/")
        for number in 2..<CookieJar.domainLimit { try store(jar, "c\(number)=1; Path=/", from: "http://h.test/") }
        try store(jar, "x=1; Path=/", from: "http://h.test/", after: 6)
        XCTAssertTrue(Set(jar.cookies.map(\.name)).isSuperset(of: ["unused", "x"]))
        _ = try header(jar, "http://h.test/", after: 6)
        try store(jar, "y=1; Path=/", from: "http://h.test/", after: 6)
        XCTAssertFalse(jar.cookies.map(\.name).contains("unused"))
        XCTAssertEqual(jar.cookies.count, CookieJar.domainLimit)
    }

    func testJar_seedsAndPersists() throws {
        let jar = CookieJar()
        try jar.setCookie(
            Cookie(
                name: "theme", value: "dark", domain: ".H.test", isHostOnly: false, path: "/", expires: now + 60,
                isSecure: true, isHTTPOnly: true, sameSite: .lax), at: now)
        XCTAssertEqual(try header(jar, "https://x.h.test/"), "theme=dark")
        let data = try JSONEncoder().encode(jar.cookies)
        let restored = CookieJar(try JSONDecoder().decode([Cookie].self, from: data), at: now)
        XCTAssertEqual(restored.cookies, jar.cookies)
        XCTAssertEqual(CookieJar(jar.cookies, at: now + 60).cookies, [], "ended")
        try restored.remove(XCTUnwrap(restored.cookies.first))
        XCTAssertEqual(restored.cookies, [])
        jar.removeAll()
        XCTAssertNil(try header(jar, "https://x.h.test/"))
    }

    func testJar_ownCookiesOfHostsInAnySpelling() throws {
        let rows = [  // RFC 6265 §5.1.2
            ("bücher.example", "https://bücher.example/"), (".BÜCHER.example", "https://xn--bcher-kva.example/"),
            ("[::1]", "http://[::1]/"), ("0:0::1", "http://[::1]:81/"),
            ("[::FFFF:1.2.3.4]", "http://[::ffff:1.2.3.4]/"),
        ]
        for (domain, to) in rows {
            let jar = CookieJar()
            var cookie = Cookie(name: "a", value: "1", domain: "x")
            cookie.domain = domain
            try jar.setCookie(cookie, at: now)
            XCTAssertEqual(try header(jar, to), "a=1", domain)
            jar.remove(cookie)
            XCTAssertEqual(jar.cookies, [], domain)
        }
        XCTAssertEqual(Cookie(name: "a", value: "1", domain: "ü:1]").domain, "ü:1]", "no host")
    }

    func testJar_refusesSeedsThatCannotBeSent() throws {
        let bad = [
            Cookie(name: "", value: "x", domain: "h.test"), Cookie(name: "a", value: "x", domain: ""),
            Cookie(name: "a=b", value: "x", domain: "h.test"), Cookie(name: "a;b", value: "x", domain: "h.test"),
            Cookie(name: "a", value: "x; b=y", domain: "h.test"),
            Cookie(name: "a", value: "x\r\nX: y", domain: "h.test"),
            Cookie(name: "a\n", value: "x", domain: "h.test"), Cookie(name: "a", value: "\u{0}", domain: "h.test"),
        ]
        let jar = CookieJar(bad, at: now)
        for cookie in bad {
            XCTAssertThrowsError(try jar.setCookie(cookie, at: now)) { error in
                XCTAssertEqual((error as? NetworkError)?.kind, .invalidHeader)
            }
        }
        XCTAssertEqual(jar.cookies, [])
    }

    func testJar_ownPublicSuffixes() throws {
        let jar = CookieJar(isPublicSuffix: { $0 == "city.kawasaki.jp" })
        try store(jar, "a=1; Domain=city.kawasaki.jp", from: "http://x.city.kawasaki.jp/")
        XCTAssertEqual(jar.cookies, [])
    }

    func testCookie_bridgesToFoundation() throws {
        let cookie = Cookie(
            name: "a", value: "1", domain: "h.test", isHostOnly: false, path: "/x", expires: now, isSecure: true)
        XCTAssertEqual(Cookie(try XCTUnwrap(cookie.httpCookie)), cookie)
        let hostOnly = Cookie(name: "a", value: "1", domain: "h.test")
        XCTAssertEqual(Cookie(try XCTUnwrap(hostOnly.httpCookie)), hostOnly)
    }

    func testCookie_descriptionsShowNoValue() throws {
        let cookie = Cookie(name: "a", value: "secret", domain: "h.test")
        let jar = CookieJar([cookie])
        for text in ["\(cookie)", String(reflecting: cookie), "\(jar)", String(reflecting: jar)] {
            XCTAssertFalse(text.contains("secret"), text)
        }
        var dumped = ""
        dump(cookie, to: &dumped)
        XCTAssertFalse(dumped.contains("secret"))
    }
}
