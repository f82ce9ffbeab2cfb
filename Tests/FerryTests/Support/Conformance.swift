import Foundation
import XCTest

/// One row of `Fixtures/conformance/<area>.jsonl`: what went wrong in the field, and what is right by the standard.
struct ConformanceCase: Decodable {
    let id: String
    let area: String
    let symptom: String
    let input: JSONValue
    let expected: JSONValue
    let spec: String

    /// The row with an id, or a thrown error that names what is missing.
    static func load(_ id: String, area: String) throws -> ConformanceCase {
        let rows = try all(area: area)
        return try XCTUnwrap(rows.first { $0.id == id }, "\(id) is not in \(area).jsonl")
    }

    /// All rows of an area.
    static func all(area: String) throws -> [ConformanceCase] {
        let file = Repository.fixtures.appending(path: "conformance/\(area).jsonl")
        return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(ConformanceCase.self, from: Data($0))
        }
    }
}

/// Places in the repository that tests read.
enum Repository {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let fixtures = root.appending(path: "Fixtures")
}

/// Any JSON value, for the tables.
enum JSONValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    subscript(key: String) -> JSONValue {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    subscript(index: Int) -> JSONValue {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { .null }
    }

    var string: String? { if case .string(let value) = self { value } else { nil } }
    var number: Double? { if case .number(let value) = self { value } else { nil } }
    var int: Int? { number.map { Int($0) } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var array: [JSONValue] { if case .array(let value) = self { value } else { [] } }
    var object: [String: JSONValue] { if case .object(let value) = self { value } else { [:] } }
    var strings: [String] { array.compactMap(\.string) }
}
