import Ferry
import Foundation
import XCTest

@testable import FerryTesting

final class RouteTableTests: XCTestCase {
    func testPathPattern_matches() {
        // Pattern, path, captures; nil where it does not match.
        let rows: [(String, String, [String: String]?)] = [
            ("/", "/", [:]),
            ("/a", "/a", [:]),
            ("/a", "/a/", nil),
            ("/a", "/A", nil),
            ("/a/", "/a/", [:]),
            ("/users/{id}", "/users/7", ["id": "7"]),
            ("/users/{id}", "/users/", nil),
            ("/users/{id}", "/users", nil),
            ("/users/{id}", "/users/7/x", nil),
            ("/users/{id}", "/users/a%2Fb%20c", ["id": "a/b c"]),
            ("/{a}/x/{b}", "/1/x/2", ["a": "1", "b": "2"]),
            ("/{a}/x/{b}", "/1/y/2", nil),
            ("/a b", "/a%20b", [:]),
            ("/a%20b", "/a%20b", [:]),
            ("/*/x", "/1/x", [:]),
            ("/*/x", "//x", nil),
            ("/files/**", "/files/", [:]),
            ("/files/**", "/files/a/b/c", [:]),
            ("/files/**", "/other", nil),
            ("/{a}/**", "/1/2/3", ["a": "1"]),
            ("/**", "/", [:]),
            ("*", "*", [:]),
            ("users/{id}", "/users/7", ["id": "7"]),
            ("", "/", [:]),
            ("**", "/a/b", [:]),
            ("/files/{name}.json", "/files/a.b.json", ["name": "a.b"]),
            ("/files/{name}.json", "/files/.json", nil),
            ("/files/{name}.json", "/files/a.xml", nil),
            ("/files/{name}.json", "/files/a%2Fb.json", ["name": "a/b"]),
            ("/{from}...{to}", "/a...b", ["from": "a", "to": "b"]),
            ("/{from}-{to}", "/a-b-c", ["from": "a", "to": "b-c"]),
            ("/v{major}/x", "/v2/x", ["major": "2"]),
            ("/@{user}", "/@ada", ["user": "ada"]),
            ("/a{b", "/a{b", [:]),
            ("/caf%C3%A9", "/caf%c3%a9", [:]),
            ("/café", "/caf%C3%A9", [:]),
            ("/a/b", "/a%2Fb", nil),
            ("/a b", "/a+b", nil),
        ]
        for (pattern, path, expected) in rows {
            XCTAssertEqual(PathPattern(pattern).match(PathPattern.split(path)), expected, "\(pattern) on \(path)")
        }
    }

    private func name(_ table: inout RouteTable, _ method: HTTPMethod, _ path: String) -> String? {
        guard case .canned(let response)? = table.match(method, path)?.action else { return nil }
        return response.headers["N"]
    }

    private func named(_ name: String) -> RouteTable.Action { .canned(.status(200).header("N", name)) }

    func testMatch_prefersTheMoreSpecificRouteInWhateverOrderTheyCame() {
        let routes: [(HTTPMethod?, String)] = [
            (.get, "/**"), (nil, "/a/{x}"), (.get, "/a/{x}"), (.get, "/a/b"), (.get, "/a/**"), (.get, "/{y}/b"),
        ]
        for order in [routes, routes.reversed()] {
            var table = RouteTable()
            for (method, path) in order { table.set(method, path, named("\(method?.rawValue ?? "any") \(path)")) }
            XCTAssertEqual(name(&table, .get, "/a/b"), "GET /a/b")
            XCTAssertEqual(name(&table, .get, "/a/c"), "GET /a/{x}")
            XCTAssertEqual(name(&table, .post, "/a/c"), "any /a/{x}")
            XCTAssertEqual(name(&table, .get, "/a/c/d"), "GET /a/**")
            XCTAssertEqual(name(&table, .get, "/z/b"), "GET /{y}/b")
            XCTAssertEqual(name(&table, .get, "/z"), "GET /**")
            XCTAssertNil(name(&table, .post, "/z"))
        }
    }

    func testSet_replacesTheSameRoute() {
        var table = RouteTable()
        for path in ["/a", "/{a}"] {
            table.set(.get, path, named("first"))
            table.set(.get, path, named("second"))
        }
        XCTAssertEqual(name(&table, .get, "/a"), "second")
        XCTAssertEqual(name(&table, .get, "/b"), "second")
    }

    func testMatch_findsAnEncodedSpellingOfALiteralPath() {
        var table = RouteTable()
        table.set(.get, "/a b", named("space"))
        table.set(.get, "/caf%C3%A9", named("encoded"))
        table.set(.get, "x/y", named("no slash"))
        XCTAssertEqual(name(&table, .get, "/a%20b"), "space")
        XCTAssertEqual(name(&table, .get, "/caf%c3%a9"), "encoded")
        XCTAssertEqual(name(&table, .get, "/x/y"), "no slash")
        XCTAssertNil(name(&table, .get, "/x%2Fy"), "RFC 3986 2.2: an encoded slash divides nothing")
    }

    func testHead_prefersItsOwnRoute() {
        var table = RouteTable()
        table.set(.get, "/a", named("get"))
        XCTAssertEqual(name(&table, .head, "/a"), "get")
        table.set(.head, "/a", named("head"))
        XCTAssertEqual(name(&table, .head, "/a"), "head")
    }
}
