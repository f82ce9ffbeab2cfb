import Ferry
import Foundation

/// How cost grows with size: the cost at each size, and the exponent of the power that fits them best.
final class Growth {
    /// One thing that grows.
    struct Axis {
        let name: String
        let sizes: [Int]
        /// Seconds of processor time that a size takes in all.
        let cost: (Int) async throws -> Double
    }

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    /// The most that counts as linear: what is above is no measuring error.
    private static let linear = 1.1

    func run() async throws {
        let server = try ServerProcess()
        defer {
            server.stop()
            try? FileManager.default.removeItem(at: GrowthAxes.scratch)
        }
        let axes = try GrowthAxes.all(server: server.baseURL).filter { axis in
            arguments.filter.map { axis.name.localizedCaseInsensitiveContains($0) } ?? true
        }
        guard !axes.isEmpty else {
            throw Arguments.Wrong(
                message: "Nothing that grows has \(arguments.filter?.debugDescription ?? "") in its name")
        }
        Standard.output(Self.line("what grows", "exponent", "at the end", "linear", "CPU ms by size"))
        Standard.output(
            Self.line(String(repeating: "-", count: 42), "--------", "----------", "------", "--------------"))
        for axis in axes { Standard.output(try await measure(axis)) }
    }

    private func measure(_ axis: Axis) async throws -> String {
        var points: [(size: Int, cost: Double)] = []
        for size in axis.sizes {
            var cost = try await axis.cost(size)
            // What takes long is exact enough at once.
            if cost < 10 {
                // The least: a machine's other work, and a cold start, only add.
                for _ in 0..<(arguments.rounds ?? 3) { cost = min(cost, try await axis.cost(size)) }
            }
            points.append((size, cost))
        }
        // A size of zero has no logarithm; it is shown and not fitted.
        let fitted = points.filter { $0.size > 0 }
        let exponent = Self.slope(fitted)
        let end = Self.slope(Array(fitted.suffix(2)))
        let isLinear = max(exponent, end) <= Self.linear
        let costs = points.map { "\(Self.short($0.size)): \(String(format: "%.3g", $0.cost * 1e3))" }
        return Self.line(
            axis.name, String(format: "%.2f", exponent), String(format: "%.2f", end), isLinear ? "yes" : "NO",
            costs.joined(separator: "  "))
    }

    /// The slope of the least squares line through the logarithms.
    static func slope(_ points: [(size: Int, cost: Double)]) -> Double {
        let logs = points.map { (x: log(Double($0.size)), y: log(max($0.cost, 1e-9))) }
        guard logs.count > 1 else { return 0 }
        let middle = (
            x: logs.reduce(0) { $0 + $1.x } / Double(logs.count), y: logs.reduce(0) { $0 + $1.y } / Double(logs.count)
        )
        let rise = logs.reduce(0) { $0 + ($1.x - middle.x) * ($1.y - middle.y) }
        let run = logs.reduce(0) { $0 + ($1.x - middle.x) * ($1.x - middle.x) }
        return run > 0 ? rise / run : 0
    }

    private static func short(_ size: Int) -> String {
        for (unit, shift) in [("Mi", 20), ("Ki", 10)] where size > 0 && size % (1 << shift) == 0 {
            return "\(size >> shift)\(unit)"
        }
        return "\(size)"
    }

    private static func line(_ cells: String...) -> String {
        let widths = [42, 8, 10, 6, 0]
        return zip(cells, widths).enumerated().map { index, cell in
            let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return (1...2).contains(index) ? space + cell.0 : cell.0 + space
        }.joined(separator: "  ")
    }
}
