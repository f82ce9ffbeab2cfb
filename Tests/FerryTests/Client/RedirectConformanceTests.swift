import Ferry
import FerryTesting
import Foundation
import XCTest

/// Rows of `Fixtures/conformance` on redirects and their cookies that need a whole client on real sockets, each named by its
/// id.
final class RedirectConformanceTests: ClientTestCase {
    // MARK: Redirects

    func testRED01_credentialsStayWithTheirOrigin() async throws {
        let row = try ConformanceCase.load("RED-01", area: "redirect")
        let other = try await LoopbackServer.start()
        other.on(.get, "/blob", .text("blob"))
        server.on(.get, "/dl", .redirect(to: try url("/blob", of: other).absoluteString))
        var headers = HTTPHeaders()
        for (name, value) in row.input["request_headers"].object { headers[name] = value.string }
        let text = try await client().string(NetworkCall(.get, "/dl", headers: headers))
        XCTAssertEqual(text, "blob")
        let seen = try XCTUnwrap(other.requests.first?.headers)
        for name in row.expected["B_receives"]["absent"].strings { XCTAssertNil(seen[name], name) }
        for (name, value) in row.expected["B_receives"]["present"].object { XCTAssertEqual(seen[name], value.string) }
        await other.stop()
    }

    func testRED03_relativeLocationsAreResolvedByTheStandard() async throws {
        let row = try ConformanceCase.load("RED-03", area: "redirect")
        let path = try XCTUnwrap(row.input["request_url"].string.flatMap(URL.init(string:)))
        for (location, target) in zip(row.input["locations"].strings, row.expected["targets"].strings) {
            server.removeRequests()
            server.removeRoutes()
            server.fallback { _ in .text("there") }
            server.script(.get, path.path, [.redirect(to: location), .text("there")])
            let call = NetworkCall(.get, url: try url("/a/b/c?old=1"))
            let response = try await client().response(call, as: String.self)
            let expected = try XCTUnwrap(URL(string: target))
            XCTAssertEqual(
                server.requests.last?.target,
                expected.path + (expected.query.map { "?\($0)" } ?? "")
                    + (expected.path.hasSuffix("/") || !target.hasSuffix("/") ? "" : "/"), location)
            XCTAssertEqual(response.url.path, expected.path)
        }
    }

    func testRED04_307And308RepeatTheBody() async throws {
        let row = try ConformanceCase.load("RED-04", area: "redirect")
        let body = try XCTUnwrap(row.input["body"].string)
        let type = try XCTUnwrap(row.input["content_type"].string.flatMap { MediaType($0) })
        for code in [307, 308] {
            server.removeRequests()
            server.on(.post, "/a", .redirect(to: "/b", status: HTTPStatus(code)))
            server.on(.post, "/b", .text("done"))
            _ = try await client().data(
                NetworkCall(.post, "/a", body: .data(Data(body.utf8), contentType: type)))
            XCTAssertEqual(server.requests.map(\.path), ["/a", "/b"])
            XCTAssertEqual(server.requests.map(\.text), [body, body])
            XCTAssertEqual(server.requests.map { $0.headers["Content-Length"] }, ["3", "3"])
            XCTAssertEqual(server.requests.map { $0.headers["Content-Type"] }, [type.essence, type.essence])
        }
    }

    func testRED06_onlyPOSTBecomesGET() async throws {
        let row = try ConformanceCase.load("RED-06", area: "redirect")
        for (one, method) in zip(row.input["cases"].array, row.expected["second_methods"].strings) {
            server.removeRequests()
            server.on(nil, "/a", .redirect(to: "/b", status: HTTPStatus(try XCTUnwrap(one[1].int))))
            server.on(nil, "/b", .text("done"))
            let first = HTTPMethod(try XCTUnwrap(one[0].string))
            _ = try await client().data(NetworkCall(first, "/a", body: .text("x")))
            XCTAssertEqual(server.requests.map(\.method.rawValue), [first.rawValue, method])
            XCTAssertEqual(server.requests.last?.text, row.expected["body_resent"].string)
        }
    }

    func testRED07_fragmentsAreInheritedAndNeverSent() async throws {
        let row = try ConformanceCase.load("RED-07", area: "redirect")
        for (one, final) in zip(row.input["cases"].array, row.expected["final_urls"].strings) {
            server.removeRequests()
            server.on(.get, "/old", .redirect(to: try XCTUnwrap(one[1].string)))
            server.on(.get, "/new", .text("there"))
            let response = try await client().response(
                NetworkCall(.get, url: try url("/old#frag")), as: String.self)
            XCTAssertEqual(response.url.fragment, URL(string: final)?.fragment)
            XCTAssertFalse(server.requests.contains { $0.target.contains("#") })
        }
    }

    func testRedirectLoop_endsAfterTwenty() async throws {
        server.on(.get, "/loop") { .redirectLoop($0) }
        let client = client()
        let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/loop")) }
        XCTAssertEqual(error?.kind, .redirect)
        XCTAssertEqual(error?.status, 302)
        XCTAssertEqual(server.requestCount, 21)
    }

    // MARK: Cookies

    func testRED09_cookieOfARedirectIsSentToItsTarget() async throws {
        let row = try ConformanceCase.load("RED-09", area: "cookies")
        let login = row.input["GET /login"]["headers"]
        server.on(
            .get, "/login",
            .redirect(to: try XCTUnwrap(login["Location"].string))
                .header("Set-Cookie", try XCTUnwrap(login["Set-Cookie"].string)))
        server.on(.get, "/home") { .text($0.headers["Cookie"] ?? "none") }
        let text = try await client().string(NetworkCall(.get, "/login"))
        XCTAssertEqual(text, row.expected["home_receives_cookie"].string)
    }

    func testRED10_lowerCaseSetCookieCounts() async throws {
        let row = try ConformanceCase.load("RED-10", area: "cookies")
        let line = try XCTUnwrap(row.input["raw_response_headers"][0].string)
        server.script(
            .get, "/",
            [.raw("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 0\r\n\r\n"), .text("again")])
        let client = client()
        _ = try await client.data(NetworkCall(.get, "/"))
        _ = try await client.data(NetworkCall(.get, "/"))
        XCTAssertEqual(server.requests.last?.headers["Cookie"], row.expected["second_request_cookie"].string)
    }

    func testRED11_foldedCookiesOnTheWire() async throws {
        server.script(
            .get, "/",
            [
                .text("ok").header("Set-Cookie", "k1=a; Path=/; Expires=Sat, 05 Mar 2044 10:11:12 GMT")
                    .header("Set-Cookie", "k2=b; Path=/; HttpOnly")
                    .header("Set-Cookie", "k3=c; Expires=Friday, 09-Jun-95 10:11:12 GMT"),
                .text("again"),
            ])
        let client = client()
        _ = try await client.data(NetworkCall(.get, "/"))
        _ = try await client.data(NetworkCall(.get, "/"))
        XCTAssertEqual(server.requests.last?.headers["Cookie"], "k1=a; k2=b")
    }

    func testCookies_canBeSwitchedOff() async throws {
        server.on(.get, "/", .text("ok").header("Set-Cookie", "a=1"))
        let client = client { $0.cookieJar = nil }
        _ = try await client.data(NetworkCall(.get, "/"))
        _ = try await client.data(NetworkCall(.get, "/"))
        XCTAssertNil(server.requests.last?.headers["Cookie"])
    }
}
