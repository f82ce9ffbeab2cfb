import Foundation

extension ParameterStyle {
    /// The pairs of an object's members, in order.
    ///
    /// - Throws: `NetworkError` of kind `encoding` for a date outside the years 0 to 9999 that is to be written as
    ///   ISO 8601 (RFC 3339 §1), naming the parameter.
    package func pairs(of members: [ParameterNode.Member]) throws(NetworkError) -> [ParameterPair] {
        var pairs: [ParameterPair] = []
        for member in members { try write(member.node, as: name(of: member), to: &pairs) }
        return pairs
    }

    private func write(_ node: ParameterNode, as name: String, to pairs: inout [ParameterPair]) throws(NetworkError) {
        switch node {
        case .array(let nodes):
            try write(nodes, as: name, to: &pairs)
        case .object(let members):
            for member in members {
                let key = self.name(of: member)
                try write(member.node, as: objects == .dots ? "\(name).\(key)" : "\(name)[\(key)]", to: &pairs)
            }
        case .null:
            switch nils {
            case .omit: break
            case .emptyValue: pairs.append(ParameterPair(name: name, value: ""))
            case .flag: pairs.append(ParameterPair(name: name, value: nil))
            }
        case .flag:
            pairs.append(ParameterPair(name: name, value: nil))
        default:
            pairs.append(ParameterPair(name: name, value: try text(of: node, name: name)))
        }
    }

    private func write(
        _ nodes: [ParameterNode], as name: String, to pairs: inout [ParameterPair]
    ) throws(NetworkError) {
        switch arrays {
        case .brackets:
            for node in nodes { try write(node, as: name + "[]", to: &pairs) }
        case .repeated:
            for node in nodes { try write(node, as: name, to: &pairs) }
        case .commaSeparated where nodes.allSatisfy(\.isScalar):
            var texts: [String] = []
            for node in nodes {
                if case .null = node, nils == .omit { continue }
                texts.append(try text(of: node, name: name))
            }
            if !texts.isEmpty { pairs.append(ParameterPair(name: name, value: texts.joined(separator: ","))) }
        case .indexed, .commaSeparated:
            for (index, node) in nodes.enumerated() { try write(node, as: "\(name)[\(index)]", to: &pairs) }
        }
    }

    /// The text of a scalar.
    private func text(of node: ParameterNode, name: String) throws(NetworkError) -> String {
        switch node {
        case .null, .flag, .array, .object: return ""
        case .bool(let value):
            return switch bools {
            case .literal: value ? "true" : "false"
            case .numeric: value ? "1" : "0"
            }
        case .text(let value): return value
        case .number(let digits, _): return digits
        case .data(let value): return text(of: value)
        case .date(let value):
            guard let text = text(of: value) else {
                throw NetworkError(.encoding, "The date of parameter \(name) cannot be written")
                    .with { $0.codingPath = name }
            }
            return text
        }
    }

    private func text(of date: Date) -> String? {
        let seconds = date.timeIntervalSince1970
        guard seconds.isFinite else { return nil }
        switch dates {
        case .iso8601: return RFC3339.format(date, fraction: .none)
        case .iso8601WithMilliseconds: return RFC3339.format(date, fraction: .milliseconds)
        case .secondsSince1970: return Int64(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
        case .millisecondsSince1970: return Int64(exactly: (seconds * 1000).rounded()).map { "\($0)" }
        case .custom(let format): return format(date)
        }
    }

    private func text(of bytes: Data) -> String {
        switch data {
        case .base64: bytes.base64EncodedString()
        case .base64URL:
            String(
                bytes.base64EncodedString().compactMap { character -> Character? in
                    switch character {
                    case "+": "-"
                    case "/": "_"
                    case "=": nil
                    default: character
                    }
                })
        case .hex:
            String(
                decoding: bytes.flatMap { byte in
                    [Self.hexDigits[Int(byte >> 4)], Self.hexDigits[Int(byte & 15)]]
                }, as: UTF8.self)
        case .custom(let format): format(bytes)
        }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)

    private func name(of member: ParameterNode.Member) -> String {
        if member.isNameData { return member.name }
        return switch keys {
        case .asIs: member.name
        case .snakeCase: Self.snakeCase(member.name)
        case .custom(let convert): convert(member.name)
        }
    }

    /// `myURLProperty` as `my_url_property`: a word starts at an upper-case letter that follows a lower-case letter or
    /// digit, and at the last of several upper-case letters where a lower-case letter follows it.
    package static func snakeCase(_ name: String) -> String {
        let scalars = Array(name.unicodeScalars)
        var result = ""
        for (index, scalar) in scalars.enumerated() {
            if scalar.properties.isUppercase, index > 0, scalars[index - 1] != "_" {
                let previousIsUpper = scalars[index - 1].properties.isUppercase
                let nextIsLower = index + 1 < scalars.count && scalars[index + 1].properties.isLowercase
                if !previousIsUpper || nextIsLower { result += "_" }
            }
            result += scalar.properties.lowercaseMapping
        }
        return result
    }
}
