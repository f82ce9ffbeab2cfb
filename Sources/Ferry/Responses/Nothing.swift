/// The value of a response whose content does not matter: any content, or none, decodes to it.
///
/// ```swift
/// struct DeleteUser: Api {
///     typealias Response = Nothing
///     var method: HTTPMethod { .delete }
///     var path: String { "/users/1" }
/// }
/// ```
public struct Nothing: Hashable, Sendable {
    /// Creates the value.
    public init() {}
}

extension Nothing: Codable {
    /// Succeeds whatever is there.
    public init(from decoder: any Decoder) throws {}

    /// Writes an empty object.
    public func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: NoKey.self) }

    private enum NoKey: CodingKey {}
}

/// A type with a value for a response without content, and for null on the way to it.
package protocol EmptyBodyDecodable {
    /// The value.
    static var valueOfEmptyBody: Self { get }
}

extension Nothing: EmptyBodyDecodable {
    package static var valueOfEmptyBody: Nothing { Nothing() }
}

extension Optional: EmptyBodyDecodable {
    package static var valueOfEmptyBody: Wrapped? { nil }
}

/// The value that a type has for no content, or nil where it has none.
package func emptyBody<Value>(of type: Value.Type) -> Value? {
    func value<Empty: EmptyBodyDecodable>(_ type: Empty.Type) -> Value? { Empty.valueOfEmptyBody as? Value }
    guard let type = type as? any EmptyBodyDecodable.Type else { return nil }
    return value(type)
}
