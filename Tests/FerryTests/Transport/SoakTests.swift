import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// Many calls, one after the other and at once: each ends as it should, and nothing is left behind.
final class SoakTests: XCTestCase {
    private var server: LoopbackServer!
    private var client: NetworkClient!

    override func setUp() async throws {
        server = try await LoopbackServer.start(recordLimit: 0)
        server.on(.get, "/ok", .json(#"{"id": 1}"#))
        server.on(.get, "/moved", .redirect(to: "/ok"))
        server.on(.get, "/locked", .status(401, headers: ["WWW-Authenticate": #"Basic realm="soak""#]))
        server.on(.get, "/large", .data(Data(repeating: 0x61, count: Self.largeCount)))
        server.on(.get, "/cut", .text("half of it").claiming(contentLength: 100))
        server.on(.get, "/stalled", .stalled)
        client = NetworkClient(baseURL: server.baseURL)
    }

    override func tearDown() async throws {
        await client?.shutdown()
        await server?.stop()
    }

    private static let largeCount = 64 << 10

    /// What comes and goes: a few connections of the session's pool, on both ends, as the server is in this process, and
    /// workers of dispatch.
    private static let poolSize = 16

    // MARK: Calls that succeed

    func testSequentialCalls_leaveNothingBehind() async throws {
        try await Watchdog.watch { [client] in
            guard let client else { return }
            for _ in 0..<50 { try await Self.check(client, .ok) }
            let leaks = LeakCheck()
            for _ in 0..<1_000 { try await Self.check(client, .ok) }
            await leaks.assertNone(tolerance: Self.poolSize)
        }
    }

    func testConcurrentCalls_leaveNothingBehind() async throws {
        try await Watchdog.watch { [client] in
            guard let client else { return }
            try await Self.spread(128, over: 64) { _ in try await Self.check(client, .ok) }
            let leaks = LeakCheck()
            // All at once: what the session cannot send yet waits, and nothing is lost.
            try await Self.spread(1_000, over: 1_000) { _ in try await Self.check(client, .ok) }
            await leaks.assertNone(tolerance: Self.poolSize)
        }
    }

    // MARK: Everything mixed

    func testMixedCalls_allEndAsExpected() async throws {
        let count = 20_000
        let kinds = Kind.allCases
        try await Watchdog.watch { [client] in
            guard let client else { return }
            try await Self.spread(600, over: 32) { try await Self.check(client, kinds[$0 % kinds.count]) }
            let leaks = LeakCheck()
            let resident = ResidentMemory.bytes
            let completed = Atomic<Int>(0)
            try await Self.spread(count, over: 32) { number in
                try await Self.check(client, kinds[number % kinds.count])
                completed.add(1, ordering: .relaxed)
            }
            XCTAssertEqual(completed.load(ordering: .relaxed), count)
            await leaks.assertNone(tolerance: Self.poolSize)
            // FoundationNetworking itself keeps about 155 bytes a request; the rest is room for the allocator.
            ResidentMemory.assertGrowth(since: resident, atMost: 32 << 20 + count * 512)
        }
    }

    private enum Kind: CaseIterable {
        case ok, redirected, unauthorized, large, truncated, cancelledEarly, cancelled
    }

    /// What a call of a kind gave that it should not have.
    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    private static func check(_ client: NetworkClient, _ kind: Kind) async throws {
        switch kind {
        case .ok: try await expect(client, "/ok", bytes: 9)
        case .redirected: try await expect(client, "/moved", bytes: 9)
        case .large: try await expect(client, "/large", bytes: largeCount)
        case .unauthorized: try await expect(client, "/locked", .authentication)
        case .truncated: try await expect(client, "/cut", .connectionLost, .malformedResponse)
        case .cancelledEarly, .cancelled:
            let task = Task { try await expect(client, "/stalled", .cancelled) }
            // One before the exchange has begun, as a rule, and one about when it begins.
            if kind == .cancelled { await Task.yield() }
            task.cancel()
            try await task.value
        }
    }

    private static func expect(_ client: NetworkClient, _ path: String, bytes: Int) async throws {
        let data = try await client.data(NetworkCall(.get, path))
        guard data.count == bytes else { throw Unexpected(description: "\(path) gave \(data.count) bytes") }
    }

    private static func expect(_ client: NetworkClient, _ path: String, _ kinds: NetworkError.Kind...) async throws {
        let data: Data
        do throws(NetworkError) {
            data = try await client.data(NetworkCall(.get, path))
        } catch {
            guard kinds.contains(error.kind) else {
                throw Unexpected(description: "\(path) failed with \(error.kind): \(error.message)")
            }
            return
        }
        throw Unexpected(description: "\(path) succeeded with \(data.count) bytes")
    }

    // MARK: Support

    /// Makes numbered calls from a number of tasks at once.
    private static func spread(
        _ count: Int, over concurrency: Int, _ call: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<concurrency {
                group.addTask {
                    for number in stride(from: worker, to: count, by: concurrency) { try await call(number) }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Ends a test whose calls do not.
private enum Watchdog {
    /// Longest time for a test; a call that never ends is a failure, not a hang of the whole run.
    private static let limit = Duration.seconds(300)

    /// Fails where the body does not end in time. The body is not waited for then: it may be what hangs.
    static func watch(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let (ends, end) = AsyncStream<(any Error)?>.makeStream()
        let work = Task<Void, Never> {
            do {
                try await body()
                end.yield(nil)
            } catch {
                end.yield(error)
            }
        }
        let watchdog = Task<Void, Never> {
            guard (try? await Task.sleep(for: limit)) != nil else { return }  // The limit itself: nothing waits for it.
            end.yield(NetworkError(.timeout, "Not every call has ended after \(limit)"))
        }
        defer {
            work.cancel()
            watchdog.cancel()
        }
        for await error in ends {
            if let error { throw error }
            return
        }
    }
}
