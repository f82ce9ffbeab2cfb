public import Foundation

extension JSON {
    /// A JSON number: exact up to 38 digits, and of `Double`'s precision outside the range of `Decimal` (above about
    /// 3.4e165, or with more than 127 places).
    public struct Number: Hashable, Sendable {
        private enum Storage: Hashable, Sendable {
            case decimal(Decimal)
            case double(Double)
        }

        private let storage: Storage

        /// Creates a number.
        public init(_ value: some BinaryInteger) {
            let decimal = Decimal(string: "\(value)", locale: nil)
            storage = decimal.map(Storage.decimal) ?? .double(Double(value))
        }

        /// Creates a number, or nil for NaN, which JSON does not have.
        public init?(_ value: Decimal) {
            guard !value.isNaN else { return nil }
            storage = .decimal(value)
        }

        /// Creates the number that the shortest text of `value` means, or nil for NaN and infinity, which JSON does
        /// not have.
        public init?(_ value: Double) {
            guard value.isFinite else { return nil }
            // By the text: Decimal(0.1) would be 0.1000000000000000055.
            let decimal = Decimal(string: "\(value)", locale: nil)
            let isSame = decimal.map { Double($0.description) == value } ?? false
            storage = isSame ? decimal.map(Storage.decimal) ?? .double(value) : .double(value)
        }

        /// The number rounded to the nearest `Double`.
        public var double: Double {
            switch storage {
            // By the text: `doubleValue` is not correctly rounded.
            case .decimal(let value): Double(value.description) ?? .nan
            case .double(let value): value
            }
        }

        /// The exact number, or nil where it is outside the range of `Decimal`.
        public var decimal: Decimal? { if case .decimal(let value) = storage { value } else { nil } }

        /// The number as an integer, or nil where it has a fraction or does not fit.
        public func exactly<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
            switch storage {
            case .decimal(let value): Integer(value.description)
            case .double(let value): Integer(exactly: value)
            }
        }
    }
}

extension JSON.Number: CustomStringConvertible {
    /// The number as JSON writes it.
    public var description: String {
        switch storage {
        case .decimal(let value): value.description
        case .double(let value): value.description
        }
    }
}

extension JSON.Number: Codable {
    /// Reads a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Decimal.self), !value.isNaN {
            storage = .decimal(value)
        } else {
            storage = .double(try container.decode(Double.self))
        }
    }

    /// Writes the number, with all its digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch storage {
        case .decimal(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        }
    }
}

extension JSON {
    /// The number with all its digits, or nil for anything else, or outside the range of `Decimal`.
    public var decimal: Decimal? { number?.decimal }
}
