import Ferry
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Small JSON calls.
enum CallWorks {
    static var all: [Work] {
        [1, 16, 64].map { concurrency in
            Work(name: name(concurrency)) { try await overURLSession($0, concurrency) }
        } + [Work(name: "SDK overhead, in memory", run: overhead)]
    }

    private static func name(_ concurrency: Int) -> String {
        concurrency == 1 ? "JSON call, sequential" : "JSON call, concurrency \(concurrency)"
    }

    private static func overURLSession(_ bench: Bench, _ concurrency: Int) async throws -> [Row] {
        let base = try bench.baseURL()
        let calls = bench.isQuick ? 256 : concurrency == 1 ? 600 : 1024
        let url = base.appending(path: "json")
        let client = NetworkClient(baseURL: base)
        let session = URLSession(configuration: .default)
        let floor = FloorSession()
        let floorSession = floor.makeSession()
        let sides: [@Sendable () async throws -> BenchServer.Page] = [
            { try await client.get("/json") },
            {
                let (data, _) = try await session.data(for: URLRequest(url: url))
                return try JSONDecoder().decode(BenchServer.Page.self, from: data)
            },
            {
                let data = try await floor.data(for: URLRequest(url: url), in: floorSession)
                return try JSONDecoder().decode(BenchServer.Page.self, from: data)
            },
        ]
        var costs: [[Cost]] = [[], [], []]
        // One round that does not count; then each side is first in every third.
        for round in 0...bench.rounds {
            for side in 0..<sides.count {
                let side = (side + round) % sides.count
                let call = sides[side]
                let cost = try await Cost.of(calls) {
                    try await spread(calls, over: concurrency) {
                        let page = try await call()
                        precondition(page.total == 9, "A wrong answer")
                    }
                }
                if round > 0 { costs[side].append(cost) }
            }
        }
        await client.shutdown()
        session.invalidateAndCancel()
        floorSession.invalidateAndCancel()
        return rows(name(concurrency), costs[0], costs[1], isBudgeted: true)
            + rows(name(concurrency) + ", floor", costs[2], costs[1], isBudgeted: false)
    }

    private static func rows(_ name: String, _ costs: [Cost], _ baseline: [Cost], isBudgeted: Bool) -> [Row] {
        [
            .ratio(
                name, "calls/s", ferry: costs.map(\.rate), baseline: baseline.map(\.rate),
                budget: isBudgeted ? .atLeast(1.25) : .none),
            .ratio(
                name, "CPU µs/call", ferry: costs.map { $0.processor * 1e6 },
                baseline: baseline.map { $0.processor * 1e6 }, budget: isBudgeted ? .atMost(0.8) : .none),
        ]
    }

    /// All that Ferry does for a call but the exchange; beside it the decoding alone, which is part of both.
    private static func overhead(_ bench: Bench) async throws -> [Row] {
        let calls = bench.isQuick ? 5_000 : 20_000
        let base = try url("http://127.0.0.1:1/v1")
        let client = NetworkClient(baseURL: base) { $0.transport = InMemoryTransport() }
        let decoder = JSONDecoder()
        let samples = try await bench.interleaved {
            try await Cost.of(calls) {
                for _ in 0..<calls { let _: BenchServer.Page = try await client.get("/json") }
            }
        } baseline: {
            try await Cost.of(calls) {
                for _ in 0..<calls { _ = try decoder.decode(BenchServer.Page.self, from: BenchServer.json) }
            }
        }
        let name = "SDK overhead, in memory"
        // A difference of two nearly equal times: by the clock, a busy machine would be most of it.
        let own = zip(samples.ferry, samples.baseline).map { ($0.processor - $1.processor) * 1e6 }
        return [
            .value(
                name, "µs/call with decoding", samples.ferry.map { $0.time * 1e6 },
                baseline: samples.baseline.map { $0.time * 1e6 }, budget: .none, unit: "µs"),
            .value(name, "µs/call, Ferry's own", own, budget: .atMost(15), unit: "µs"),
        ]
    }

    /// Makes calls from a number of tasks at once.
    static func spread(
        _ calls: Int, over concurrency: Int, _ call: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard concurrency > 1 else {
            for _ in 0..<calls { try await call() }
            return
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<concurrency {
                group.addTask { for _ in 0..<(calls / concurrency) { try await call() } }
            }
            try await group.waitForAll()
        }
    }

    static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw Failure(message: "\(text) is no URL") }
        return url
    }
}
