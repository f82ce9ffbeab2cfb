#if os(Linux)
    import Ferry
    import FerryCurl
    import FerryTesting
    import Foundation
    import XCTest

    /// Many calls over one transport: memory, descriptors and threads stay flat. `FERRY_SOAK=1` makes it 100,000 calls and
    /// 10,000 cancelled ones; by default a twentieth.
    final class CurlSoakTests: ClientTestCase {
        private static let scale = ProcessInfo.processInfo.environment["FERRY_SOAK"] == nil ? 20 : 1

        func testCalls_leaveNothingBehind() async throws {
            let server = try await LoopbackServer.start(recordLimit: 0)
            server.on(.get, "/ok", .json(#"{"id": 1}"#))
            server.on(.get, "/large", .data(Data(repeating: 0x61, count: 64 << 10)))
            server.on(.get, "/stalled", .stalled)
            func calls(_ client: NetworkClient, _ count: Int) async throws {
                try await spread(count) { number in
                    let path = number % 10 == 0 ? "/large" : "/ok"
                    let data = try await client.data(NetworkCall(.get, path))
                    XCTAssertEqual(data.count, number % 10 == 0 ? 64 << 10 : 9)
                }
            }
            func cancelled(_ client: NetworkClient, _ count: Int) async throws {
                try await spread(count) { number in
                    let task = Task {
                        await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/stalled"))
                        }
                    }
                    for _ in 0..<(number % 7) { await Task.yield() }
                    task.cancel()
                    let error = await task.value
                    XCTAssertEqual(error?.kind, .cancelled)
                }
            }
            /// Both on a transport of their own; ends once both ends of every connection are closed.
            func round(_ count: Int, _ cancels: Int) async throws {
                let transport = try CurlTransport()
                let client = NetworkClient(baseURL: server.baseURL) {
                    $0.transport = transport
                    $0.throttle = .none
                }
                try await calls(client, count)
                let between = LeakCheck()
                try await cancelled(client, cancels)
                XCTAssertLessThanOrEqual(try XCTUnwrap(LeakCheck().threads), try XCTUnwrap(between.threads) + 16)
                transport.shutdown()
                await server.waitForConnectionsClosed()
            }
            try await round(2_000, 500)
            let before = LeakCheck()
            let resident = ResidentMemory.bytes
            try await round(100_000 / Self.scale, 10_000 / Self.scale)
            // A cancelled call's exchange may go a moment after its call, and the descriptor of wake-ups goes with the last.
            let descriptors = try XCTUnwrap(before.descriptors)
            await waitUntil("every descriptor is closed") { LeakCheck().descriptors ?? 0 <= descriptors }
            await before.assertNone(tolerance: 16)
            ResidentMemory.assertGrowth(since: resident, atMost: 16 << 20)
            await server.stop()
        }

        /// Makes numbered calls from 32 tasks at once.
        private func spread(_ count: Int, _ call: @escaping @Sendable (Int) async throws -> Void) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<32 {
                    group.addTask { for number in stride(from: worker, to: count, by: 32) { try await call(number) } }
                }
                try await group.waitForAll()
            }
        }
    }
#endif
