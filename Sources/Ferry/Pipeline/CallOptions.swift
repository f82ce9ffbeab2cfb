/// Names one option of a call and its type.
///
/// Each room of the SDK keys what it wants to know of a call by a type of its own, so that rooms need not know one
/// another; interceptors of yours can do the same.
public protocol CallOptionKey: Sendable {
    /// The type of the option.
    associatedtype Value: Sendable
}

/// What a call wants differently from its client: a bag of typed options.
///
/// ```swift
/// enum TraceID: CallOptionKey { typealias Value = String }
///
/// var call = NetworkCall(.get, "/users")
/// call.options[TraceID.self] = "a1"
/// // in an interceptor: context.options[TraceID.self]
/// ```
public struct CallOptions: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// Creates an empty bag.
    public init() {}

    /// The option of a key, or nil where the call leaves it to the client.
    public subscript<Key: CallOptionKey>(key: Key.Type) -> Key.Value? {
        get {
            // The hot path: most calls set nothing.
            values.isEmpty ? nil : values[ObjectIdentifier(key)] as? Key.Value
        }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    /// Takes over each option that `other` sets.
    public mutating func merge(_ other: CallOptions) {
        values.merge(other.values) { _, new in new }
    }
}

extension CallOptions {
    /// Whether every option can be compared with another call's.
    package var isComparable: Bool { values.values.allSatisfy { $0 is any Equatable } }

    /// Whether both calls set the same options to the same; options that cannot be compared differ.
    package func matches(_ other: CallOptions) -> Bool {
        func equal<Value: Equatable>(_ value: Value, _ other: any Sendable) -> Bool { other as? Value == value }
        guard values.count == other.values.count else { return false }
        return values.allSatisfy { key, value in
            guard let value = value as? any Equatable, let other = other.values[key] else { return false }
            return equal(value, other)
        }
    }
}

extension CallOptions: CustomStringConvertible, CustomReflectable {
    /// How many options are set: values may be secret.
    public var description: String { "\(values.count) options" }

    /// What the description shows: values may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["count": values.count]) }
}
