import Ferry
import Foundation
import XCTest

final class RedirectRulesTests: XCTestCase {
    private func request(
        _ method: HTTPMethod = .get, _ url: String = "http://a.test/b/c?d", headers: HTTPHeaders = [:],
        body: RequestBody = .none
    ) throws -> HTTPRequest {
        HTTPRequest(method: method, url: try XCTUnwrap(URL(string: url)), headers: headers, body: body)
    }

    private func next(
        _ request: HTTPRequest, _ status: HTTPStatus, _ location: String
    ) throws(NetworkError) -> HTTPRequest? {
        try RedirectRules.next(
            after: request, head: .init(status: status, headers: ["location": location], url: request.url))
    }

    private func target(_ location: String, from url: String) throws -> String? {
        try next(request(.get, url), 302, location)?.url.absoluteString
    }

    func testRules_followFiveStatusesWithLocation() throws {
        let get = try request()
        for code in 100...599 {
            let followed = try next(get, HTTPStatus(code), "/x") != nil
            XCTAssertEqual(followed, [301, 302, 303, 307, 308].contains(code), "\(code)")
            XCTAssertNil(try RedirectRules.next(after: get, head: .init(status: HTTPStatus(code), url: get.url)))
        }
    }

    func testRules_methods() throws {
        let rows: [(method: HTTPMethod, status: HTTPStatus, next: HTTPMethod, keepsBody: Bool, spec: String)] = [
            (.post, 301, .get, false, "Fetch step 12; RFC 9110 §15.4.2"), (.post, 302, .get, false, "§15.4.3"),
            (.post, 303, .get, false, "§15.4.4"), (.post, 307, .post, true, "§15.4.8"),
            (.post, 308, .post, true, "§15.4.9"),
            (.put, 301, .put, true, "Fetch"), (.put, 302, .put, true, "Fetch"), (.put, 303, .get, false, "Fetch"),
            (.put, 307, .put, true, "§15.4.8"), (.patch, 302, .patch, true, "Fetch"),
            (.patch, 303, .get, false, "Fetch"),
            (.delete, 301, .delete, true, "Fetch"), (.delete, 303, .get, false, "Fetch"),
            (.delete, 308, .delete, true, "§15.4.9"), (.options, 303, .get, false, "Fetch"),
            ("PURGE", 302, "PURGE", true, "Fetch"), ("PURGE", 303, .get, false, "Fetch"),
            (.get, 301, .get, false, ""), (.get, 303, .get, false, ""), (.get, 307, .get, false, ""),
            (.head, 301, .head, false, ""), (.head, 302, .head, false, ""), (.head, 303, .head, false, "§15.4.4"),
            (.head, 308, .head, false, ""),
        ]
        for row in rows {
            let body: RequestBody = row.method.allowsBody ? .text("k=v") : .none
            let first = try request(
                row.method, headers: ["Content-Language": "en", "Content-Encoding": "br", "X-Trace": "7"], body: body)
            let second = try XCTUnwrap(try next(first, row.status, "/x"))
            let what = "\(row.method) \(row.status.code) \(row.spec)"
            XCTAssertEqual(second.method, row.next, what)
            XCTAssertEqual(!second.body.isNone, row.keepsBody, what)
            XCTAssertEqual(second.headers["X-Trace"], "7", what)
            let keepsFields = row.keepsBody || row.method == row.next
            XCTAssertEqual(second.headers["Content-Language"], keepsFields ? "en" : nil, what)
            XCTAssertEqual(second.headers["Content-Encoding"], keepsFields ? "br" : nil, what)
        }
    }

    func testRules_dropFieldsOfTheBodyWithIt() throws {
        let fields: HTTPHeaders = [
            "content-type": "a/b", "Content-Location": "/x", "Content-Length": "3", "Digest": "x",
            "Content-Digest": "x", "Content-MD5": "x", "Accept": "*/*",
        ]
        let second = try XCTUnwrap(try next(request(.post, headers: fields, body: .text("x")), 303, "/x"))
        XCTAssertEqual(second.headers, ["Accept": "*/*"])
    }

    func testRules_bodyThatCannotBeSentAgain() throws {
        let once = RequestBody.stream(BodyStream(once: AsyncStream<Data> { $0.finish() }))
        for (method, status) in [(HTTPMethod.post, HTTPStatus(307)), (.put, 301), (.patch, 302), (.post, 308)] {
            XCTAssertThrowsError(try next(request(method, body: once), status, "/x")) { error in
                XCTAssertEqual((error as? NetworkError)?.kind, .bodyNotReplayable)
                XCTAssertEqual((error as? NetworkError)?.status, status)
            }
        }
        XCTAssertEqual(try next(request(.post, body: once), 303, "/x")?.method, .get, "not needed again")
        let replayable = RequestBody.stream(BodyStream { AsyncStream<Data> { $0.finish() } })
        XCTAssertEqual(try next(request(.post, body: replayable), 307, "/x")?.method, .post)
    }

