package import Foundation

/// An encoded value before a style is applied: what kind of thing it is, not how it is written.
///
/// Keeping the two apart lets a value be encoded once and written in the style of whichever client sends it.
package enum ParameterNode: Sendable {
    /// A name in an object and what it holds.
    package struct Member: Sendable {
        package var name: String
        package var node: ParameterNode
        /// Whether the name is data, as a dictionary's key is, and so not subject to a key strategy.
        package var isNameData: Bool
    }

    case null
    case flag
    case bool(Bool)
    case text(String)
    /// The text of the number, and the number for other encoders.
    case number(String, any Encodable & Sendable)
    case date(Date)
    case data(Data)
    case array([ParameterNode])
    case object([Member])

    /// Whether the node holds no other nodes.
    package var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }
}

extension ParameterNode: Encodable {
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let nodes):
            var container = encoder.unkeyedContainer()
            for node in nodes { try container.encode(node) }
        case .object(let members):
            var container = encoder.container(keyedBy: AnyCodingKey.self)
            for member in members { try container.encode(member.node, forKey: AnyCodingKey(stringValue: member.name)) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .flag: try container.encode(true)
            case .bool(let value): try container.encode(value)
            case .text(let value): try container.encode(value)
            case .number(_, let value): try container.encode(value)
            case .date(let value): try container.encode(value)
            case .data(let value): try container.encode(value)
            case .null, .array, .object: try container.encodeNil()
            }
        }
    }
}

extension ParameterNode.Member: Encodable {
    package func encode(to encoder: any Encoder) throws { try node.encode(to: encoder) }
}

/// A key of any name.
package struct AnyCodingKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    package init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}

extension Array where Element == any CodingKey {
    /// The path in words, such as `items[3].name`; nil for the top level.
    package var encodingPath: String? {
        guard !isEmpty else { return nil }
        return reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
