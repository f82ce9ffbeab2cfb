import Ferry
import Foundation

/// A large download into a file against a delegate that writes what comes, each in a child process, so that its peak of
/// memory is its own.
enum DownloadWorks {
    static var all: [Work] { [Work(name: "download", run: run)] }

    /// What a child process does; written as words of a command line.
    struct Plan {
        static let command = "download"

        var isFerry: Bool
        var url: URL

        var words: [String] { [Self.command, isFerry ? "ferry" : "baseline", url.absoluteString] }
    }

    private static func run(_ bench: Bench) async throws -> [Row] {
        let count = bench.isQuick ? 64 << 20 : 1 << 30
        let url = try bench.baseURL().appending(path: "stream/\(count)")
        let ferryPlan = Plan(isFerry: true, url: url)
        let plainPlan = Plan(isFerry: false, url: url)
        var ferry: [StreamWorks.Outcome] = []
        var plain: [StreamWorks.Outcome] = []
        for round in 0..<(bench.arguments.rounds ?? 3) {
            if round.isMultiple(of: 2) { plain.append(try StreamWorks.child(plainPlan.words)) }
            ferry.append(try StreamWorks.child(ferryPlan.words))
            if !round.isMultiple(of: 2) { plain.append(try StreamWorks.child(plainPlan.words)) }
        }
        func rates(_ outcomes: [StreamWorks.Outcome]) -> [Double] {
            outcomes.map { Double($0.bytes) / 1e6 / $0.seconds }
        }
        func growth(_ outcomes: [StreamWorks.Outcome]) -> [Double] { outcomes.map { Double($0.growth) / 1_048_576 } }
        let name = "download \(count >> 20) MiB"
        return [
            .ratio(name, "MB/s", ferry: rates(ferry), baseline: rates(plain), budget: .atLeast(0.9)),
            .value(
                name, "peak RSS growth MiB", growth(ferry), baseline: growth(plain), budget: .atMost(64), unit: "MiB"),
        ]
    }

    /// Does a plan in this process and prints its outcome.
    static func runChild(_ plan: Plan) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "ferry-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let before = ResidentMemory.current
        let cost = try await Cost.of(1) {
            if plan.isFerry {
                _ = try await NetworkClient.shared.downloadFile(NetworkCall(.get, url: plan.url), to: file)
            } else {
                try Data().write(to: file)
                let output = try FileHandle(forWritingTo: file)
                try await StreamWorks.PlainDelegate { output.write($0) }.run(plan.url)
            }
        }
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        try StreamWorks.Outcome(
            bytes: size, seconds: cost.time, processor: cost.processor, growth: ResidentMemory.peak - before
        ).write()
    }
}

extension DownloadWorks.Plan {
    init(_ words: [String]) throws(Arguments.Wrong) {
        guard words.count == 2, words[0] == "ferry" || words[0] == "baseline", let url = URL(string: words[1]) else {
            throw Arguments.Wrong(message: "download is for ferry-bench itself")
        }
        self.init(isFerry: words[0] == "ferry", url: url)
    }
}
