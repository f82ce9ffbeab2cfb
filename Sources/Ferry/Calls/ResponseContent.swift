public import Foundation

/// An accepted response with its content, and how its call wants it decoded.
public struct ResponseContent: Sendable {
    /// Status and fields.
    public let head: HTTPResponse.Head
    /// The whole content.
    public let body: Data
    /// Where in the JSON the value is; nil for the whole document.
    public let keyPath: JSONKeyPath?
    /// The decoder of the call.
    public let decoder: JSONDecoder
    package let fallback: (any Sendable)?

    /// Creates a content, for tests of your own `decode`.
    public init(
        head: HTTPResponse.Head, body: Data, keyPath: JSONKeyPath? = nil, decoder: JSONDecoder = JSONDecoder()
    ) {
        self.init(head: head, body: body, keyPath: keyPath, decoder: decoder, fallback: nil)
    }

    package init(
        head: HTTPResponse.Head, body: Data, keyPath: JSONKeyPath?, decoder: JSONDecoder, fallback: (any Sendable)?
    ) {
        self.head = head
        self.body = body
        self.keyPath = keyPath
        self.decoder = decoder
        self.fallback = fallback
    }

    /// Decodes the content below the key path.
    ///
    /// `Data` gives the bytes, `String` the text by its charset, ``Nothing`` takes anything, and an optional is nil for an
    /// empty body.
    ///
    /// - Parameter type: What to decode; inferred where possible.
    /// - Throws: `NetworkError` of kind `decoding`, `unwrapping` or `emptyBody`.
    public func decode<Value: Decodable>(as type: Value.Type = Value.self) throws(NetworkError) -> Value {
        // Not `fallback as? Value`: where there is none, an optional type would take that for a nil to fall back to.
        try ResponseDecoder.decode(
            type, head: head, body: body, keyPath: keyPath, decoder: decoder,
            fallback: fallback.flatMap { $0 as? Value })
    }
}

extension ResponseContent: CustomStringConvertible, CustomReflectable {
    /// Status and size: the content may be secret.
    public var description: String { "\(head.status), \(body.count) bytes" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}
