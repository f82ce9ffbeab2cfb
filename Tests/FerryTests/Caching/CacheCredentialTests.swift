import Ferry
import FerryTesting
import Foundation
import XCTest

/// Whose response a stored one is: credentials and cookies keep responses apart.
final class CacheCredentialTests: CacheTestCase {
    func testCredentials_keepResponsesApart() async throws {
        let directory = try temporaryDirectory()
        let (client, transport) = try client(
            ResponseCache(store: .disk(directory)), answer: counting(["Cache-Control": "max-age=60"]))
        for (token, expected) in [("a", "1"), ("b", "2"), ("a", "1"), ("b", "2")] {
            let text = try await client.string(call.header("Authorization", "Bearer secret-\(token)"))
            XCTAssertEqual(text, expected)
        }
        let anonymous = try await client.string(call)
        XCTAssertEqual(anonymous, "3")
        XCTAssertEqual(transport.requests.count, 3)
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path()) {
            let content = try? Data(contentsOf: directory.appending(path: name))
            XCTAssertNil(content?.range(of: Data("secret".utf8)), name)
        }
    }

    func testAuthorizationOfTheClient_isKnownToTheCache() async throws {
        let transport = MockTransport.answering(counting(["Cache-Control": "max-age=60"]))
        let cache = ResponseCache()
        func client(_ authorization: Authorization) throws -> NetworkClient {
            NetworkClient(baseURL: try .test("https://api.example")) {
                $0.cache = cache
                $0.authorization = authorization
                $0.transport = transport
                $0.clock = clock
            }
        }
        let users: [(Authorization, String)] = [
            (.bearer("a"), "1"), (.bearer("b"), "2"), (.bearer("a"), "1"), (.anonymous, "3"),
            (.apiKey(query: "key", "k1"), "4"), (.apiKey(query: "key", "k2"), "5"),
            (.apiKey(query: "key", "k1"), "4"), (.apiKey(header: "X-Token", "k1"), "6"), (.anonymous, "3"),
            (.apiKey(header: "X-Token", "k1"), "6"),
        ]
        for (authorization, expected) in users {
            let text = try await client(authorization).string(call)
            XCTAssertEqual(text, expected)
        }
        XCTAssertEqual(transport.requests.count, 6)
        let paths = await Set(cache.entries().map(\.url.absoluteString))
        XCTAssertEqual(paths, ["https://api.example/items"], "a key is nothing to keep")
    }

    /// Adds a credential below the cache without saying so.
    private struct Signing: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws(NetworkError)
            -> HTTPResponse
        {
            var signed = request
            signed.headers["Authorization"] = "Bearer hidden"
            return try await next(signed)
        }
    }

    func testHiddenCredential_isNeverServedToOthers() async throws {
        let (client, transport) = try client(
            interceptors: [Signing()], answer: counting(["Cache-Control": "max-age=60"]))
        for _ in 0..<2 { _ = try await client.string(call) }
        XCTAssertEqual(transport.requests.count, 2, "stored under what was sent, not under what was asked")
    }

    func testCookies_selectWhereVarySaysSo() async throws {
        let jar = CookieJar()
        let (client, transport) = try client(
            jar: jar, answer: counting(["Cache-Control": "max-age=60", "Vary": "Cookie", "Set-Cookie": "a=1"]))
        _ = try await client.string(call)
        let changed = try await client.string(call)
        XCTAssertEqual(changed, "2", "the first answer set a cookie, so the next request is another")
        let same = try await client.response(call, as: String.self)
        XCTAssertEqual(same.source, .cacheFresh)
        XCTAssertNil(same.headers["Set-Cookie"])
        XCTAssertEqual(transport.requests.count, 2)
    }

    func testOwnCredentialOfACall_staysWithItsOriginBehindTheCall() async throws {
        let (client, transport) = try client { request in
            request.path == "/items"
                ? .redirect(to: "https://other.example/there")
                : .text("there", headers: ["Cache-Control": "max-age=10, stale-while-revalidate=60"])
        }
        var call = call
        call.options.authorization = .bearer("secret")
        _ = try await client.string(call)
        clock.advance(by: .seconds(20))
        let stale = try await client.response(call, as: String.self)
        XCTAssertEqual(stale.source, .cacheStale)
        await waitUntil { client.background.count == 0 }
        let there = transport.requests.filter { $0.path == "/there" }
        XCTAssertEqual(there.map { $0.headers["Authorization"] }, [nil, nil], "it belongs to the origin asked first")
    }

    func testRenewedCredential_findsWhatItValidated() async throws {
        let rows: [(tag: String, second: HTTPResponse.Source)] = [
            ("\"1\"", .cacheFresh),
            // A weak tag does not say that another credential gets the same bytes.
            ("W/\"1\"", .mock),
        ]
        for row in rows {
            let clock = ManualClock()
            let session = CredentialStore(bearer: BearerCredential(accessToken: "T1")) { _, _ in
                BearerCredential(accessToken: "T2")
            }
            let cache = ResponseCache()
            let transport = MockTransport.answering { request in
                let isValid = request.headers["Authorization"] == (clock.now < .seconds(15) ? "Bearer T1" : "Bearer T2")
                if !isValid { return .status(401) }
                let headers: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": row.tag]
                if request.headers.contains("If-None-Match") { return .status(304, headers: headers) }
                return .text("mine", headers: headers)
            }
            let client = NetworkClient(baseURL: try .test("https://api.example")) {
                $0.cache = cache
                $0.authorization = .refreshing(session)
                $0.transport = transport
                $0.clock = clock
            }
            _ = try await client.string(call)
            clock.advance(by: .seconds(20))
            let validated = try await client.response(call, as: String.self)
            XCTAssertEqual(validated.source, .cacheValidated, row.tag)
            let second = try await client.response(call, as: String.self)
            XCTAssertEqual(second.source, row.second, row.tag)
            let count = await cache.entries().count
            XCTAssertEqual(count, row.second == .cacheFresh ? 1 : 2, "the old one made room")
        }
    }
}
