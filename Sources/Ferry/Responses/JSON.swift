/// Any JSON value (RFC 8259).
///
/// ```swift
/// let json = try await client.json(call)
/// let name = json["data"]?["items"]?[0]?["name"]?.string
/// let total = json[path: "data.total"]?.int
/// let body: JSON = ["name": "x", "tags": ["a", 1, true, nil]]
/// ```
///
/// Numbers are kept exactly up to 38 digits. The order of an object's members is not kept.
@frozen
public enum JSON: Hashable, Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number.
    case number(Number)
    /// A string.
    case string(String)
    /// An array.
    case array([JSON])
    /// An object.
    case object([String: JSON])
}

extension JSON {
    /// Whether this is null.
    public var isNull: Bool { self == .null }
    /// The truth value, or nil for anything else.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The string, or nil for anything else.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The number, or nil for anything else.
    public var number: Number? { if case .number(let value) = self { value } else { nil } }
    /// The number, where it is an integer that fits.
    public var int: Int? { number?.exactly() }
    /// The number, where it is an integer that fits.
    public var int64: Int64? { number?.exactly() }
    /// The number, where it is an integer that fits.
    public var uint64: UInt64? { number?.exactly() }
    /// The number, rounded to the nearest `Double`.
    public var double: Double? { number?.double }
    /// The elements, or nil for anything but an array.
    public var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
    /// The members, or nil for anything but an object.
    public var object: [String: JSON]? { if case .object(let value) = self { value } else { nil } }

    /// The member of an object, or nil where there is none or this is no object. Null is a value: `.null`.
    public subscript(key: String) -> JSON? { object?[key] }

    /// The element of an array, or nil where there is none or this is no array.
    public subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The value at a path, or nil where it leads nowhere or is malformed.
    public subscript(path path: JSONKeyPath) -> JSON? {
        guard (try? path.validate()) != nil else { return nil }
        var value = self
        for segment in path.segments {
            let next =
                if case .array = value, JSONKeyPath.isIndex(segment) {
                    Int(segment).flatMap { value[$0] }
                } else {
                    value[segment]
                }
            guard let next else { return nil }
            value = next
        }
        return value
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates null.
    public init(nilLiteral: ()) { self = .null }
    /// Creates a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a number.
    public init(integerLiteral value: Int) { self = .number(Number(value)) }
    /// Creates a number; the literal must be finite, as every literal within the range of `Double` is.
    public init(floatLiteral value: Double) { self = Number(value).map(JSON.number) ?? .null }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// Creates an object; of a repeated key the last counts.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
