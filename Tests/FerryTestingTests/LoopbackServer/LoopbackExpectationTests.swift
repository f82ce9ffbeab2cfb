import Ferry
import FerryTesting
import Foundation
import XCTest

final class LoopbackExpectationTests: MockTestCase, @unchecked Sendable {  // Stores nothing itself.
    func testExpectations_failAtTheirLineWhereTheyAreNotMet() async throws {
        let server = try await LoopbackServer.start()
        server.expect(.post, "/users", matching: [.json(["name": "Ada"])], .status(201), line: 11)
        server.expect(.get, "/users/{id}", times: 2, .json("{}"), line: 12)
        let client = NetworkClient(baseURL: server.baseURL)
        try await client.request(NetworkCall(.post, "/users", body: .json(["name": "Ada", "role": "x"])))
        _ = try await client.data(NetworkCall(.get, "/users/1?a=1"))
        server.verify(collecting)
        XCTAssertEqual(issueLines, [12])
        XCTAssertEqual(
            issues,
            ["Expected GET /users/{id} 2 times, and it came 1 times. What came:\n  - POST /users\n  - GET /users/1"])
        _ = try await client.data(NetworkCall(.get, "/users/2"))
        server.verify()
        await server.stop()
    }

    func testExpectationsOfOnePath_answerSideBySideAndInTurn() async throws {
        let server = try await LoopbackServer.start()
        server.expect(.post, "users", matching: [.json(["name": "Ada"])], .status(201), line: 11)
        server.expect(.post, "/users", matching: [.json(["name": "Bob"])], times: 2, .status(409), line: 12)
        server.expect(.get, "/job", .status(202), line: 13)
        server.expect(.get, "/job", .status(200), line: 14)
        let client = NetworkClient(baseURL: server.baseURL) { $0.validation = .any }
        func post(_ name: String) async throws -> Int {
            try await client.response(
                NetworkCall(.post, "/users", body: .json(["name": name])), as: Data.self
            ).status.code
        }
        var statuses: [Int] = []
        for name in ["Bob", "Ada", "Bob", "Eve"] { statuses.append(try await post(name)) }
        for _ in 0..<2 {
            statuses.append(try await client.response(NetworkCall(.get, "/job"), as: Data.self).status.code)
        }
        XCTAssertEqual(statuses, [409, 201, 409, 201, 202, 200], "one that fits none gets the answer of the first")
        server.verify(collecting)
        XCTAssertEqual(issues, [])
        _ = try await post("Ada")
        server.verify(collecting)
        XCTAssertEqual(issueLines, [11])
        await server.stop()
    }

    func testMiddleware_runsInOrderBeforeEveryRoute() async throws {
        let server = try await LoopbackServer.start { $0.on(.get, "/a", .text("a")) }
        server.use { request, next in try await next(request).header("X-Outer", "1") }
        server.use { request, next in
            guard request.headers["Authorization"] != nil else { return .status(401) }
            return try await next(request).header("X-Inner", "1")
        }
        let client = NetworkClient(baseURL: server.baseURL)
        let error = await XCTAssertThrowsNetworkError(.authentication) {
            try await client.data(NetworkCall(.get, "/a"))
        }
        XCTAssertEqual(error?.headers["X-Outer"], "1")
        let response = try await client.response(
            NetworkCall(.get, "/a", headers: ["Authorization": "Basic eA=="]), as: String.self)
        XCTAssertEqual(response.value, "a")
        XCTAssertEqual(response.headers["X-Inner"], "1")
        let missing = await XCTAssertThrowsNetworkError(.client) {
            try await client.data(NetworkCall(.get, "/none", headers: ["Authorization": "Basic eA=="]))
        }
        XCTAssertEqual(missing?.status, 404)
        XCTAssertEqual(missing?.headers["X-Outer"], "1")
        await server.stop()
    }
}
