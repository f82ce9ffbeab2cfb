import Ferry
import FerryTesting
import Foundation
import XCTest

final class AuthorizationTests: XCTestCase {
    /// The request that leaves a client for a call.
    private func sent(
        _ authorization: Authorization, _ call: NetworkCall = NetworkCall(.get, "/items"),
        configure: (inout NetworkClient.Configuration) -> Void = { _ in }
    ) async throws -> RecordedRequest {
        let transport = MockTransport.answering { _ in .status(200) }
        let client = try NetworkClient.scripted(transport) {
            $0.authorization = authorization
            configure(&$0)
        }
        _ = try await client.data(call)
        return try XCTUnwrap(transport.requests.last)
    }

    private func failure(_ authorization: Authorization, _ call: NetworkCall = NetworkCall(.get, "/items")) async throws
        -> NetworkError?
    {
        let transport = MockTransport.answering { _ in .status(200) }
        let client = try NetworkClient.scripted(transport) { $0.authorization = authorization }
        let result = await client.text(call)
        XCTAssertEqual(transport.requests.count, 0, "Nothing is sent")
        return result.error
    }

    func testFixedCredentials_areWrittenAsTheirStandardsSay() async throws {
        let rows: [(Authorization, field: String, value: String, spec: String)] = [
            (.bearer("mF_9.B5f-4.1JqM"), "Authorization", "Bearer mF_9.B5f-4.1JqM", "RFC 6750 §2.1"),
            (.bearer("12|abc:d"), "Authorization", "Bearer 12|abc:d", "seen in the field"),
            (
                .basic(user: "Aladdin", password: "open sesame"), "Authorization",
                "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "RFC 7617 §2"
            ),
            (.basic(user: "test", password: "123£"), "Authorization", "Basic dGVzdDoxMjPCow==", "RFC 7617 §2.1"),
            (.basic(user: "a", password: "b:c"), "Authorization", "Basic YTpiOmM=", "RFC 7617 §2: colon in password"),
            (
                .basic(user: "e\u{301}", password: "A\u{30A}\u{212B}"), "Authorization", "Basic w6k6w4XDhQ==",
                "RFC 7617 §2.1: Normalization Form C"
            ),
            (.basic(user: "", password: ""), "Authorization", "Basic Og==", "RFC 7617 §2: both may be empty"),
            (.apiKey(header: "X-API-Key", "k 1"), "X-API-Key", "k 1", "a field of its own"),
        ]
        for (authorization, field, value, spec) in rows {
            let request = try await sent(authorization)
            XCTAssertEqual(request.headers.values(of: field), [value], spec)
        }
    }

    func testFixedCredentials_thatAreMalformedFailBeforeAnythingIsSent() async throws {
        let rows: [Authorization] = [
            .bearer(""), .bearer("a b"), .bearer("a\r\nX: y"), .bearer("é"),
            .basic(user: "a:b", password: "c"), .basic(user: "a\n", password: "c"),
            .basic(user: "a", password: "\u{7F}"),
            .apiKey(header: "", "v"), .apiKey(header: "X Y", "v"), .apiKey(header: "X", ""),
            .apiKey(header: "X", "a\nb"), .apiKey(header: "Host", "other"),
        ]
        for (index, authorization) in rows.enumerated() {
            let error = try await failure(authorization)
            XCTAssertEqual(error?.kind, .invalidHeader, "row \(index)")
        }
    }

    func testQueryKey_isAppendedAndNotShown() async throws {
        let rows = [
            ("/items", "https://api.example/items?key=a%2Bb%26c%20d"),
            ("/items?q=1", "https://api.example/items?q=1&key=a%2Bb%26c%20d"),
            ("/items?key=own", "https://api.example/items?key=own"),
            ("/items?%6Bey=own", "https://api.example/items?%6Bey=own"),
            ("/items?monkey=1", "https://api.example/items?monkey=1&key=a%2Bb%26c%20d"),
        ]
        for (path, url) in rows {
            let request = try await sent(.apiKey(query: "key", "a+b&c d"), NetworkCall(.get, path))
            XCTAssertEqual(request.url.absoluteString, url)
        }
        let transport = MockTransport.answering { request in
            request.url.path() == "/fails" ? .failure(.connectionLost) : .status(200)
        }
        let client = try NetworkClient.scripted(transport) { $0.authorization = .apiKey(query: "key", "secret") }
        let response = try await client.response(NetworkCall(.get, "/items"), as: Data.self)
        XCTAssertEqual(response.url.absoluteString, "https://api.example/items")
        let error = await client.text(NetworkCall(.get, "/fails")).error
        XCTAssertEqual(error?.url?.absoluteString, "https://api.example/fails")
    }

