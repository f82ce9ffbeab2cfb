import Ferry
import Foundation

/// Compares what the hottest operations allocate, copy and schedule with what is stored: a regression shows without timing.
///
/// The counter is a library that `.ci/counts` loads before the program; see `.ci/count-calls.c`.
enum Counts {
    /// What one operation takes: the least of several batches, per operation, as background work only ever adds.
    struct Row: Codable {
        let operation: String
        /// How often memory is asked for.
        let allocations: Double
        /// Bytes asked for.
        let bytes: Double
        /// Bytes of copies of at least 1 KiB.
        let copied: Double
        /// Jobs given to the global executor: tasks that begin, continue after a wait, or hop.
        let jobs: Double
        /// How often libdispatch wakes the thread that waits for its timers and sockets.
        let wakes: Double
    }

    private static let batches = 7

    /// Measures, and compares with a file or writes it.
    ///
    /// - Throws: `Failure` where an operation takes more than is stored, beyond the tolerance.
    static func run(file: URL, isUpdate: Bool) async throws {
        guard let counter = Counter() else {
            throw Failure(message: "counts needs its counter; run it with .ci/counts, on Linux with glibc")
        }
        let stored = isUpdate ? [:] : try read(file)
        let server = try ServerProcess()
        defer { server.stop() }
        var rows: [Row] = []
        var failures: [String] = []
        Standard.output(line(["operation", "allocations", "bytes", "copied", "jobs", "wakes"]))
        for operation in try await CountedOperation.all(server: server.baseURL) {
            let row = try await measure(operation, counter)
            rows.append(row)
            let values = [row.allocations, row.bytes, row.copied, row.jobs, row.wakes]
            Standard.output(line([row.operation] + values.map { String(format: "%.1f", $0) }))
            guard !isUpdate else { continue }
            guard let known = stored[row.operation] else {
                failures.append("\(row.operation): nothing is stored")
                continue
            }
            failures += excess(of: row, over: known, tolerance: operation.tolerance)
        }
        if isUpdate { return try write(rows, to: file) }
        guard failures.isEmpty else {
            throw Failure(
                message: "more than is stored in \(file.lastPathComponent):\n  " + failures.joined(separator: "\n  ")
                    + "\nIf it has to be so, write it down: .ci/counts --update")
        }
        Standard.output("\(rows.count) operations take no more than is stored")
    }

    private static func measure(_ operation: CountedOperation, _ counter: Counter) async throws -> Row {
        var least: [Double] = []
        // One batch that does not count: what is made once is made then.
        for batch in 0...batches {
            let before = counter.values
            let done = try await operation.run()
            let values = zip(counter.values, before).map { Double($0 - $1) / Double(done) }
            guard batch > 0 else { continue }
            least = least.isEmpty ? values : zip(least, values).map(min)
        }
        let rounded = least.map { ($0 * 10).rounded() / 10 }
        return Row(
            operation: operation.name, allocations: rounded[0], bytes: rounded[1], copied: rounded[2], jobs: rounded[3],
            wakes: rounded[4])
    }

    /// What is more than stored. Less is welcome; write it down with the next update.
    private static func excess(of row: Row, over known: Row, tolerance: Double) -> [String] {
        // One allocation more in any operation is seen. Jobs over a session depend on whether its answer came before
        // anybody waited for it, wakes on whether the thread was awake; a timer that is armed wakes it two times.
        let limits: [(String, Double, Double, Double)] = [
            ("allocations", row.allocations, known.allocations, known.allocations * tolerance + 0.5),
            ("bytes", row.bytes, known.bytes, known.bytes * (tolerance + 0.02) + 64),
            ("bytes copied", row.copied, known.copied, known.copied * (tolerance + 0.02) + 64),
            ("jobs", row.jobs, known.jobs, tolerance * 10 + 0.1),
            ("wakes", row.wakes, known.wakes, tolerance * 50 + 0.1),
        ]
        return limits.compactMap { name, value, stored, room in
            value > stored + room ? "\(row.operation): \(value) \(name), and \(stored) are stored" : nil
        }
    }

    private static func read(_ file: URL) throws -> [String: Row] {
        let decoder = JSONDecoder()
        let rows = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
            try decoder.decode(Row.self, from: $0)
        }
        return Dictionary(rows.map { ($0.operation, $0) }) { $1 }
    }

    private static func write(_ rows: [Row], to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let lines = try rows.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }
        try Data(lines.joined().utf8).write(to: file)
    }

    private static func line(_ cells: [String]) -> String {
        cells.enumerated().map { index, cell in
            let space = String(repeating: " ", count: max(0, (index == 0 ? 32 : 12) - cell.count))
            return index == 0 ? cell + space : space + cell
        }.joined()
    }

    /// The counter that was loaded before the program.
    private struct Counter {
        private typealias Function = @convention(c) (UnsafeMutablePointer<UInt64>) -> Void
        private let function: Function

        init?() {
            guard let symbol = dlsym(nil, "ferry_counts") else { return nil }
            function = unsafeBitCast(symbol, to: Function.self)
        }

        var values: [UInt64] {
            var values: [UInt64] = [0, 0, 0, 0, 0]
            function(&values)
            return values
        }
    }
}
