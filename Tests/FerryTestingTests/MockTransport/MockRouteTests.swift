import Ferry
import FerryTesting
import Foundation
import XCTest

/// Which route answers what.
final class MockRouteTests: MockTestCase, @unchecked Sendable {  // Stores nothing itself.
    /// Which of two replies a call gets: that of the route, or of the one after it.
    private func isAnswered(_ method: HTTPMethod?, _ path: String, _ matches: [RequestMatch] = [], by call: NetworkCall)
        async throws -> Bool
    {
        let mock = transport()
        let route = mock.on(method, path, matching: matches, .status(200))
        mock.on(nil, "**", .status(200))
        _ = try await client(mock).data(call)
        return mock.requests(of: route).count == 1
    }

    private func get(_ path: String) -> NetworkCall { NetworkCall(.get, path) }

    func testPath_isThatOfTheWholeURL() async throws {
        let rows: [(path: String, call: String, fits: Bool)] = [
            ("/users/1", "/users/1", true), ("users/1", "/users/1", true), ("/users/1/", "/users/1", false),
            ("/users/1", "/users/1?page=2", true), ("/users/{id}", "/users/a%2Fb", true),
            ("/users/{id}", "/users/1/posts", false), ("/files/{name}.json", "/files/a.json", true),
            ("/files/{name}.json", "/files/a.xml", false), ("/caf%C3%A9", "/café", true), ("/café", "/caf%C3%A9", true),
            ("/Users/1", "/users/1", false), ("/search?q=a", "/search?b=1&q=a", true),
            ("/search?q=a", "/search?q=b", false), ("/search?q=a", "/search", false),
            ("/search?tag=a&tag=b", "/search?tag=b&tag=a", true), ("/search?tag=a&tag=b", "/search?tag=a", false),
            ("/search?q=a%20b", "/search?q=a+b", true), ("/search?flag", "/search?flag", true),
            ("https://api.example/users/1", "/users/1", true), ("HTTPS://API.example:443/users/1", "/users/1", true),
            ("https://api.example:444/users/1", "/users/1", false), ("http://api.example/users/1", "/users/1", false),
            ("https://other.example/**", "/users/1", false), ("https://api.example", "/", true),
            ("https://api.example?q=1", "/?q=1", true),
        ]
        for (path, call, fits) in rows {
            let answered = try await isAnswered(.get, path, by: get(call))
            XCTAssertEqual(answered, fits, "\(path) for \(call)")
        }
        XCTAssertEqual(issues, [])
    }

    func testMethod_isExact() async throws {
        let rows: [(method: HTTPMethod?, sent: HTTPMethod, fits: Bool)] = [
            (.get, .get, true), (.get, .head, false), (.head, .head, true), (nil, .delete, true),
            ("PURGE", "PURGE", true),
            ("PURGE", "purge", false), ("get", .get, true),
        ]
        for (method, sent, fits) in rows {
            let answered = try await isAnswered(method, "/x", by: NetworkCall(sent, "/x"))
            XCTAssertEqual(answered, fits, "\(String(describing: method)) for \(sent)")
        }
    }