    func testScope_isTheOriginOfTheBaseURL() async throws {
        let rows: [(url: String, isSent: Bool)] = [
            ("https://api.example/x", true), ("https://API.example:443/x", true), ("https://api.example:8443/x", false),
            ("http://api.example/x", false), ("https://example/x", false), ("https://api.example.evil/x", false),
            ("https://api.example@evil.example/x", false),
        ]
        for (text, isSent) in rows {
            let call = NetworkCall(.get, url: try .test(text))
            let request = try await sent(.bearer("t"), call)
            XCTAssertEqual(request.headers["Authorization"] == "Bearer t", isSent, text)
        }
    }

    func testScope_canBeNamed() async throws {
        let other = try URL.test("https://other.example:8443/ignored/path")
        let authorization = Authorization.bearer("t").origins([other])
        let there = try await sent(authorization, NetworkCall(.get, url: other))
        XCTAssertTrue(there.headers.contains("Authorization"))
        let base = try await sent(authorization)
        XCTAssertFalse(base.headers.contains("Authorization"))
        let invalid = try await failure(.bearer("t").origins([try .test("ftp://files.example")]))
        XCTAssertEqual(invalid?.kind, .invalidURL)
    }

    func testScope_withoutABaseURLMustBeNamed() async throws {
        let transport = MockTransport.answering { _ in .status(200) }
        let client = NetworkClient(baseURL: nil) {
            $0.transport = transport
            $0.authorization = .bearer("t")
        }
        let call = NetworkCall(.get, url: try .test())
        let result = await client.text(call)
        XCTAssertEqual(result.error?.kind, .invalidRequest)
        let bare = await client.text(call.authorization(.anonymous))
        XCTAssertNotNil(bare.value)
    }

    func testRedirect_toAnotherOriginCarriesNoCredential_andBackItDoes() async throws {
        let transport = MockTransport()
        transport.on(nil, "https://api.example/a", times: .exactly(2), .redirect(to: "https://other.example/b"))
        transport.on(nil, "https://other.example/b", times: .exactly(2), .redirect(to: "https://api.example/c"))
        transport.on(nil, "https://api.example/c", times: .exactly(2), .status(200))
        for perCall in [false, true] {
            let client = try NetworkClient.scripted(transport) { if !perCall { $0.authorization = .bearer("t") } }
            let call = NetworkCall(.get, "/a")
            _ = try await client.data(perCall ? call.authorization(.bearer("t")) : call)
            XCTAssertEqual(
                transport.requests.suffix(3).map { $0.headers["Authorization"] }, ["Bearer t", nil, "Bearer t"])
        }
    }

    func testCall_canHaveItsOwnOrNone() async throws {
        let call = NetworkCall(.get, "/items")
        let own = try await sent(.bearer("client"), call.authorization(.bearer("call")))
        XCTAssertEqual(own.headers["Authorization"], "Bearer call")
        let none = try await sent(.bearer("client"), call.authorization(.anonymous))
        XCTAssertNil(none.headers["Authorization"])
        let field = try await sent(.bearer("client"), call.header("authorization", "Custom x"))
        XCTAssertEqual(field.headers.values(of: "Authorization"), ["Custom x"])
        let elsewhere = try await sent(
            .bearer("client"),
            NetworkCall(.get, url: try .test("https://other.example/x")).authorization(.bearer("call")))
        XCTAssertEqual(elsewhere.headers["Authorization"], "Bearer call")
    }

    func testOwnHeader_isNotRefreshed() async throws {
        let server = TokenServer()
        let client = try NetworkClient.scripted(server.transport) { $0.authorization = .refreshing(.asking()) }
        let result = await client.text(NetworkCall(.get, "/items", headers: ["Authorization": "Bearer mine"]))
        XCTAssertEqual(result.error?.status, 401)
        XCTAssertEqual(server.calls.count, 1)
        XCTAssertEqual(server.refreshCalls.count, 0)
    }

    func testCustom_signsAndCannotLeaveTheOrigin() async throws {
        let request = try await sent(.custom { request throws(NetworkError) in request.headers["X-Signature"] = "s" })
        XCTAssertEqual(request.headers["X-Signature"], "s")
        let elsewhere = try URL.test("https://evil.example")
        let error = try await failure(.custom { request throws(NetworkError) in request.url = elsewhere })
        XCTAssertEqual(error?.kind, .invalidRequest)
        let smuggled = try await failure(
            .custom { request throws(NetworkError) in request.headers["X-S"] = "a\r\nHost: b" })
        XCTAssertEqual(smuggled?.kind, .invalidHeader)
    }

    func testDescriptions_showNoSecret() {
        let credential = BearerCredential(accessToken: "secret", refreshToken: "secret")
        let store = CredentialStore.asking(credential: credential)
        for value: Any in [credential, store, Authorization.bearer("secret"), Authorization.refreshing(store)] {
            var dumped = ""
            dump(value, to: &dumped)
            XCTAssertFalse("\(value)\(dumped)".contains("secret"), "\(type(of: value))")
        }
    }
}
