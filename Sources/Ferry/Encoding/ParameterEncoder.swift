/// Encodes any `Encodable` object as the pairs of a query or form.
///
/// ```swift
/// struct Filter: Encodable { var text: String; var tags: [String] }
/// let pairs = try ParameterEncoder().encode(Filter(text: "x", tags: ["a", "b"]))
/// // text=x, tags[]=a, tags[]=b
/// ```
///
/// Properties come in the order in which they are encoded. A `Dictionary` comes in the order of its keys and a `Set` of
/// simple values in the order of their text, so that equal values give equal URLs.
public struct ParameterEncoder: Sendable {
    /// How values are written.
    public var style: ParameterStyle

    /// Creates an encoder.
    ///
    /// - Parameter style: How values are written. Default ``ParameterStyle/default``.
    public init(style: ParameterStyle = .default) { self.style = style }

    /// Encodes a value.
    ///
    /// - Parameter value: A value that encodes as an object: ``Parameters``, a struct, a class or a dictionary.
    /// - Returns: The pairs, not yet percent-encoded.
    /// - Throws: `NetworkError` of kind `encoding` where the value encodes as something else, has a number that is not
    ///   finite, or fails to encode; its `codingPath` says where.
    public func encode(_ value: some Encodable) throws(NetworkError) -> [ParameterPair] {
        try style.pairs(of: NodeEncoder.members(of: value))
    }
}

/// Collects what a value encodes; containers of one value share a builder, and are written to in any order.
final class NodeBuilder {
    enum Content {
        case nothing
        case leaf(ParameterNode)
        case array([NodeBuilder])
        case object([(name: String, builder: NodeBuilder)])
    }

    var content = Content.nothing
    /// Whether the name that this stands under is data; known where a node that was encoded before is encoded again.
    var isNameData = false

    /// The collected node; an object without members where the value encoded nothing.
    func node() -> ParameterNode {
        switch content {
        case .nothing: .object([])
        case .leaf(let node): node
        case .array(let builders): .array(builders.map { $0.node() })
        case .object(let members):
            .object(members.map { .init(name: $0.name, node: $0.builder.node(), isNameData: $0.builder.isNameData) })
        }
    }

    func openArray() {
        if case .array = content { return }
        content = .array([])
    }

    func openObject() {
        if case .object = content { return }
        content = .object([])
    }

    func appendElement() -> NodeBuilder {
        let child = NodeBuilder()
        if case .array(var builders) = content {
            content = .nothing  // So that the array is not copied.
            builders.append(child)
            content = .array(builders)
        }
        return child
    }

    func appendMember(_ name: String) -> NodeBuilder {
        let child = NodeBuilder()
        if case .object(var members) = content {
            content = .nothing
            members.append((name: name, builder: child))
            content = .object(members)
        }
        return child
    }

    /// The member of that name, made where there is none: nested containers of one key are one.
    func member(_ name: String) -> NodeBuilder {
        if case .object(let members) = content, let existing = members.last(where: { $0.name == name }) {
            return existing.builder
        }
        return appendMember(name)
    }
}
