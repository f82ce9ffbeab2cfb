import FerryTesting
import Foundation
import Synchronization
import XCTest

@testable import Ferry

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the URLSession transport does beyond the contract, for facts of FoundationNetworking.
final class URLSessionTransportTests: ClientTestCase {
    /// On a kept-alive connection that the server closes on receipt, FoundationNetworking would send the head of a POST
    /// again without its body, and hang.
    func testBodies_doNotUseAConnectionThatTheServerMayClose() async throws {
        server.on(.get, "/a", .text("ok"))
        server.on(.post, "/b", .closed)
        let client = client()
        for _ in 0..<5 {
            _ = try await client.data(NetworkCall(.get, "/a"))
            let error = await failure { () throws(NetworkError) in
                try await client.data(NetworkCall(.post, "/b", body: .text("x")))
            }
            XCTAssertEqual(error?.kind, .connectionLost)
        }
        let posts = server.requests.filter { $0.method == .post }
        XCTAssertEqual(posts.map(\.text), Array(repeating: "x", count: 5), "each body came once and whole")
        XCTAssertTrue(posts.allSatisfy { $0.numberOnConnection == 1 })
        #if canImport(FoundationNetworking)
            XCTAssertEqual(Set(posts.compactMap { $0.headers["Connection"] }), ["close"])
        #endif
    }

    #if canImport(FoundationNetworking)
        /// As FoundationNetworking computes it: a time that comes would be armed for each line of a head.
        func testTheSessionsOwnTimer_neverComes() throws {
            try XCTSkipIf(Int.bitWidth < 64, "the session counts milliseconds in an Int")
            let milliseconds = Int(URLSessionTransport.sessionTimeout) * 1000
            XCTAssertEqual(DispatchTime.now() + .milliseconds(milliseconds - 1), .distantFuture)
        }
    #endif

    /// A session that never seems idle again would have every later call started from another thread.
    func testACallThatGetsNoTask_leavesTheSessionIdle() async throws {
        let transport = URLSessionTransport()
        let lane = transport.unpinned.plain
        let request = HTTPRequest(url: try url("/a"))
        let upload = try await UploadSource.make(request)
        func assertIdle(_ reason: String, line: UInt = #line) {
            XCTAssertTrue(lane.delegate.willStart(), reason, line: line)
            lane.delegate.didStart()
        }
        let cancelled = URLSessionExchange(request, upload, context: CallContext())
        cancelled.cancel(.cancelled)
        transport.start(cancelled, request, upload, in: lane)
        assertIdle("cancelled before")

        #if canImport(FoundationNetworking)
            let queued = URLSessionExchange(request, upload, context: CallContext())
            // Another one is being started, so this one waits in the queue.
            _ = lane.delegate.willStart()
            URLSessionTransport.startQueue.suspend()
            transport.start(queued, request, upload, in: lane)
            queued.cancel(.cancelled)
            URLSessionTransport.startQueue.resume()
            await withCheckedContinuation { continuation in
                URLSessionTransport.startQueue.async { continuation.resume() }
            }
            lane.delegate.didStart()
            assertIdle("cancelled while it waited")
        #endif

        transport.shutdown()
        let late = URLSessionExchange(request, upload, context: CallContext())
        transport.start(late, request, upload, in: lane)
        XCTAssertTrue(late.isEnded)
        assertIdle("after the transport was shut down")
        XCTAssertEqual(server.requests.count, 0)
    }

    func testPlainRequests_shareConnections() async throws {
        server.on(.get, "/a", .text("ok"))
        let client = client()
        for _ in 0..<5 { _ = try await client.data(NetworkCall(.get, "/a")) }
        XCTAssertEqual(server.acceptedConnections, 1)
    }

