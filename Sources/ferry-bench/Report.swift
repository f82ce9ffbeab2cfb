import Foundation

/// Writes rows as a table or as JSON.
enum Report {
    private static let widths = [34, 22, 11, 11, 7, 15, 13, 6]

    static var header: String {
        let names = ["work", "metric", "Ferry", "baseline", "ratio", "spread", "budget", "holds"]
        return line(names) + "\n" + widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
    }

    static func line(_ row: Row) -> String {
        line([
            row.name, row.metric, number(row.value), row.baseline.map(number) ?? "",
            row.ratio.map { fixed($0, 2) } ?? "",
            row.spread.map { "\(fixed($0.lowerBound, 2)) to \(fixed($0.upperBound, 2))" } ?? "", row.budget ?? "",
            row.holds.map { $0 ? "yes" : "NO" } ?? "",
        ])
    }

    static func json(_ rows: [Row]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(rows)
    }

    private static func line(_ cells: [String]) -> String {
        let padded = zip(cells, widths).enumerated().map { index, cell in
            let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            // Text to the left, numbers to the right.
            return (2...4).contains(index) ? space + cell.0 : cell.0 + space
        }
        return padded.joined(separator: "  ")
    }

    private static func number(_ value: Double) -> String { fixed(value, value < 100 ? 2 : 0) }

    private static func fixed(_ value: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }
}
