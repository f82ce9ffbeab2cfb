import Ferry
import Foundation

/// Values out of JSON.
enum DecodingWorks {
    static var all: [Work] {
        [
            Work(name: "unwrap 10,000 objects", run: unwrap), Work(name: "NDJSON decoding", run: jsonLines),
            Work(name: "SSE decoding", run: serverSentEvents),
        ]
    }

    private struct Item: Codable, Sendable {
        var id: Int
        var name: String
        var email: String
        var score: Double
        var tags: [String]
        var isActive: Bool
    }

    /// What one writes by hand where the SDK cannot unwrap `foo.bar.items`.
    private struct Wrapper: Codable {
        struct Foo: Codable { var bar: Bar }
        struct Bar: Codable { var items: [Item] }
        var foo: Foo
    }

    private static func items(_ count: Int) -> [Item] {
        (0..<count).map { number in
            Item(
                id: number, name: "User number \(number)", email: "user\(number)@example.com",
                score: 0.5 + Double(number),
                tags: ["one", "two", "three"], isActive: number.isMultiple(of: 2))
        }
    }

    private static func unwrap(_ bench: Bench) async throws -> [Row] {
        let count = 10_000
        let json = try JSONEncoder().encode(Wrapper(foo: .init(bar: .init(items: items(count)))))
        let head = HTTPResponse.Head(
            status: .ok, headers: ["Content-Type": "application/json"], url: try CallWorks.url("http://localhost/"))
        let decoder = JSONDecoder()
        let samples = try await bench.interleaved {
            try await Cost.of(1) {
                let content = ResponseContent(head: head, body: json, keyPath: "foo.bar.items", decoder: decoder)
                let items: [Item] = try content.decode()
                precondition(items.count == count, "A wrong answer")
            }
        } baseline: {
            try await Cost.of(1) {
                let items = try decoder.decode(Wrapper.self, from: json).foo.bar.items
                precondition(items.count == count, "A wrong answer")
            }
        }
        return [
            .ratio(
                "unwrap 10,000 objects", "ms", ferry: samples.ferry.map { $0.time * 1e3 },
                baseline: samples.baseline.map { $0.time * 1e3 }, budget: .atMost(1.1))
        ]
    }

    private static func jsonLines(_ bench: Bench) async throws -> [Row] {
        try await decoding("NDJSON decoding", bench, before: "", after: "\n") { chunks, decoder in
            var count = 0
            for try await _ in ByteStream(chunks).jsonLines(as: Item.self, decoder: decoder) { count += 1 }
            return count
        }
    }

    private static func serverSentEvents(_ bench: Bench) async throws -> [Row] {
        try await decoding("SSE decoding", bench, before: "data: ", after: "\n\n") { chunks, decoder in
            var count = 0
            let events = ServerSentEvents(ByteStream(chunks)).decode(as: Item.self, decoder: decoder)
            for try await _ in events { count += 1 }
            return count
        }
    }

    /// Against the decoder alone, over records that somebody else has split.
    private static func decoding(
        _ name: String, _ bench: Bench, before: String, after: String,
        _ read: @escaping @Sendable ([Data], JSONDecoder) async throws -> Int
    ) async throws -> [Row] {
        let encoder = JSONEncoder()
        let records = try items(bench.isQuick ? 5_000 : 20_000).map { try encoder.encode($0) }
        let chunks = records.reduce(into: Data()) { $0 += Data(before.utf8) + $1 + Data(after.utf8) }.pieces(
            of: 16 << 10)
        let decoder = JSONDecoder()
        let samples = try await bench.interleaved {
            try await Cost.of(records.count) {
                // Off the main actor, where this program's code runs: a hop for each chunk is not the parser's.
                let count = try await Task.detached { try await read(chunks, decoder) }.value
                precondition(count == records.count, "A wrong answer")
            }
        } baseline: {
            try await Cost.of(records.count) {
                for record in records { _ = try decoder.decode(Item.self, from: record) }
            }
        }
        return [
            .ratio(
                name, "µs/record", ferry: samples.ferry.map { $0.time * 1e6 },
                baseline: samples.baseline.map { $0.time * 1e6 }, budget: .atMost(1.1)),
            .ratio(
                name, "CPU µs/record", ferry: samples.ferry.map { $0.processor * 1e6 },
                baseline: samples.baseline.map { $0.processor * 1e6 }, budget: .atMost(1.1)),
        ]
    }
}

extension Data {
    /// Consecutive pieces, as a transport gives them.
    func pieces(of size: Int) -> [Data] {
        stride(from: 0, to: count, by: size).map { Data(self[$0..<Swift.min($0 + size, count)]) }
    }
}
