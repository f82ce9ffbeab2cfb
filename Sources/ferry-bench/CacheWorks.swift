import Ferry
import Foundation

/// A whole call that a cache answers, without a network: 1 KiB out of memory and off the disk.
enum CacheWorks {
    static var all: [Work] { [Work(name: "cache hits", run: run)] }

    /// Answers once; every later call is the cache's.
    private struct OneAnswer: Transport {
        func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
            HTTPResponse(
                head: HTTPResponse.Head(
                    status: .ok, headers: ["Cache-Control": "max-age=3600", "Content-Type": "text/plain"],
                    url: request.url),
                body: .data(Data(repeating: 7, count: 1024)))
        }
    }

    private static func run(_ bench: Bench) async throws -> [Row] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ferry-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let count = bench.isQuick ? 500 : 5_000
        let caches: [(name: String, cache: ResponseCache, budget: Double)] = [
            ("memory", ResponseCache(store: .memory()), 20), ("disk", ResponseCache(store: .disk(folder)), 300),
        ]
        var rows: [Row] = []
        for (name, cache, budget) in caches {
            let client = NetworkClient(baseURL: try CallWorks.url("http://localhost/")) {
                $0.transport = OneAnswer()
                $0.cache = cache
            }
            let call = NetworkCall(.get, "/x")
            _ = try await client.data(call)
            var costs: [Double] = []
            for _ in 0..<bench.rounds {
                let cost = try await Cost.of(count) { for _ in 0..<count { _ = try await client.data(call) } }
                costs.append(cost.time * 1e6)
            }
            guard try await client.response(call, as: Data.self).source.isCache else {
                throw Failure(message: "The cache did not answer")
            }
            rows.append(
                .value("cache hit, \(name)", "µs/call", costs, budget: .atMost(budget), unit: "µs"))
        }
        return rows
    }
}
