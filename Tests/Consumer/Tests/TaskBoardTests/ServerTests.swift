import Ferry
import FerryTesting
import Foundation
import Synchronization
import TaskBoard
import XCTest

/// The client against a real server on this machine.
final class ServerTests: XCTestCase {
    private func server(_ routes: (LoopbackServer) -> Void) async throws -> LoopbackServer {
        let server = try await LoopbackServer.start()
        routes(server)
        server.on(.post, "/token", .json(#"{"access_token": "new", "refresh_token": "r2", "expires_in": 3600}"#))
        server.use { request, next in
            let isOpen = request.path == "/token" || request.headers["Authorization"] == "Bearer new"
            return isOpen ? try await next(request) : .json(#"{"error": {"message": "expired"}}"#, status: 401)
        }
        return server
    }

    private let old = BearerCredential(accessToken: "old", refreshToken: "r1")

    func testToken_isRenewedOnceForAllCallsAndSaved() async throws {
        let server = try await server { $0.on(.get, "/tasks/{id}", .json(#"{"id": 1, "title": "x", "done": false}"#)) }
        let box = Saved()
        let board = TaskBoard(at: server.baseURL, saved: old, save: { box.add($0?.accessToken) })
        try await withThrowingTaskGroup(of: BoardTask.self) { group in
            for id in 1...8 { group.addTask { try await board.task(id) } }
            for try await task in group { XCTAssertEqual(task.title, "x") }
        }
        XCTAssertEqual(server.requests.count { $0.path == "/token" }, 1)
        XCTAssertEqual(box.tokens, ["new"])
        await server.stop()
    }

    func testSignIn_makesLaterCallsAuthorized() async throws {
        let server = try await server { $0.on(.get, "/tasks/{id}", .json(#"{"id": 1, "title": "x", "done": false}"#)) }
        let board = TaskBoard(at: server.baseURL)
        let error = await XCTAssertThrowsNetworkError(.authentication) { try await board.task(1) }
        XCTAssertEqual(error?.serverMessage, "expired")
        try await board.signIn("ada", password: "secret")
        let task = try await board.task(1)
        XCTAssertEqual(task.id, 1)
        XCTAssertEqual(server.requests.map(\.path), ["/tasks/1", "/token", "/tasks/1"])
        await server.stop()
    }

    func testBusyServer_isAskedAgainWithTheSameKey() async throws {
        let server = try await server {
            $0.script(
                .post, "/boards/{board}/tasks",
                [.status(503), .json(#"{"id": 9, "title": "x", "done": false}"#, status: 201)])
        }
        let board = TaskBoard(
            at: server.baseURL, saved: BearerCredential(accessToken: "new"),
            configure: { $0.retry = .constant(.zero, maxRetries: 1) })
        let task = try await board.add("x", to: "a/b")
        XCTAssertEqual(task.id, 9)
        let keys = server.requests.map { $0.headers["Idempotency-Key"] }
        XCTAssertEqual(keys.count, 2)
        XCTAssertNotNil(keys[0])
        XCTAssertEqual(keys[0], keys[1])
        XCTAssertEqual(server.requests.first?.target, "/boards/a%2Fb/tasks")
        await server.stop()
    }

    func testPages_areAskedForOneAfterTheOther() async throws {
        let server = try await server {
            $0.on(.get, "/boards/home/tasks") { request in
                let isFirst = !request.queryItems.contains { $0.name == "after" }
                return isFirst
                    ? .json(#"{"data": {"tasks": [{"id": 1, "title": "a", "done": false}], "next": "c1"}}"#)
                    : .json(#"{"data": {"tasks": [{"id": 2, "title": "b", "done": false}], "next": null}}"#)
            }
        }
        let board = TaskBoard(at: server.baseURL, saved: BearerCredential(accessToken: "new"))
        var ids: [Int] = []
        for try await task in board.tasks(of: "home") { ids.append(task.id) }
        XCTAssertEqual(ids, [1, 2])
        XCTAssertEqual(server.requests.map(\.query), ["limit=50", "limit=50&after=c1"])
        await server.stop()
    }

    func testChanges_goOnAfterALostConnection() async throws {
        let server = try await server {
            $0.script(
                .get, "/boards/home/changes",
                [1, 2].map { number in
                    let json = #"{"kind": "added", "task": {"id": \#(number), "title": "t", "done": false}}"#
                    return .data(Data("retry: 1\nid: \(number)\ndata: \(json)\n\n".utf8), contentType: .eventStream)
                })
        }
        let board = TaskBoard(at: server.baseURL, saved: BearerCredential(accessToken: "new"))
        var changes = board.changes(of: "home").makeAsyncIterator()
        let first = try await changes.next()
        let second = try await changes.next()
        XCTAssertEqual([first?.task.id, second?.task.id], [1, 2])
        XCTAssertEqual(server.requests.last?.headers["Last-Event-ID"], "1")
        await server.stop()
    }

    func testErrors_carryTheServersMessage() async throws {
        let server = try await server {
            $0.on(.get, "/tasks/1", .json(#"{"error": {"message": "No such task"}}"#, status: 404))
        }
        let board = TaskBoard(at: server.baseURL, saved: BearerCredential(accessToken: "new"))
        let error = await XCTAssertThrowsNetworkError(.client) { try await board.task(1) }
        XCTAssertEqual(error?.serverMessage, "No such task")
        XCTAssertEqual(error?.isNotFound, true)
        await server.stop()
    }
}

/// What the app was told to keep.
private final class Saved: Sendable {
    /// Guards the tokens: the store tells them from any task.
    private let list = Mutex<[String?]>([])

    var tokens: [String?] { list.withLock { $0 } }

    func add(_ token: String?) { list.withLock { $0.append(token) } }
}
