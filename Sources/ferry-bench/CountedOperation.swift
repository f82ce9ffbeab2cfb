import Ferry
import Foundation

/// An operation whose allocations, copies and jobs are counted.
struct CountedOperation {
    let name: String
    /// How much more than stored is let pass, as a share: what a session does varies with how its bytes arrive.
    var tolerance = 0.0
    /// Does it a number of times, which it returns.
    let run: () async throws -> Int

    /// The hottest, one after the other on one task; over memory but for the last.
    static func all(server: URL) async throws -> [CountedOperation] {
        let json = try client(InMemoryTransport())
        let large = try client(
            InMemoryTransport(body: Data(repeating: 7, count: 64 << 10), headers: ["Content-Type": "text/plain"]))
        let bearer = try client(InMemoryTransport()) { $0.authorization = .bearer("a-token") }
        let cached = try client(InMemoryTransport(headers: ["Cache-Control": "max-age=3600"])) {
            $0.cache = ResponseCache(store: .memory())
        }
        let pages = try client(ChainWorks.PageTransport(last: 100))
        let session = NetworkClient(baseURL: server)
        let (builder, example) = try EncodingWorks.example()
        let call = NetworkCall(.get, "/x")
        let order = EncodingWorks.Order()
        let file = Data(repeating: 0x5A, count: 64 << 10)
        let events = Data(String(repeating: "event: token\ndata: {\"token\":\"hello\"}\n\n", count: 1000).utf8)
        let records = Data(String(repeating: "{\"id\":4711,\"text\":\"hello\"}\n", count: 1000).utf8)
        return [
            repeated("request of a call") { _ = try builder.request(for: example) },
            repeated("form of a struct") { _ = FormSerializer.data(from: try ParameterEncoder().encode(order)) },
            repeated("multipart body, 64 KiB file") {
                _ = try BodyEncoder().encode(.multipart(EncodingWorks.exampleForm(file)))
            },
            repeated("JSON call") { let _: BenchServer.Page = try await json.get("/x") },
            repeated("JSON call with a bearer token") { let _: BenchServer.Page = try await bearer.get("/x") },
            repeated("POST of JSON") { try await json.post("/x", body: .json(order)) },
            repeated("call of 64 KiB") { _ = try await large.data(call) },
            repeated("cache hit") { _ = try await cached.data(call) },
            CountedOperation(name: "page of a walk") {
                var count = 0
                for try await _ in pages.pages(ChainWorks.List()) { count += 1 }
                return count
            },
            CountedOperation(name: "server-sent event") {
                var count = 0
                for try await _ in ServerSentEvents(ByteStream(events.pieces(of: 16 << 10))) { count += 1 }
                return count
            },
            CountedOperation(name: "NDJSON record") {
                var count = 0
                for try await _ in ByteStream(records.pieces(of: 16 << 10)).jsonLines(as: Record.self) { count += 1 }
                return count
            },
            repeated("JSON call over URLSession", tolerance: 0.08) {
                let _: BenchServer.Page = try await session.get("/json")
            },
        ]
    }

    private struct Record: Decodable, Sendable {
        let id: Int
        let text: String
    }

    private static func client(
        _ transport: some Transport, _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }
    ) throws -> NetworkClient {
        NetworkClient(baseURL: try CallWorks.url("http://localhost/v1")) {
            $0.transport = transport
            configure(&$0)
        }
    }

    private static func repeated(
        _ name: String, tolerance: Double = 0, _ operation: @escaping @Sendable () async throws -> Void
    ) -> CountedOperation {
        CountedOperation(name: name, tolerance: tolerance) {
            let count = 200
            for _ in 0..<count { try await operation() }
            return count
        }
    }
}