    func testRules_targets() throws {
        let base = "http://a.test/b/c?d"
        let rows: [(location: String, target: String, spec: String)] = [
            ("http://b.test/x", "http://b.test/x", "absolute"),
            ("//b.test:81/x", "http://b.test:81/x", "RFC 3986 §4.2"),
            ("HTTPS://B.test/x", "https://B.test/x", "upgrade; a scheme has no case, §3.1"),
            ("HTTP://a.test/x", "http://a.test/x", "RFC 3986 §3.1"),
            ("", base, "§4.4: same document"), ("  /x\t", "http://a.test/x", "RFC 9110 §5.5"),
            ("#f", base + "#f", "§4.4"), ("/a b/ü?q=|#ä", "http://a.test/a%20b/%C3%BC?q=%7C#%C3%A4", "encoded"),
            ("/a%20b%2F", "http://a.test/a%20b%2F", "not encoded twice"),
            ("/50%", "http://a.test/50%25", "stray percent"),
            ("/\\evil.test", "http://a.test/%5Cevil.test", "a backslash is no slash"),
            ("/a,b", "http://a.test/a,b", "a comma in a URL"), ("/a, b", "http://a.test/a,%20b", "a comma and a space"),
            ("/x, /x", "http://a.test/x", "the same twice"), ("http://b.test", "http://b.test", "no path"),
            ("http://b.test?x", "http://b.test?x", "no path"), ("http://[::1]:8080/x", "http://[::1]:8080/x", "IPv6"),
            ("http://bü.test/x", "http://xn--b-eha.test/x", "RFC 5891"),
        ]
        for row in rows { XCTAssertEqual(try target(row.location, from: base), row.target, row.spec) }
    }

    func testRules_refusedTargets() throws {
        let rows: [(location: String, base: String, why: String)] = [
            ("ftp://a.test/x", "http://a.test/", "scheme"), ("file:///etc/passwd", "http://a.test/", "scheme"),
            ("javascript:alert(1)", "http://a.test/", "scheme"), ("data:,x", "http://a.test/", "scheme"),
            ("app://x", "https://a.test/", "scheme"), ("http://a.test/x", "https://a.test/", "https to http"),
            ("HTTP://a.test/x", "https://a.test/", "https to http"), ("http:///x", "http://a.test/", "no host"),
            ("http:x", "http://a.test/", "no host"), ("http:/x", "http://a.test/", "no host"),
            ("//", "http://a.test/", "no host"), ("http://:80/", "http://a.test/", "no host"),
            ("http://u:p@a.test/", "http://a.test/", "userinfo"), ("http://@a.test/", "http://a.test/", "userinfo"),
            ("http://a.test\\@b.test/", "http://a.test/", "userinfo"), ("http://a.test:0/", "http://a.test/", "port"),
            ("http://a.test:65536/", "http://a.test/", "port"), ("http://a.test:8o/", "http://a.test/", "port"),
            ("http://a b/", "http://a.test/", "host"), ("http://a%00b/", "http://a.test/", "host"),
            ("http://[::1/", "http://a.test/", "host"), ("/x\r\nSet-Cookie: a=b", "http://a.test/", "CR LF"),
            ("/x\u{0}", "http://a.test/", "NUL"), ("/x\ty", "http://a.test/", "tab"),
            ("/x\u{7F}", "http://a.test/", "DEL"),
            ("/x, /y", "http://a.test/", "two"), ("http://a.test/x, http://b.test/y", "http://a.test/", "two"),
            ("/x,  HTTPS://b.test/y", "http://a.test/", "two"),
        ]
        for row in rows {
            XCTAssertThrowsError(try target(row.location, from: row.base), row.location) { error in
                let error = error as? NetworkError
                XCTAssertEqual(error?.kind, .redirect, row.why)
                XCTAssertEqual(error?.status, 302, row.why)
                XCTAssertEqual(error?.url?.absoluteString, row.base, row.why)
            }
        }
    }

    func testRules_repeatedLocationLines() throws {
        let get = try request()
        func next(_ lines: [String]) throws(NetworkError) -> String? {
            let headers = HTTPHeaders(lines.map { HTTPHeaders.Field(name: "Location", value: $0) })
            return try RedirectRules.next(after: get, head: .init(status: 302, headers: headers, url: get.url))?
                .url.absoluteString
        }
        XCTAssertEqual(try next(["/x", "/x"]), "http://a.test/x")
        XCTAssertThrowsError(try next(["/x", "/y"]))
    }

    func testRules_credentialsStayWithTheirOrigin() throws {
        let rows: [(from: String, to: String, keeps: Bool)] = [
            ("http://a.test/", "/x", true), ("http://a.test/", "http://A.TEST:80/x", true),
            ("https://a.test/", "https://a.test:443/x", true), ("http://a.test/", "http://b.test/x", false),
            ("http://a.test/", "http://a.test:8080/x", false), ("http://a.test/", "https://a.test/x", false),
            ("http://a.test/", "//www.a.test/x", false), ("https://a.test:444/", "https://a.test/", false),
            ("http://u:p@a.test/", "http://a.test/x", true),
        ]
        let headers: HTTPHeaders = [
            "authorization": "Bearer T", "Cookie": "s=1", "Proxy-Authorization": "x", "X-Trace": "7", "X-Api-Key": "k",
            "Private-Token": "k", "X-Custom": "k",
        ]
        for row in rows {
            let first = try request(.get, row.from, headers: headers)
            let second = try RedirectRules.next(
                after: first, head: .init(status: 307, headers: ["Location": row.to], url: first.url),
                sensitiveHeaders: ["x-custom"])
            XCTAssertEqual(second?.headers, row.keeps ? headers : ["X-Trace": "7"], "\(row.from) -> \(row.to)")
        }
    }
}
