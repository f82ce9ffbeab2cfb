/// The elements of an array.
struct UnkeyedNodeContainer: UnkeyedEncodingContainer {
    let builder: NodeBuilder
    let codingPath: [any CodingKey]

    var count: Int { if case .array(let elements) = builder.content { elements.count } else { 0 } }

    private func place(_ index: Int) -> [any CodingKey] { codingPath + [AnyCodingKey(intValue: index)] }

    private func put(_ node: ParameterNode) { builder.appendElement().content = .leaf(node) }

    mutating func encodeNil() { put(.null) }

    mutating func encode(_ value: some Encodable) throws {
        let index = count
        try NodeEncoder.encode(value, into: builder.appendElement(), at: place(index))
    }

    // Without these the protocol's own throw.

    mutating func encode(_ value: Int128) throws { put(.number("\(value)", value)) }

    mutating func encode(_ value: UInt128) throws { put(.number("\(value)", value)) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { encoder() }

    private func encoder() -> NodeEncoder {
        let index = count
        return NodeEncoder(builder: builder.appendElement(), codingPath: place(index))
    }
}

/// A value by itself.
struct SingleNodeContainer: SingleValueEncodingContainer {
    let builder: NodeBuilder
    let codingPath: [any CodingKey]

    private func put(_ node: ParameterNode) { builder.content = .leaf(node) }

    mutating func encodeNil() { put(.null) }

    mutating func encode(_ value: Bool) throws {
        put(.bool(value))
    }

    mutating func encode(_ value: String) throws {
        put(.text(value))
    }

    mutating func encode(_ value: Int) throws {
        put(.number("\(value)", value))
    }

    mutating func encode(_ value: Int8) throws {
        put(.number("\(value)", value))
    }

    mutating func encode(_ value: Int16) throws {
        put(.number("\(value)", value))
    }

    mutating func encode(_ value: Int32) throws {
        put(.number("\(value)", value))
    }

    mutating func encode(_ value: Int64) throws {
        put(.number("\(value)", value))
    }

    mutating func encode(_ value: UInt) throws {
        put(.number("\(value)", value))
    }

    mutating func encode(_ value: UInt8) throws {
        put(.number("\(value)", value))
    }

    mutating func encode(_ value: UInt16) throws {
        put(.number("\(value)", value))
    }

    mutating func encode(_ value: UInt32) throws {
        put(.number("\(value)", value))
    }

    mutating func encode(_ value: UInt64) throws {
        put(.number("\(value)", value))
    }

    mutating func encode(_ value: Int128) throws {
        put(.number("\(value)", value))
    }

    mutating func encode(_ value: UInt128) throws {
        put(.number("\(value)", value))
    }

    mutating func encode(_ value: Double) throws {
        try put(NodeEncoder.leaf(value, at: codingPath))
    }

    mutating func encode(_ value: Float) throws {
        try put(NodeEncoder.leaf(value, at: codingPath))
    }

    mutating func encode(_ value: some Encodable) throws {
        try NodeEncoder.encode(value, into: builder, at: codingPath)
    }
}
