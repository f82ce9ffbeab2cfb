import Foundation

/// Something measured.
struct Work {
    let name: String
    /// Makes its rows.
    let run: (Bench) async throws -> [Row]
}

/// One line of the table.
struct Row: Encodable {
    enum Kind {
        /// More is better; the ratio is Ferry's rate to the baseline's.
        case atLeast(Double)
        /// Less is better.
        case atMost(Double)
        case none
    }

    let name: String
    /// What is measured, with its unit.
    let metric: String
    let value: Double
    let baseline: Double?
    /// The median of the rounds' ratios.
    let ratio: Double?
    /// The least and the greatest ratio of a round.
    let spread: ClosedRange<Double>?
    let budget: String?
    let holds: Bool?

    private enum CodingKeys: String, CodingKey {
        case name, metric, value, baseline, ratio, budget, holds
    }

    func encode(to encoder: any Encoder) throws {
        // Absent numbers are written as null: each row has each key.
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(metric, forKey: .metric)
        try container.encode(value, forKey: .value)
        try container.encode(baseline, forKey: .baseline)
        try container.encode(ratio, forKey: .ratio)
        try container.encode(budget, forKey: .budget)
        try container.encode(holds, forKey: .holds)
    }

    /// A row of interleaved rounds, judged by the median of their ratios.
    static func ratio(
        _ name: String, _ metric: String, ferry: [Double], baseline: [Double], budget: Kind
    ) -> Row {
        let ratios = zip(ferry, baseline).map { $0 / $1 }
        let median = ratios.median
        let (text, holds): (String?, Bool?) =
            switch budget {
            case .atLeast(let least): ("≥ \(least) ×", median >= least)
            case .atMost(let most): ("≤ \(most) ×", median <= most)
            case .none: (nil, nil)
            }
        return Row(
            name: name, metric: metric, value: ferry.median, baseline: baseline.median, ratio: median,
            spread: (ratios.min() ?? 0)...(ratios.max() ?? 0), budget: text, holds: holds)
    }

    /// A row judged by its own value.
    static func value(
        _ name: String, _ metric: String, _ values: [Double], baseline: [Double]? = nil, budget: Kind, unit: String
    ) -> Row {
        let value = values.median
        let (text, holds): (String?, Bool?) =
            switch budget {
            case .atLeast(let least): ("≥ \(Int(least)) \(unit)", value >= least)
            case .atMost(let most): ("≤ \(Int(most)) \(unit)", value <= most)
            case .none: (nil, nil)
            }
        // To a baseline of nothing there is no ratio.
        let finite = baseline.map { zip(values, $0).map { $0 / $1 }.filter(\.isFinite) } ?? []
        let ratios = finite.isEmpty ? nil : finite
        return Row(
            name: name, metric: metric, value: value, baseline: baseline?.median, ratio: ratios?.median,
            spread: ratios.map { ($0.min() ?? 0)...($0.max() ?? 0) }, budget: text, holds: holds)
    }
}

extension [Double] {
    /// The middle value, or the mean of the two middle ones; 0 where there is none.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        let middle = count / 2
        return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
