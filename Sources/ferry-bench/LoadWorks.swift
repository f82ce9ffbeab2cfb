import Ferry
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A hundred thousand calls over URLSession: what a process has more of afterwards. Each side in a child process of its own.
enum LoadWorks {
    static var all: [Work] { [Work(name: "100,000 calls", run: run)] }

    /// What a child process does; written as words of a command line.
    struct Plan {
        static let command = "calls"

        var isFerry: Bool
        var url: URL
        var count: Int

        var words: [String] { [Self.command, isFerry ? "ferry" : "baseline", url.absoluteString, "\(count)"] }
    }

    private struct Outcome: Codable {
        var seconds: Double
        var descriptors: Int
        var threads: Int
        var bytes: Int
    }

    /// Nothing where it is quick: the numbers of fewer calls say nothing.
    private static func run(_ bench: Bench) async throws -> [Row] {
        guard !bench.isQuick else { return [] }
        let count = 100_000
        let url = try bench.baseURL()
        let ferry = try child(Plan(isFerry: true, url: url, count: count))
        let plain = try child(Plan(isFerry: false, url: url, count: count))
        func row(_ metric: String, _ value: (Outcome) -> Double, _ budget: Row.Kind, _ unit: String) -> Row {
            .value("100,000 calls", metric, [value(ferry)], baseline: [value(plain)], budget: budget, unit: unit)
        }
        return [
            row("calls/s", { Double(count) / $0.seconds }, .none, ""),
            row("descriptors more", { Double($0.descriptors) }, .atMost(0), ""),
            row("threads more", { Double($0.threads) }, .atMost(2), ""),
            row("resident B/call", { Double($0.bytes) / Double(count) }, .atMost(256), "B"),
        ]
    }

    private static func child(_ plan: Plan) throws -> Outcome {
        try JSONDecoder().decode(Outcome.self, from: StreamWorks.output(plan.words))
    }

    /// Does a plan in this process and prints its outcome.
    static func runChild(_ plan: Plan) async throws {
        let call = call(plan)
        // Until connections, threads and the allocator have what they need.
        try await CallWorks.spread(8_000, over: 16, call)
        let before = try await ProcessCounts.atRest()
        let cost = try await Cost.of(1) { try await CallWorks.spread(plan.count, over: 16, call) }
        let after = try await ProcessCounts.atRest()
        let outcome = Outcome(
            seconds: cost.time, descriptors: after.descriptors - before.descriptors,
            threads: after.threads - before.threads, bytes: after.resident - before.resident)
        Standard.output(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
    }

    private static func call(_ plan: Plan) -> @Sendable () async throws -> Void {
        if plan.isFerry {
            let client = NetworkClient(baseURL: plan.url)
            return {
                let page: BenchServer.Page = try await client.get("/json")
                precondition(page.total == 9, "A wrong answer")
            }
        }
        let session = URLSession(configuration: .default)
        let url = plan.url.appending(path: "json")
        return {
            let (data, _) = try await session.data(for: URLRequest(url: url))
            let page = try JSONDecoder().decode(BenchServer.Page.self, from: data)
            precondition(page.total == 9, "A wrong answer")
        }
    }
}

extension LoadWorks.Plan {
    init(_ words: [String]) throws(Arguments.Wrong) {
        guard words.count == 3, words[0] == "ferry" || words[0] == "baseline", let url = URL(string: words[1]),
            let count = Int(words[2]), count > 0
        else { throw Arguments.Wrong(message: "calls is for ferry-bench itself") }
        self.init(isFerry: words[0] == "ferry", url: url, count: count)
    }
}
