import Foundation

/// One run: the works that were asked for, over one server.
final class Bench {
    let arguments: Arguments
    private var server: ServerProcess?

    init(_ arguments: Arguments) { self.arguments = arguments }

    var isQuick: Bool { arguments.isQuick }
    var rounds: Int { arguments.rounds ?? (isQuick ? 3 : 9) }

    /// The base URL of the server, which starts when it is first needed.
    func baseURL() throws -> URL {
        if let server { return server.baseURL }
        let started = try ServerProcess()
        server = started
        return started.baseURL
    }

    private var overCurl: [Work] {
        #if os(Linux)
            CurlWorks.all
        #else
            []
        #endif
    }

    func run() async throws {
        let all =
            CallWorks.all + EncodingWorks.all + ChainWorks.all + DecodingWorks.all + ParserWorks.all
            + FieldWorks.all + CacheWorks.all + StreamWorks.all + UploadWorks.all + DownloadWorks.all + overCurl
            + LoadWorks.all
        let works = all.filter { work in
            arguments.filter.map { work.name.localizedCaseInsensitiveContains($0) } ?? true
        }
        guard !works.isEmpty else {
            throw Arguments.Wrong(message: "No work has \(arguments.filter?.debugDescription ?? "") in its name")
        }
        defer { server?.stop() }
        Standard.output(Report.header)
        var rows: [Row] = []
        for work in works {
            for row in try await work.run(self) {
                Standard.output(Report.line(row))
                rows.append(row)
            }
        }
        let judged = rows.compactMap(\.holds)
        Standard.output("\(judged.filter { $0 }.count) of \(judged.count) budgets hold")
        if let path = arguments.json { try Report.json(rows).write(to: URL(filePath: path)) }
    }

    /// Runs two sides in interleaved rounds, each side first in every other round, after one round that does not count.
    func interleaved<Sample>(
        ferry: () async throws -> Sample, baseline: () async throws -> Sample
    ) async throws -> (ferry: [Sample], baseline: [Sample]) {
        var samples: (ferry: [Sample], baseline: [Sample]) = ([], [])
        _ = try await baseline()
        _ = try await ferry()
        for round in 0..<rounds {
            if round.isMultiple(of: 2) {
                samples.baseline.append(try await baseline())
                samples.ferry.append(try await ferry())
            } else {
                samples.ferry.append(try await ferry())
                samples.baseline.append(try await baseline())
            }
        }
        return samples
    }
}

extension Bench {
    /// Two ways to do one thing without a network: µs an operation, without a budget of its own.
    ///
    /// - Parameter count: Operations a round; a fifth where it is quick.
    func compared(
        _ name: String, count: Int, ferry: @escaping @Sendable () async throws -> Void,
        baseline: @escaping @Sendable () async throws -> Void
    ) async throws -> [Row] {
        let count = isQuick ? count / 5 : count
        func cost(_ operation: @Sendable () async throws -> Void) async throws -> Double {
            try await Cost.of(count) { for _ in 0..<count { try await operation() } }.time * 1e6
        }
        let samples = try await interleaved {
            try await cost(ferry)
        } baseline: {
            try await cost(baseline)
        }
        return [.value(name, "µs", samples.ferry, baseline: samples.baseline, budget: .none, unit: "µs")]
    }
}

/// What a number of operations took.
struct Cost {
    /// Seconds an operation.
    let time: Double
    /// Seconds of processor time an operation.
    let processor: Double

    var rate: Double { 1 / time }

    static func of(_ count: Int, _ body: () async throws -> Void) async rethrows -> Cost {
        let start = Usage.now
        try await body()
        let end = Usage.now
        return Cost(
            time: (end.time - start.time) / Double(count), processor: (end.processor - start.processor) / Double(count))
    }
}
