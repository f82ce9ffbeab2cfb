#if os(Linux)
    import CFerryCurl
    import Ferry
    import FerryCurl
    import FerryTesting
    import Foundation
    import FoundationNetworking

    /// FerryCurl against plain URLSession, and against libcurl without anything around it.
    enum CurlWorks {
        static var all: [Work] {
            [1, 16, 64].map { concurrency in
                Work(name: callName(concurrency)) { try await calls($0, concurrency) }
            } + [
                Work(name: "stream over curl, fast consumer", run: stream),
                Work(name: "stream over curl, slow consumer", run: slowStream),
                Work(name: "upload over curl", run: upload),
            ]
        }

        /// What the server needs for them.
        static func routes(_ server: LoopbackServer) {
            server.onStreaming(.post, "/swallow") { _, body in .text("\(try await body.drain())") }
        }

        private static func callName(_ concurrency: Int) -> String {
            concurrency == 1 ? "JSON call over curl, sequential" : "JSON call over curl, concurrency \(concurrency)"
        }

        private static func calls(_ bench: Bench, _ concurrency: Int) async throws -> [Row] {
            let base = try bench.baseURL()
            let calls = bench.isQuick ? 256 : concurrency == 1 ? 1000 : 2048
            let client = NetworkClient(baseURL: base) {
                $0.transport = .curl()
                $0.throttle = .none
            }
            let session = URLSession(configuration: .default)
            let url = base.appending(path: "json")
            let samples = try await bench.interleaved {
                try await Cost.of(calls) {
                    try await CallWorks.spread(calls, over: concurrency) {
                        let page: BenchServer.Page = try await client.get("/json")
                        precondition(page.total == 9, "A wrong answer")
                    }
                }
            } baseline: {
                try await Cost.of(calls) {
                    try await CallWorks.spread(calls, over: concurrency) {
                        let (data, _) = try await session.data(for: URLRequest(url: url))
                        let page = try JSONDecoder().decode(BenchServer.Page.self, from: data)
                        precondition(page.total == 9, "A wrong answer")
                    }
                }
            }
            var bare: [Double] = []
            for _ in 0..<bench.rounds {
                bare.append(
                    try await Cost.of(calls) { try BareCurl.run(url.absoluteString, calls, over: concurrency) }.rate)
            }
            await client.shutdown()
            session.invalidateAndCancel()
            let name = callName(concurrency)
            return [
                .ratio(
                    name, "calls/s", ferry: samples.ferry.map(\.rate), baseline: samples.baseline.map(\.rate),
                    budget: .atLeast(concurrency == 1 ? 2.5 : 5)),
                .ratio(
                    name, "CPU µs/call", ferry: samples.ferry.map { $0.processor * 1e6 },
                    baseline: samples.baseline.map { $0.processor * 1e6 }, budget: .none),
                .ratio(
                    name + ", beside bare libcurl", "calls/s", ferry: samples.ferry.map(\.rate), baseline: bare,
                    budget: .none),
            ]
        }

        // MARK: Large bodies, each in a child process, so that its peak of memory is its own

        private static func stream(_ bench: Bench) async throws -> [Row] {
            let count = bench.isQuick ? 128 << 20 : 1 << 30
            let url = try bench.baseURL().appending(path: "stream/\(count)")
            let (ferry, plain) = try rounds(bench, ["stream", url.absoluteString, "0"])
            let name = "stream \(count >> 20) MiB over curl, fast consumer"
            return [
                .ratio(name, "MB/s", ferry: ferry.map(\.rate), baseline: plain.map(\.rate), budget: .atLeast(2)),
                .ratio(name, "CPU ms/MiB", ferry: ferry.map(\.cost), baseline: plain.map(\.cost), budget: .none),
                .value(
                    name, "peak RSS growth MiB", ferry.map(\.growthMiB), baseline: plain.map(\.growthMiB),
                    budget: .atMost(32), unit: "MiB"),
            ]
        }

        private static func slowStream(_ bench: Bench) async throws -> [Row] {
            let count = bench.isQuick ? 100 << 20 : 300 << 20
            let url = try bench.baseURL().appending(path: "stream/\(count)")
            let ferry = try child(["stream", "curl", url.absoluteString, "20"])
            let plain = try child(["stream", "plain", url.absoluteString, "20"])
            return [
                .value(
                    "stream \(count >> 20) MiB over curl, slow consumer", "peak RSS growth MiB", [ferry.growthMiB],
                    baseline: [plain.growthMiB], budget: .atMost(32), unit: "MiB")
            ]
        }

        private static func upload(_ bench: Bench) async throws -> [Row] {
            let count = bench.isQuick ? 64 << 20 : 1 << 30
            // A sparse file: what is measured is not the disk.
            let file = FileManager.default.temporaryDirectory.appending(path: "ferry-bench-\(UUID().uuidString)")
            try Data().write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(count))
            let url = try bench.baseURL().appending(path: "swallow")
            let (ferry, plain) = try rounds(bench, ["upload", url.absoluteString, file.path])
            let name = "upload \(count >> 20) MiB over curl"
            return [
                .ratio(name, "MB/s", ferry: ferry.map(\.rate), baseline: plain.map(\.rate), budget: .atLeast(8)),
                .value(
                    name, "peak RSS growth MiB", ferry.map(\.growthMiB), baseline: plain.map(\.growthMiB),
                    budget: .atMost(64), unit: "MiB"),
            ]
        }

        /// Runs both sides in turn; `words` are the kind, the URL and what the kind takes.
        private static func rounds(_ bench: Bench, _ words: [String]) throws -> ([Outcome], [Outcome]) {
            var ferry: [Outcome] = []
            var plain: [Outcome] = []
            for round in 0..<(bench.arguments.rounds ?? 3) {
                let sides = round.isMultiple(of: 2) ? ["plain", "curl"] : ["curl", "plain"]
                for side in sides {
                    let outcome = try child([words[0], side, words[1], words[2]])
                    if side == "curl" { ferry.append(outcome) } else { plain.append(outcome) }
                }
            }
            return (ferry, plain)
        }

        /// What a child process prints.
        struct Outcome: Codable {
            var bytes: Int
            var seconds: Double
            var processor: Double
            var growth: Int

            var rate: Double { Double(bytes) / 1e6 / seconds }
            var cost: Double { processor * 1e3 / Double(bytes >> 20) }
            var growthMiB: Double { Double(growth) / 1_048_576 }
        }

        /// The word of a command line that makes this program a child of these works.
        static let command = "curl-child"

        private static func child(_ words: [String]) throws -> Outcome {
            let process = Process()
            process.executableURL = try ServerProcess.executable()
            process.arguments = [command] + words
            let output = Pipe()
            process.standardOutput = output
            process.standardInput = FileHandle.nullDevice
            try process.run()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw Failure(message: "A child process failed") }
            return try JSONDecoder().decode(Outcome.self, from: data)
        }

        /// Does in this process what `words` say, and prints the outcome.
        static func runChild(_ words: [String]) async throws {
            guard words.count == 4, let url = URL(string: words[2]) else { throw Failure(message: "No child's words") }
            let isCurl = words[1] == "curl"
            let before = ResidentMemory.current
            var bytes = 0
            let cost = try await Cost.of(1) {
                switch words[0] {
                case "stream":
                    let consumer = StreamWorks.Consumer(milliseconds: Int(words[3]) ?? 0)
                    if isCurl {
                        let response = try await CurlTransport().send(
                            HTTPRequest(url: url), context: CallContext(delivery: .streamed))
                        guard case .stream(let stream) = response.body else { throw Failure(message: "No stream came") }
                        for try await chunk in stream { consumer.take(chunk) }
                    } else {
                        try await StreamWorks.PlainDelegate { consumer.take($0) }.run(url)
                    }
                    bytes = consumer.count
                default:
                    let file = URL(filePath: words[3])
                    bytes = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
                    if isCurl {
                        let request = HTTPRequest(method: .post, url: url, body: .file(file))
                        let response = try await CurlTransport().send(request, context: CallContext())
                        let answer = String(decoding: try await response.data(), as: UTF8.self)
                        guard answer == "\(bytes)" else { throw Failure(message: "The server saw \(answer) bytes") }
                    } else {
                        var request = URLRequest(url: url)
                        request.httpMethod = "POST"
                        _ = try await URLSession(configuration: .default).upload(for: request, fromFile: file)
                    }
                }
            }
            let outcome = Outcome(
                bytes: bytes, seconds: cost.time, processor: cost.processor, growth: ResidentMemory.peak - before)
            Standard.output(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self))
        }
    }

    /// The same requests by libcurl alone: a loop over one multi handle that drops what comes.
    private enum BareCurl {
        static func run(_ url: String, _ calls: Int, over concurrency: Int) throws {
            let wakeup = ferry_wakeup_make()
            defer { ferry_wakeup_free(wakeup) }
            guard ferry_curl_load() == 0, let multi = ferry_multi_make(wakeup) else {
                throw Failure(message: "No libcurl")
            }
            defer { ferry_multi_free(multi) }
            ferry_multi_limit(multi, concurrency, 0, 0)
            let drop: ferry_write_function = { _, size, count, _ in size * count }
            var left = calls
            try url.withCString { text in
                var request = ferry_request()
                request.url = text
                for _ in 0..<concurrency {
                    guard let easy = ferry_easy_make(drop, drop, { _, _, _, _ in 0 }, { _, _, _ in 1 }) else {
                        throw Failure(message: "No handle")
                    }
                    guard ferry_easy_attach(easy, &request, nil) == 0 else { throw Failure(message: "No request") }
                    ferry_multi_add(multi, easy)
                }
                var handles = concurrency
                while handles > 0 {
                    ferry_multi_act(multi, true)
                    var code: Int32 = 0
                    while let easy = ferry_multi_next(multi, &code) {
                        guard code == 0 else { throw Failure(message: "libcurl gave \(code)") }
                        ferry_multi_remove(multi, easy)
                        left -= 1
                        if left >= handles {
                            ferry_multi_add(multi, easy)
                        } else {
                            ferry_easy_free(easy)
                            handles -= 1
                        }
                    }
                    if handles > 0 { ferry_multi_wait(multi, ferry_multi_deadline(multi)) }
                }
            }
        }
    }
#endif
