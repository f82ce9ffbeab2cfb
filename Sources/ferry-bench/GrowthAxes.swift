import Ferry
import FerryTesting
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What grows in use: calls, bodies, pages, entries of a cache, header fields, routes of a mock.
enum GrowthAxes {
    /// Where the axes leave their files; who runs them removes it.
    static let scratch = FileManager.default.temporaryDirectory.appending(path: "ferry-bench-\(UUID().uuidString)")

    static func all(server: URL) throws -> [Growth.Axis] {
        try calls(server) + bodies(server) + [pages()] + caches() + headers() + [routes()]
    }

    // MARK: Calls

    private static func calls(_ server: URL) throws -> [Growth.Axis] {
        let memory = NetworkClient(baseURL: try CallWorks.url("http://localhost/")) {
            $0.transport = InMemoryTransport()
        }
        let session = NetworkClient(baseURL: server)
        return [
            ("calls in memory", memory, [1024, 4096, 16384]), ("calls over URLSession", session, [512, 2048, 8192]),
        ]
        .flatMap { name, client, sizes in
            [1, 16, 64, 256].map { concurrency in
                Growth.Axis(name: "\(name), concurrency \(concurrency)", sizes: sizes) { count in
                    try await processor {
                        try await CallWorks.spread(count, over: concurrency) {
                            let _: BenchServer.Page = try await client.get("/json")
                        }
                    }
                }
            }
        }
    }

    // MARK: Bodies

    private static func bodies(_ server: URL) throws -> [Growth.Axis] {
        let client = NetworkClient(baseURL: server)
        let sizes = [0, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20]
        return [
            Growth.Axis(name: "body received, buffered", sizes: sizes) { size in
                try await bodyCost(size) {
                    let data = try await client.data(NetworkCall(.get, "/stream/\(size)"))
                    precondition(data.count == size, "A wrong answer")
                }
            },
            Growth.Axis(name: "body sent, from memory", sizes: sizes) { size in
                let data = Data(repeating: 0x5A, count: size)
                return try await bodyCost(size) {
                    let text: String = try await client.post("/upload", body: .data(data))
                    precondition(text == "\(size)", "A wrong answer")
                }
            },
        ]
    }

    /// Of one call, measured over several where bodies are small.
    private static func bodyCost(_ size: Int, _ call: @escaping @Sendable () async throws -> Void) async throws
        -> Double
    {
        let count = max(4, min(64, (16 << 20) / max(size, 1)))
        return try await processor { for _ in 0..<count { try await call() } } / Double(count)
    }

    // MARK: Pages

    private static func pages() throws -> Growth.Axis {
        let base = try CallWorks.url("http://localhost/")
        return Growth.Axis(name: "pages of a walk", sizes: [1, 10, 100, 1_000, 10_000]) { count in
            let client = NetworkClient(baseURL: base) { $0.transport = ChainWorks.PageTransport(last: count) }
            return try await processor {
                var items = 0
                for try await _ in client.items(ChainWorks.List()) { items += 1 }
                precondition(items == count * 10, "A wrong answer")
            }
        }
    }

    // MARK: Caches

    private static func caches() throws -> [Growth.Axis] {
        let base = try CallWorks.url("http://localhost/")
        let sizes = [10, 100, 1_000, 10_000, 100_000]
        func cost(_ count: Int, _ store: some CacheStore) async throws -> Double {
            let client = NetworkClient(baseURL: base) {
                $0.transport = InMemoryTransport(body: Data([7]), headers: ["Cache-Control": "max-age=3600"])
                $0.cache = ResponseCache(store: store)
            }
            // Each is stored, and found again.
            let seconds = try await processor {
                for _ in 0..<2 {
                    for number in 0..<count { _ = try await client.data(NetworkCall(.get, "/\(number)")) }
                }
            }
            guard await store.heads().count == count else { throw Failure(message: "The cache did not keep all") }
            return seconds
        }
        return [
            Growth.Axis(name: "cache entries stored and hit, memory", sizes: sizes) { count in
                try await cost(count, .memory(maxBytes: 1 << 30, maxEntries: count))
            },
            Growth.Axis(name: "cache entries stored and hit, disk", sizes: sizes) { count in
                // Left until the end: a file system looks for places around those of files that were just removed.
                let folder = scratch.appending(path: UUID().uuidString)
                return try await cost(count, .disk(folder, maxBytes: 1 << 30, maxEntries: count))
            },
        ]
    }

    // MARK: Header fields

    private static func headers() throws -> [Growth.Axis] {
        let base = try CallWorks.url("http://localhost/")
        func fields(_ count: Int) -> HTTPHeaders {
            HTTPHeaders((0..<count).map { HTTPHeaders.Field(name: "X-Field-\($0)", value: "value \($0)") })
        }
        let sizes = [10, 100, 1_000]
        return [
            Growth.Axis(name: "header fields both ways, in memory", sizes: sizes) { count in
                let fields = fields(count)
                let client = NetworkClient(baseURL: base) {
                    $0.transport = InMemoryTransport(headers: fields)
                    $0.headers = fields
                    $0.limits.headerCount = count
                }
                let call = NetworkCall(.get, "/x", headers: fields)
                return try await processor { for _ in 0..<20 { _ = try await client.data(call) } } / 20
            },
            Growth.Axis(name: "header fields, as URLRequest", sizes: sizes) { count in
                let request = HTTPRequest(url: base, headers: fields(count))
                return try await processor {
                    for _ in 0..<20 { precondition(URLRequest(request).url != nil, "A wrong answer") }
                } / 20
            },
        ]
    }

    // MARK: Routes

    /// Of a call that the last route answers.
    private static func routes() throws -> Growth.Axis {
        let base = try CallWorks.url("http://localhost/")
        return Growth.Axis(name: "routes of a mock", sizes: [1, 10, 100, 1_000]) { count in
            let mock = MockTransport(allowsUnusedRoutes: true)
            for number in 0..<count { mock.on(.get, "/items/{id}/part/\(number)", .text("x")) }
            let client = NetworkClient(baseURL: base) { $0.transport = mock }
            let call = NetworkCall(.get, "/items/42/part/\(count - 1)")
            return try await processor { for _ in 0..<50 { _ = try await client.data(call) } } / 50
        }
    }

    private static func processor(_ body: () async throws -> Void) async throws -> Double {
        try await Cost.of(1, body).processor
    }
}
