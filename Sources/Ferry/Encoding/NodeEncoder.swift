import Foundation

/// The `Encoder` that turns a value into a ``ParameterNode``.
struct NodeEncoder: Encoder {
    let builder: NodeBuilder
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The members of a value that encodes as an object.
    ///
    /// - Throws: `NetworkError` of kind `encoding`.
    static func members(of value: some Encodable) throws(NetworkError) -> [ParameterNode.Member] {
        let builder = NodeBuilder()
        do {
            try encode(value, into: builder, at: [])
        } catch {
            throw NetworkError.encoding(error, what: "The parameters")
        }
        guard case .object(let members) = builder.node() else {
            throw NetworkError(
                .encoding,
                "Parameters must be an object with named members; \(type(of: value)) encodes as something else")
        }
        return members
    }

    /// Encodes a value, giving the types that a style cares about as what they are.
    static func encode(
        _ value: some Encodable, into builder: NodeBuilder, at path: @autoclosure () -> [any CodingKey]
    ) throws {
        switch value {
        // What most parameters are comes first: each question costs, and these need no encoder at all.
        case let text as String: builder.content = .leaf(.text(text))
        case let number as Int: builder.content = .leaf(.number("\(number)", number))
        case let bool as Bool: builder.content = .leaf(.bool(bool))
        case let number as Double: builder.content = .leaf(try leaf(number, at: path()))
        case let node as ParameterNode: builder.content = .leaf(node)
        case let member as ParameterNode.Member:
            builder.content = .leaf(member.node)
            builder.isNameData = member.isNameData
        case let date as Date: builder.content = .leaf(.date(date))
        case let data as Data: builder.content = .leaf(.data(data))
        case let url as URL: builder.content = .leaf(.text(url.absoluteString))
        case let decimal as Decimal:
            guard decimal.isFinite else { throw notFinite(at: path()) }
            builder.content = .leaf(.number(decimal.description, decimal))
        default:
            try value.encode(to: NodeEncoder(builder: builder, codingPath: path()))
            if value is any KeyedByData { sortDictionary(builder) }
            if value is any UnorderedElements { sortSet(builder) }
        }
    }

    static func leaf(
        _ value: some BinaryFloatingPoint & Encodable & Sendable, at path: @autoclosure () -> [any CodingKey]
    ) throws -> ParameterNode {
        guard value.isFinite else { throw notFinite(at: path()) }
        return .number("\(value)", value)
    }

    private static func notFinite(at path: [any CodingKey]) -> NetworkError {
        let place = path.encodingPath
        return NetworkError(.encoding, "\(place ?? "The value") is not a finite number").with { $0.codingPath = place }
    }

    private static func sortDictionary(_ builder: NodeBuilder) {
        var members: [ParameterNode.Member] = []
        switch builder.node() {
        case .object(let named): members = named
        case .array(let nodes):
            // With keys of other types than String and Int, such as an enum's, keys and values come in turn.
            for index in stride(from: 0, to: nodes.count - 1, by: 2) {
                guard let name = nodes[index].sortKey else { return }
                members.append(.init(name: name, node: nodes[index + 1], isNameData: true))
            }
        default: return
        }
        let sorted = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        builder.content = .leaf(
            .object(sorted.map { .init(name: $0.name, node: $0.node, isNameData: true) }))
    }

    private static func sortSet(_ builder: NodeBuilder) {
        guard case .array(let nodes) = builder.node() else { return }
        let keyed = nodes.compactMap { node in node.sortKey.map { (key: $0, node: node) } }
        guard keyed.count == nodes.count else { return }
        builder.content = .leaf(.array(keyed.sorted { $0.key < $1.key }.map(\.node)))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        builder.openObject()
        return KeyedEncodingContainer(KeyedNodeContainer(builder: builder, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        builder.openArray()
        return UnkeyedNodeContainer(builder: builder, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleNodeContainer(builder: builder, codingPath: codingPath)
    }
}

extension ParameterNode {
    /// The text of a simple value, whatever the style: what sets are sorted by, and members named.
    fileprivate var sortKey: String? {
        switch self {
        case .text(let text), .number(let text, _): text
        case .bool(let value): "\(value)"
        case .date(let date): "\(date.timeIntervalSince1970)"
        case .data(let data): data.base64EncodedString()
        case .null, .flag: ""
        case .array, .object: nil
        }
    }
}

extension NetworkError {
    /// An encoding failure that names the place and never the value.
    package static func encoding(_ error: any Error, what: String) -> NetworkError {
        if let error = error as? NetworkError { return error }
        var path: String?
        if case EncodingError.invalidValue(_, let context) = error { path = context.codingPath.encodingPath }
        let place = path.map { " at \($0)" } ?? ""
        return NetworkError(.encoding, "\(what) could not be encoded\(place)", underlying: error)
            .with { $0.codingPath = path }
    }
}

/// Dictionaries: their keys are data, in no order.
private protocol KeyedByData {}
extension Dictionary: KeyedByData where Key: Encodable, Value: Encodable {}

/// Sets: their elements are in no order.
private protocol UnorderedElements {}
extension Set: UnorderedElements where Element: Encodable {}
