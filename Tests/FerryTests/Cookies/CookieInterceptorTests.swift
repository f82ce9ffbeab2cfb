import Ferry
import FerryTesting
import Foundation
import XCTest

final class CookieInterceptorTests: XCTestCase {
    private func get(_ url: String, _ headers: HTTPHeaders = [:]) throws -> HTTPRequest {
        HTTPRequest(url: try XCTUnwrap(URL(string: url)), headers: headers)
    }

    private func chain(_ jar: CookieJar, _ transport: MockTransport) -> InterceptorChain {
        InterceptorChain([RedirectInterceptor(), CookieInterceptor(jar: jar)], over: transport)
    }

    func testRED09_cookieOfARedirectGoesToItsTarget() async throws {
        let row = try ConformanceCase.load("RED-09", area: "cookies")
        let login = row.input["GET /login"]
        let headers = HTTPHeaders(
            login["headers"].object.map { .init(name: $0.key, value: $0.value.string ?? "") })
        let transport = MockTransport()
        transport.on(
            nil, "http://a.test/login", .status(HTTPStatus(try XCTUnwrap(login["status"].int)), headers: headers))
        transport.on(nil, "http://a.test/home", .status(.ok))
        _ = try await chain(CookieJar(), transport).send(get("http://a.test/login"), context: CallContext())
        XCTAssertEqual(transport.requests.count, 2)
        XCTAssertNil(transport.requests[0].headers["Cookie"])
        XCTAssertEqual(transport.requests[1].headers["Cookie"], row.expected["home_receives_cookie"].string)
    }

    func testRED10_lowerCaseFieldNames() async throws {
        let row = try ConformanceCase.load("RED-10", area: "cookies")
        let line = try XCTUnwrap(row.input["raw_response_headers"].strings.first)
        let colon = try XCTUnwrap(line.firstIndex(of: ":"))
        let field = HTTPHeaders.Field(
            name: String(line[..<colon]), value: String(line[line.index(colon, offsetBy: 2)...]))
        let transport = MockTransport.answering { _ in .status(.ok, headers: HTTPHeaders([field])) }
        let chain = chain(CookieJar(), transport)
        for _ in 0..<2 { _ = try await chain.send(get("http://a.test/"), context: CallContext()) }
        XCTAssertEqual(transport.requests.last?.headers["Cookie"], row.expected["second_request_cookie"].string)
    }

    func testRED11_foldedAndOldCookiesInAJar() async throws {
        let row = try ConformanceCase.load("RED-11", area: "cookies")
        let folded = try XCTUnwrap(row.input["set_cookie"].string)
        let old = try XCTUnwrap(row.input["rfc850"].string)
        let jar = CookieJar()
        let context = CallContext(clock: ManualClock())
        for line in ["k3=live", folded, old] {
            let transport = MockTransport.answering { _ in .status(.ok, headers: ["Set-Cookie": line]) }
            _ = try await chain(jar, transport).send(get("http://a.test/"), context: context)
        }
        XCTAssertEqual(jar.cookies.map(\.name), row.expected["names"].strings)
        XCTAssertEqual(jar.cookies.map(\.value), row.expected["values"].strings)
    }

    func testCookies_areStoredFromAnyStatus() async throws {
        for status in [HTTPStatus(200), 204, 302, 304, 401, 404, 500, 503] {
            let jar = CookieJar()
            let transport = MockTransport.answering { _ in .status(status, headers: ["Set-Cookie": "a=1"]) }
            _ = try await chain(jar, transport).send(get("http://a.test/"), context: CallContext())
            XCTAssertEqual(jar.cookies.map(\.name), ["a"], "\(status)")
        }
    }

    func testCookies_areDecidedPerHop() async throws {
        let jar = CookieJar([
            Cookie(name: "a", value: "1", domain: "a.test"), Cookie(name: "b", value: "2", domain: "b.test"),
            Cookie(name: "s", value: "3", domain: "a.test", isSecure: true),
        ])
        let transport = MockTransport()
        transport.on(nil, "http://a.test/1", .redirect(to: "http://b.test/2"))
        transport.on(nil, "http://b.test/2", .redirect(to: "https://a.test/3"))
        transport.on(nil, "https://a.test/3", .status(.ok))
        _ = try await chain(jar, transport).send(get("http://a.test/1"), context: CallContext())
        XCTAssertEqual(transport.requests.map { $0.headers["Cookie"] }, ["a=1", "b=2", "a=1; s=3"])
    }

    func testCookies_callersHeaderWins_butStaysWithItsOrigin() async throws {
        let jar = CookieJar([
            Cookie(name: "a", value: "1", domain: "a.test"), Cookie(name: "b", value: "2", domain: "b.test"),
        ])
        let transport = MockTransport()
        transport.on(nil, "http://a.test/1", .redirect(to: "http://b.test/2"))
        transport.on(nil, "http://b.test/2", .status(.ok, headers: ["Set-Cookie": "c=3"]))
        _ = try await chain(jar, transport).send(get("http://a.test/1", ["cookie": "own=x"]), context: CallContext())
        XCTAssertEqual(transport.requests.map { $0.headers["Cookie"] }, ["own=x", "b=2"])
        XCTAssertEqual(jar.cookies.map(\.name), ["a", "b", "c"])
    }

    func testCookies_optOutNeitherSendsNorStores() async throws {
        let jar = CookieJar([Cookie(name: "a", value: "1", domain: "a.test")])
        let transport = MockTransport.answering { _ in .status(.ok, headers: ["Set-Cookie": "b=2"]) }
        var options = CallOptions()
        options.sendsCookies = false
        _ = try await chain(jar, transport).send(get("http://a.test/"), context: CallContext(options: options))
        XCTAssertNil(transport.requests.first?.headers["Cookie"])
        XCTAssertEqual(jar.cookies.map(\.name), ["a"])
    }

    func testCookies_endByTheClockOfTheClient() async throws {
        let clock = ManualClock()
        let transport = MockTransport.answering { request in
            .status(.ok, headers: request.url.path() == "/set" ? ["Set-Cookie": "a=1; Max-Age=10"] : [:])
        }
        let chain = chain(CookieJar(), transport)
        for path in ["set", "get", "get"] {
            _ = try await chain.send(get("http://a.test/\(path)"), context: CallContext(clock: clock))
            clock.advance(by: .seconds(6))
        }
        XCTAssertEqual(transport.requests.map { $0.headers["Cookie"] }, [nil, "a=1", nil])
    }

    func testCookies_ofA401AndOfTheRefreshGoWithTheReplay() async throws {
        let session = CredentialStore<BearerAuthenticator>.asking()
        let transport = MockTransport.answering { request in
            if request.path == "/token" { return .text("T2", headers: ["Set-Cookie": "session=2"]) }
            return request.headers["Authorization"] == "Bearer T2"
                ? .text("ok") : .status(401, headers: ["Set-Cookie": "csrf=1"])
        }
        let client = try NetworkClient.scripted(transport) { $0.authorization = .refreshing(session) }
        let text = try await client.string(NetworkCall(.get, "/items"))
        XCTAssertEqual(text, "ok")
        XCTAssertEqual(
            transport.requests.map { $0.headers["Cookie"] }, [nil, "csrf=1", "csrf=1; session=2"],
            "RFC 6265 5.3: of any response, before the next request")
    }
}