    func testMatches_onQueryHeadersAndBodies() async throws {
        let array: JSON = [1, 2]
        let rows: [(match: RequestMatch, fits: [NetworkCall], others: [NetworkCall])] = [
            (.query("a", ""), [get("/x?a"), get("/x?a=")], [get("/x"), get("/x?a=1")]),
            (.query("a", "1"), [get("/x?a=2&a=1")], [get("/x?A=1")]),
            (.query("a", "ü&="), [get("/x?a=%C3%BC%26%3D")], [get("/x?a=%C3%BC")]),
            (.hasQuery("a"), [get("/x?a"), get("/x?b=1&a=2")], [get("/x?b=a")]),
            (.not(.hasQuery("a")), [get("/x"), get("/x?b=1")], [get("/x?a=1")]),
            (
                .exactQuery(["a": "1", "a": "2"]), [get("/x?a=2&a=1")],
                [get("/x?a=1"), get("/x?a=1&a=1"), get("/x?a=1&a=2&a=2")]
            ),
            (.exactQuery([:]), [get("/x"), get("/x?")], [get("/x?a")]),
            (
                .header("accept", "text/csv"),
                [
                    get("/x").header("Accept", "text/csv"),
                    NetworkCall(.get, "/x", headers: ["Accept": "text/html", "ACCEPT": "text/csv"]),
                ], [get("/x").header("Accept", "TEXT/csv")]
            ),
            (
                .header("X-A", "1, 2"), [NetworkCall(.get, "/x", headers: ["x-a": "1", "X-a": "2"])],
                [get("/x").header("X-A", "1,2")]
            ),
            (.hasHeader("X-A"), [get("/x").header("x-a", "")], [get("/x")]),
            (
                .noBody, [get("/x"), NetworkCall(.post, "/x", body: .data(Data()))],
                [NetworkCall(.post, "/x", body: .text("a"))]
            ),
            (
                .json(["n": 1]), [json(#"{"n": 1.0}"#), json(#"{"n": 1e0, "m": null}"#), json(#" {"n":1} "#)],
                [json(#"{"n": "1"}"#), json(#"{"n": true}"#), json(#"{"n": 1.5}"#), json("[1]"), json("{"), json("")]
            ),
            (
                .json(["n": nil]), [json(#"{"n": null}"#)],
                [json("{}"), json(#"{"n": 0}"#), json(#"{"n": ""}"#)]
            ),
            (
                .json(["a": ["b": [["c": 1]]]]), [json(#"{"a": {"b": [{"c": 1, "d": 2}], "e": 3}}"#)],
                [json(#"{"a": {"b": [{"c": 1}, {"c": 1}]}}"#), json(#"{"a": {"b": []}}"#), json(#"{"a": {}}"#)]
            ),
            (.json(array), [json("[1, 2]")], [json("[2, 1]"), json("[1, 2, 3]")]),
            (.json("text"), [json(#""text""#)], [json("text")]),
            (
                .exactJSON(["a": 1, "b": nil]), [json(#"{"b": null, "a": 1.00}"#)],
                [json(#"{"a": 1}"#), json(#"{"a": 1, "b": null, "c": 2}"#)]
            ),
            (
                .json(["id": 9_007_199_254_740_993]), [json(#"{"id": 9007199254740993}"#)],
                [json(#"{"id": 9007199254740992}"#)]
            ),
            (.body(Data([0, 0xFF])), [NetworkCall(.post, "/x", body: .data(Data([0, 0xFF])))], [json("")]),
            (
                .form("a", "1 2"), [form("a=1+2"), form("b=3&a=1%202")],
                [form("a=1"), NetworkCall(.post, "/x", body: .text("a=1+2"))]
            ),
        ]
        for row in rows {
            for call in row.fits {
                let answered = try await isAnswered(nil, "/x", [row.match], by: call)
                XCTAssertTrue(answered, "\(row.match) for \(call)")
            }
            for call in row.others {
                let answered = try await isAnswered(nil, "/x", [row.match], by: call)
                XCTAssertFalse(answered, "\(row.match) for \(call)")
            }
        }
    }

    private func json(_ text: String) -> NetworkCall {
        NetworkCall(.post, "/x", body: .data(Data(text.utf8), contentType: .json))
    }

    private func form(_ text: String) -> NetworkCall {
        NetworkCall(.post, "/x", body: .data(Data(text.utf8), contentType: .form))
    }

    func testFirstRouteThatFitsAnswers_alsoWhereALaterOneFitsBetter() async throws {
        let mock = transport()
        mock.on(.get, "/users/{id}", .text("first"))
        mock.on(.get, "/users/1", .text("second"))
        let text = try await client(mock).string(get("/users/1"))
        XCTAssertEqual(text, "first")
    }

    func testMatch_mayAskTheTransportItself() async throws {
        let mock = transport()
        mock.on(
            .get, "/x", matching: [RequestMatch("after the first") { _ in mock.requests.count > 1 }], .text("later"))
        mock.on(.get, "/x", .text("first"))
        let client = try client(mock)
        let texts = [try await client.string(get("/x")), try await client.string(get("/x"))]
        XCTAssertEqual(texts, ["first", "later"])
    }

    func testNearestRoutes_areOrderedByWhatMissesAndHowFarThePathIs() async throws {
        let mock = transport()
        mock.on(.get, "/accounts", .empty())
        mock.on(.post, "/elsewhere", .empty())
        mock.on(.get, "/user/{id}", .empty())
        mock.on(.get, "https://other.example/users/1", .empty())
        let error = await XCTAssertThrowsNetworkError(.mock) { try await client(mock).data(get("/users/1")) }
        XCTAssertEqual(
            error?.message,
            """
            GET https://api.example/users/1 was not mocked. The nearest routes:
              - GET https://other.example/users/1: does not fit: origin https://other.example
              - GET /user/{id}: does not fit: path /user/{id}
              - GET /accounts: does not fit: path /accounts
              and 1 more
            """)
    }

    func testRouteThatMustNotBeUsed_failsWhereItIs() async throws {
        let mock = transport(allowsUnusedRoutes: false)
        mock.on(.delete, "/users/1", times: .exactly(0), .empty())
        mock.verify()
        XCTAssertEqual(issues, [])
        let error = await XCTAssertThrowsNetworkError(.mock) {
            try await client(mock).data(NetworkCall(.delete, "/users/1"))
        }
        XCTAssertTrue(error?.message.contains("- DELETE /users/1: does not fit: it is never to answer") ?? false)
    }
}