    func testCallsAtOnce_keepToTheSlots() async throws {
        let held = Mutex<[Gate]>([])
        for method in [HTTPMethod.get, .post] {
            server.on(method, "/a") { _ in
                let gate = Gate()
                held.withLock { $0.append(gate) }
                await gate.wait()
                return .text("ok")
            }
        }
        let client = client()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<120 {
                let call = NetworkCall(number % 7 == 0 ? .post : .get, "/a", body: number % 7 == 0 ? .text("x") : .none)
                group.addTask { _ = try await client.data(call) }
            }
            // One is answered, and one comes in its place: a seventh would be seen sooner or later.
            for left in (1...120).reversed() {
                await waitUntil("\(left) left") { held.withLock { $0.count } >= min(6, left) }
                XCTAssertEqual(held.withLock { $0.count }, min(6, left))
                held.withLock { $0.isEmpty ? nil : $0.removeFirst() }?.open()
            }
            try await group.waitForAll()
        }
    }

    /// The time that an exchange waits for a connection inside the session is no silence of the server.
    func testWaitForAConnection_isNoSilence() async throws {
        server.on(.get, "/stalled", .stalled)
        server.on(.get, "/ok", .text("ok"))
        let clock = ManualClock()
        let transport = URLSessionTransport()
        func send(_ path: String, _ timeouts: Timeouts) throws -> Task<NetworkError.Kind?, Never> {
            let context = CallContext(timeouts: timeouts, clock: clock)
            let request = HTTPRequest(url: try url(path))
            return Task {
                do throws(NetworkError) {
                    _ = try await transport.send(request, context: context)
                    return nil
                } catch {
                    return error.kind
                }
            }
        }
        let stalled = try (0..<6).map { _ in try send("/stalled", Timeouts(idle: .seconds(10))) }
        // Every connection has a request that is not answered.
        await waitUntil { self.server.requests.count == 6 }
        // Its total time-out has it watched from the moment that it is in the session.
        let waiting = try send("/ok", Timeouts(idle: .seconds(10), total: .seconds(1000)))
        await waitUntil { clock.sleeperCount == 7 }
        clock.advance(by: .seconds(11))
        for task in stalled {
            let kind = await task.value
            XCTAssertEqual(kind, .timeout)
        }
        let kind = await waiting.value
        XCTAssertNil(kind)
        transport.shutdown()
    }

    /// For the session zero and less are no limit: nobody waits for a connection there, and every time-out runs.
    func testSessionWithoutALimitOfConnections_keepsTheTimeoutsOfEachExchange() async throws {
        server.on(.get, "/stalled", .stalled)
        for (round, limit) in [0, -1].enumerated() {
            let configuration = URLSessionConfiguration.default
            configuration.httpMaximumConnectionsPerHost = limit
            let transport = URLSessionTransport(configuration: configuration)
            let clock = ManualClock()
            let request = HTTPRequest(url: try url("/stalled"))
            let tasks = (0..<3).map { _ in
                let context = CallContext(timeouts: Timeouts(idle: .seconds(10)), clock: clock)
                return Task { () -> NetworkError? in
                    await failure { () throws(NetworkError) in try await transport.send(request, context: context) }
                }
            }
            await waitUntil { self.server.requests.count == (round + 1) * 3 }
            await waitUntil("each is watched with a limit of \(limit)") { clock.sleeperCount == 3 }
            // What is not watched would not end.
            guard clock.sleeperCount == 3 else { return transport.shutdown() }
            clock.advance(by: .seconds(10))
            for task in tasks {
                let error = await task.value
                XCTAssertEqual(error?.timeout, .idle)
            }
            transport.shutdown()
        }
    }

    func testShutdown_endsExchangesThatAreJustStarting() async throws {
        server.on(.get, "/stall", .stalled)
        for round in 0..<20 {
            let client = client { $0.throttle = .none }
            let tasks = (0..<20).map { _ in
                Task { () -> NetworkError? in
                    await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/stall")) }
                }
            }
            for _ in 0..<round { await Task.yield() }
            await client.shutdown()
            for task in tasks {
                let error = await task.value
                XCTAssertEqual(error?.kind, .cancelled)
            }
        }
    }

    func testSTR04_aSlowConsumerDoesNotLetMemoryGrow() async throws {
        let size = 192 << 20
        let sent = Gate()
        server.on(.get, "/fast") { _ in
            .stream(contentLength: size) { writer in
                defer { sent.open() }
                let piece = Data(repeating: 7, count: 1 << 20)
                for _ in 0..<(size >> 20) { try await writer.write(piece) }
            }
        }
        let response = try await client().stream(NetworkCall(.get, "/fast"))
        var chunks = response.body.makeAsyncIterator()
        var got = try await chunks.next()?.count ?? 0
        let before = ResidentMemory.bytes
        // The server has sent everything while the consumer holds its first chunk.
        await sent.wait()
        while let chunk = try await chunks.next() {
            got += chunk.count
            if got.isMultiple(of: 16 << 20) { ResidentMemory.assertGrowth(since: before, atMost: 64 << 20) }
        }
        XCTAssertEqual(got, size)
        ResidentMemory.assertGrowth(since: before, atMost: 64 << 20)
    }

    /// The runtime of 6.2 and 6.3 traps when it follows redirects over HTTP/2 itself. Ferry makes each hop a task of its own,
    /// whatever the protocol; the server here speaks HTTP/1.1.
    func testCNC04_redirectsAreFollowedWithFreshTasks() async throws {
        let row = try ConformanceCase.load("CNC-04", area: "concurrency")
        XCTAssertEqual(row.input["server"].string?.contains("303"), true)
        server.on(.post, "/a", .redirect(to: "/b", status: 303))
        server.on(.get, "/b", .text("there"))
        let client = client()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await client.string(NetworkCall(.post, "/a", body: .text("x"))) } }
            for try await text in group { XCTAssertEqual(text, "there") }
        }
        XCTAssertEqual(server.requests.filter { $0.path == "/b" }.count, 20)
    }
}
