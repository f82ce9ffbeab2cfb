import Ferry
import FerryTesting
import Foundation
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
import XCTest

final class LoopbackLifetimeTests: XCTestCase {
    private let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    #if os(Linux)
        func testStartAndStop_leaveNoDescriptorAndNoThread() async throws {
            func round() async throws {
                let server = try await LoopbackServer.start()
                server.on(.get, "/") { _ in .text("ok") }
                let client = try RawClient(port: server.port)
                _ = try client.get("/")
                await server.stop()
            }
            // The first rounds start the tasks' own threads.
            for _ in 0..<10 { try await round() }
            let leaks = LeakCheck()
            for _ in 0..<50 { try await round() }
            // Fewer than one a round: the process's own worker threads come and go.
            await leaks.assertNone(tolerance: 8, within: .seconds(20))
        }
    #endif

    func testStop_isIdempotentAndRefusesLaterConnections() async throws {
        let server = try await LoopbackServer.start()
        server.on(.get, "/", .text("ok"))
        _ = try RawClient(port: server.port).get("/")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { await server.stop() } }
        }
        await server.stop()
        XCTAssertEqual(server.requests.count, 1, "what was recorded stays")
        XCTAssertEqual(server.openConnections, 0)
        XCTAssertThrowsError(try RawClient(port: server.port))
    }

    func testStop_endsHandlersStreamsAndWaits() async throws {
        let server = try await LoopbackServer.start()
        let never = Gate()
        server.on(.get, "/handler") { _ in
            await never.wait()
            return .status(200)
        }
        server.on(
            .get, "/stream",
            .stream { writer in
                try await writer.write("x")
                await writer.waitForDisconnect()
            })
        let clients = try ["/handler", "/stream"].map { path in
            let client = try RawClient(port: server.port)
            try client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            return client
        }
        await server.waitForRequests(2)
        let waiting = Task { await server.waitForRequests(1000) }
        await server.stop()
        let requests = await waiting.value
        XCTAssertEqual(requests.count, 2)
        for client in clients { _ = try client.readToEnd() }
    }

    func testServer_thatIsForgottenStopsByItself() async throws {
        var server: LoopbackServer? = try await LoopbackServer.start()
        let port = try XCTUnwrap(server?.port)
        let client = try RawClient(port: port)
        server = nil
        XCTAssertEqual(try client.readToEnd().data, Data())
    }

    func testTwoHundredConnections_areServedAtOnce() async throws {
        try await withServer { server in
            let gate = Gate()
            server.on(.get, "/{n}") { request in
                await gate.wait()
                return .text(request.pathParameters["n"] ?? "")
            }
            let clients = try (0..<200).map { _ in try RawClient(port: server.port) }
            for (number, client) in clients.enumerated() {
                try client.send("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            await server.waitForRequests(200)
            XCTAssertEqual(server.openConnections, 200)
            gate.open()
            for (number, client) in clients.enumerated() {
                XCTAssertEqual(try client.readResponse().text, "\(number)")
            }
            XCTAssertEqual(Set(server.requests.map(\.connection)).count, 200)
        }
    }

    func testRecordLimit_keepsTheNewest() async throws {
        try await withServer(recordLimit: 2) { server in
            server.on(.get, "/{n}", .text("ok"))
            let client = try RawClient(port: server.port)
            for number in 0..<10 { _ = try client.get("/\(number)") }
            XCTAssertEqual(server.requestCount, 10)
            XCTAssertEqual(server.requests.suffix(2).map(\.path), ["/8", "/9"])
            XCTAssertLessThanOrEqual(server.requests.count, 4)
        }
    }

    func testURLSession_isServed() async throws {
        try await withServer { server in
            server.on(.get, "/x", .json(#"{"a": 1}"#))
            let (data, _) = try await URLSession.shared.data(from: server.baseURL.appendingPathComponent("x"))
            XCTAssertEqual(data, Data(#"{"a": 1}"#.utf8))
        }
    }
}
