import Ferry
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Large bodies, each in a child process, so that its peak of memory is its own.
enum StreamWorks {
    static var all: [Work] {
        [Work(name: "stream, fast consumer", run: fast), Work(name: "stream, slow consumer", run: slow)]
    }

    /// What a child process does; written as words of a command line.
    struct Plan {
        static let command = "stream"

        var isFerry: Bool
        var url: URL
        var byteCount: Int
        /// How long the consumer takes for a MiB.
        var milliseconds: Int

        var words: [String] {
            [Self.command, isFerry ? "ferry" : "baseline", url.absoluteString, "\(byteCount)", "\(milliseconds)"]
        }
    }

    /// What a child process prints.
    struct Outcome: Codable {
        var bytes: Int
        var seconds: Double
        var processor: Double
        /// Growth of the peak over what was resident before, in bytes.
        var growth: Int

        /// Prints it for the parent.
        func write() throws { Standard.output(String(decoding: try JSONEncoder().encode(self), as: UTF8.self)) }
    }

    private static func fast(_ bench: Bench) async throws -> [Row] {
        let count = bench.isQuick ? 128 << 20 : 1 << 30
        let url = try bench.baseURL().appending(path: "stream/\(count)")
        let ferryPlan = Plan(isFerry: true, url: url, byteCount: count, milliseconds: 0)
        let plainPlan = Plan(isFerry: false, url: url, byteCount: count, milliseconds: 0)
        var ferry: [Outcome] = []
        var plain: [Outcome] = []
        for round in 0..<(bench.arguments.rounds ?? (bench.isQuick ? 3 : 5)) {
            if round.isMultiple(of: 2) { plain.append(try child(plainPlan.words)) }
            ferry.append(try child(ferryPlan.words))
            if !round.isMultiple(of: 2) { plain.append(try child(plainPlan.words)) }
        }
        func rates(_ outcomes: [Outcome]) -> [Double] { outcomes.map { Double($0.bytes) / 1e6 / $0.seconds } }
        func costs(_ outcomes: [Outcome]) -> [Double] { outcomes.map { $0.processor * 1e3 / Double($0.bytes >> 20) } }
        let name = "stream \(count >> 20) MiB, fast consumer"
        return [
            .ratio(name, "MB/s", ferry: rates(ferry), baseline: rates(plain), budget: .atLeast(1.2)),
            .ratio(name, "CPU ms/MiB", ferry: costs(ferry), baseline: costs(plain), budget: .none),
            .value(
                name, "peak RSS growth MiB", growth(ferry), baseline: growth(plain), budget: .atMost(64), unit: "MiB"),
        ]
    }

    private static func slow(_ bench: Bench) async throws -> [Row] {
        let count = bench.isQuick ? 100 << 20 : 300 << 20
        let url = try bench.baseURL().appending(path: "stream/\(count)")
        let ferry = try child(Plan(isFerry: true, url: url, byteCount: count, milliseconds: 20).words)
        let plain = try child(Plan(isFerry: false, url: url, byteCount: count, milliseconds: 20).words)
        return [
            .value(
                "stream \(count >> 20) MiB, slow consumer", "peak RSS growth MiB", growth([ferry]),
                baseline: growth([plain]), budget: .atMost(64), unit: "MiB")
        ]
    }

    private static func growth(_ outcomes: [Outcome]) -> [Double] { outcomes.map { Double($0.growth) / 1_048_576 } }

    /// Runs this program with words in a child process and reads the outcome that it prints.
    static func child(_ words: [String]) throws -> Outcome {
        try JSONDecoder().decode(Outcome.self, from: output(words))
    }

    /// What this program prints, with words, in a child process.
    static func output(_ words: [String]) throws -> Data {
        let process = Process()
        process.executableURL = try ServerProcess.executable()
        process.arguments = words
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(message: "A child process failed") }
        return data
    }

    /// Does a plan in this process and prints its outcome.
    static func runChild(_ plan: Plan) async throws {
        let before = ResidentMemory.current
        let consumer = Consumer(milliseconds: plan.milliseconds)
        let cost = try await Cost.of(1) {
            if plan.isFerry {
                let response = try await URLSessionTransport().send(
                    HTTPRequest(url: plan.url), context: CallContext(delivery: .streamed))
                guard case .stream(let stream) = response.body else { throw Failure(message: "No stream came") }
                for try await chunk in stream { consumer.take(chunk) }
            } else {
                try await PlainDelegate { consumer.take($0) }.run(plan.url)
            }
        }
        guard consumer.count == plan.byteCount else {
            throw Failure(message: "\(consumer.count) bytes came instead of \(plan.byteCount)")
        }
        try Outcome(
            bytes: consumer.count, seconds: cost.time, processor: cost.processor, growth: ResidentMemory.peak - before
        ).write()
    }
}

extension StreamWorks.Plan {
    init(_ words: [String]) throws(Arguments.Wrong) {
        guard words.count == 4, words[0] == "ferry" || words[0] == "baseline", let url = URL(string: words[1]),
            let byteCount = Int(words[2]), let milliseconds = Int(words[3]), byteCount >= 0, milliseconds >= 0
        else { throw Arguments.Wrong(message: "stream is for ferry-bench itself") }
        self.init(isFerry: words[0] == "ferry", url: url, byteCount: byteCount, milliseconds: milliseconds)
    }
}

/// Counts bytes, and blocks its thread as long as slow work on them would take.
extension StreamWorks {
    final class Consumer: Sendable {
        private let milliseconds: Int
        private let received = Atomic<Int>(0)

        init(milliseconds: Int) { self.milliseconds = milliseconds }

        var count: Int { received.load(ordering: .acquiring) }

        func take(_ chunk: Data) {
            let total = received.add(chunk.count, ordering: .acquiringAndReleasing).newValue
            let mebibytes = total >> 20 - (total - chunk.count) >> 20
            if milliseconds > 0, mebibytes > 0 {
                Thread.sleep(forTimeInterval: Double(mebibytes * milliseconds) / 1000)  // The slow consumer's work.
            }
        }
    }

    /// The baseline: a session delegate on its default queue.
    final class PlainDelegate: NSObject, URLSessionDataDelegate {
        private let take: @Sendable (Data) -> Void
        /// Guards the waiting continuation: the caller sets it, the delegate's queue takes it.
        private let waiting = Mutex<CheckedContinuation<Void, any Error>?>(nil)

        init(_ take: @escaping @Sendable (Data) -> Void) { self.take = take }

        func run(_ url: URL) async throws {
            let session = URLSession(configuration: .default, delegate: self, delegateQueue: nil)
            defer { session.finishTasksAndInvalidate() }
            try await withCheckedThrowingContinuation { continuation in
                waiting.withLock { $0 = continuation }
                session.dataTask(with: url).resume()
            }
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            take(data)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let continuation = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            if let error {
                continuation?.resume(throwing: error)
            } else {
                continuation?.resume()
            }
        }
    }
}
