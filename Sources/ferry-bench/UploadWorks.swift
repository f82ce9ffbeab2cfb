import Ferry
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A multipart upload of a large file against `uploadTask(fromFile:)`, each in a child process, so that its peak of
/// memory is its own.
enum UploadWorks {
    static var all: [Work] { [Work(name: "upload", run: run)] }

    /// What a child process does; written as words of a command line.
    struct Plan {
        static let command = "upload"

        var isFerry: Bool
        var url: URL
        var file: URL

        var words: [String] { [Self.command, isFerry ? "ferry" : "baseline", url.absoluteString, file.path] }
    }

    private static func run(_ bench: Bench) async throws -> [Row] {
        let count = bench.isQuick ? 64 << 20 : 1 << 30
        // A sparse file: what is measured is not the disk.
        let file = FileManager.default.temporaryDirectory.appending(path: "ferry-bench-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(count))

        let url = try bench.baseURL().appending(path: "upload")
        let ferryPlan = Plan(isFerry: true, url: url, file: file)
        let plainPlan = Plan(isFerry: false, url: url, file: file)
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
        let name = "multipart upload \(count >> 20) MiB"
        return [
            .ratio(name, "MB/s", ferry: rates(ferry), baseline: rates(plain), budget: .atLeast(3)),
            .value(
                name, "peak RSS growth MiB", growth(ferry), baseline: growth(plain), budget: .atMost(64), unit: "MiB"),
        ]
    }

    /// Does a plan in this process and prints its outcome.
    static func runChild(_ plan: Plan) async throws {
        let size = try FileManager.default.attributesOfItem(atPath: plan.file.path)[.size] as? Int ?? 0
        let before = ResidentMemory.current
        let cost = try await Cost.of(1) {
            if plan.isFerry {
                var form = MultipartForm()
                form.append("file", file: plan.file)
                try await NetworkClient.shared.request(NetworkCall(.post, url: plan.url, body: .multipart(form)))
            } else {
                var request = URLRequest(url: plan.url)
                request.httpMethod = "POST"
                _ = try await URLSession(configuration: .default).upload(for: request, fromFile: plan.file)
            }
        }
        try StreamWorks.Outcome(
            bytes: size, seconds: cost.time, processor: cost.processor, growth: ResidentMemory.peak - before
        ).write()
    }
}

extension UploadWorks.Plan {
    init(_ words: [String]) throws(Arguments.Wrong) {
        guard words.count == 3, words[0] == "ferry" || words[0] == "baseline", let url = URL(string: words[1]) else {
            throw Arguments.Wrong(message: "upload is for ferry-bench itself")
        }
        self.init(isFerry: words[0] == "ferry", url: url, file: URL(filePath: words[2]))
    }
}
