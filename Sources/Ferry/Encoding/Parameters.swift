// Encoding: turns values into URLs, queries, forms and JSON; everything here is a pure function of its input, but for
// the look at a file that is to be sent.
// It may name Messages and Pipeline, and no other room.

/// The parameters of a query or a form: ordered names with values of any encodable type.
///
/// ```swift
/// let page = 2
/// let language: String? = nil
/// let query: Parameters = ["q": text, "page": page, "tags": ["a", "b"], "lang": language, "debug": .flag]
/// // q=…&page=2&tags%5B%5D=a&tags%5B%5D=b&debug
/// ```
///
/// Order and repeated names are kept. A nil is left out, an empty string gives `name=` and `.flag` gives
/// a name without a value. How arrays, nested objects, dates and so on are written is the ``ParameterStyle``'s choice.
public struct Parameters: Sendable {
    /// The type of a value: anything encodable, or nil.
    public typealias Value = (any Encodable & Sendable)?

    package private(set) var items: [(name: String, value: Value)]

    /// Creates an empty list.
    public init() { items = [] }

    /// Creates a list from names and values, keeping order and repetition.
    public init(_ items: some Sequence<(String, Value)>) { self.items = items.map { (name: $0.0, value: $0.1) } }

    /// Creates a list from names and values of one type, keeping order and repetition:
    /// `Parameters(ids.map { ("id", $0) })`.
    public init<Item: Encodable & Sendable>(_ items: some Sequence<(String, Item)>) {
        self.items = items.map { (name: $0.0, value: $0.1) }
    }

    /// Creates a list from the properties of a value.
    ///
    /// The style is applied when the list is written, so the client's style counts here too.
    ///
    /// - Parameter value: A value that encodes as an object: a struct, a class or a dictionary (in order of its keys).
    /// - Throws: `NetworkError` of kind `encoding` where it encodes as something else, or fails to encode.
    public init(encoding value: some Encodable) throws(NetworkError) {
        items = try NodeEncoder.members(of: value).map { (name: $0.name, value: $0) }
    }

    /// Whether there is no parameter.
    public var isEmpty: Bool { items.isEmpty }

    /// How many parameters there are, with those that are nil.
    public var count: Int { items.count }

    /// The names, in order.
    public var names: [String] { items.map(\.name) }

    /// The value of the first parameter of that name, or nil.
    ///
    /// Setting replaces every parameter of that name, at the place of the first; setting nil removes them.
    public subscript(name: String) -> Value {
        get { items.first { $0.name == name }?.value }
        set {
            guard let newValue else { return items.removeAll { $0.name == name } }
            guard let first = items.firstIndex(where: { $0.name == name }) else { return append(name, newValue) }
            items[first].value = newValue
            let rest = items[(first + 1)...].filter { $0.name != name }
            items.replaceSubrange((first + 1)..., with: rest)
        }
    }

    /// Adds a parameter, also where the name exists.
    public mutating func append(_ name: String, _ value: Value) { items.append((name: name, value: value)) }

    /// Adds every parameter of `other` after these, also where a name exists.
    public mutating func append(contentsOf other: Parameters) { items += other.items }

    /// Replaces each parameter that `other` has, keeping the rest.
    ///
    /// All parameters of a name in `other` replace all of that name here; they come last, in their order.
    public mutating func merge(_ other: Parameters) {
        let replaced = Set(other.names)
        items.removeAll { replaced.contains($0.name) }
        items += other.items
    }

    /// This list with each parameter that `other` has replaced.
    public func merging(_ other: Parameters) -> Parameters {
        var copy = self
        copy.merge(other)
        return copy
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Creates a list from name and value pairs, keeping order and repetition.
    public init(dictionaryLiteral elements: (String, Value)...) { self.init(elements) }
}

extension Parameters: Encodable {
    /// Encodes the list as an object, so that it can also be a JSON body; of a repeated name JSON keeps the last.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyCodingKey.self)
        for (name, value) in items {
            let key = AnyCodingKey(stringValue: name)
            if let value {
                try container.encode(value, forKey: key)
            } else {
                try container.encodeNil(forKey: key)
            }
        }
    }
}

extension Parameters: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names alone: values may be secret.
    public var description: String { "[" + names.joined(separator: ", ") + "]" }

    /// The names alone: values may be secret.
    public var debugDescription: String { description }

    /// The names alone: values may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["names": names]) }
}

extension RequestBody {
    /// Parameters encoded as `application/x-www-form-urlencoded` (WHATWG URL §5.2), in their order.
    ///
    /// A literal with values of several types becomes these; one with values of a single type is a dictionary, which is
    /// written in the order of its keys.
    public static func form(_ parameters: Parameters) -> RequestBody {
        RequestBody(.value(parameters, .form), contentType: .form)
    }
}

extension Optional where Wrapped == any Encodable & Sendable {
    /// A parameter without a value: `["debug": .flag]` is written as `debug`, not `debug=`. In JSON it is `true`.
    public static var flag: Self { ParameterNode.flag }
}

/// One name of a query or form and its value, as text that is not yet percent-encoded.
public struct ParameterPair: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value; nil writes the name alone, without "=".
    public var value: String?

    /// Creates a pair.
    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }
}

extension ParameterPair: CustomStringConvertible, CustomReflectable {
    /// The name alone: the value may be secret.
    public var description: String { name }

    /// The name alone: the value may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
