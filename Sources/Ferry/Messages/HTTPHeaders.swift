/// The header fields of a message (RFC 9110 §5): ordered, repeatable, case-insensitive by name.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers["accept"] = "text/csv"           // replaces: names are compared without case
/// headers.append("Via", "1.1 a")           // adds a second line where one exists
/// ```
///
/// Setting never fails; a name that is no token or a value with CR, LF, NUL or another control character is refused
/// when the request is built, with `NetworkError.Kind.invalidHeader` that names the header and never its value.
public struct HTTPHeaders: Hashable, Sendable {
    /// One field line.
    public struct Field: Hashable, Sendable {
        /// The name as written.
        public var name: String
        /// The value.
        public var value: String

        /// Creates a field line.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Names compare without case (RFC 9110 §5.1), values exactly.
        public static func == (lhs: Field, rhs: Field) -> Bool {
            lhs.value == rhs.value && FieldSyntax.equalIgnoringCase(lhs.name, rhs.name)
        }

        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) {
            for byte in name.utf8 { hasher.combine(FieldSyntax.lowercased(byte)) }
            hasher.combine(value)
        }
    }

    /// The field lines, in order.
    public private(set) var fields: [Field]

    /// Creates an empty list.
    public init() { fields = [] }

    /// Creates a list of field lines, keeping order and repetition.
    public init(_ fields: some Sequence<Field>) { self.fields = Array(fields) }

    /// The value of a field: all its lines joined by ", " in order, or nil when there is none (RFC 9110 §5.3).
    ///
    /// Setting replaces every line of that name, at the place of the first; setting nil removes them.
    public subscript(name: String) -> String? {
        get {
            guard let first = firstIndex(of: name) else { return nil }
            var joined = fields[first].value
            for field in fields[(first + 1)...] where FieldSyntax.equalIgnoringCase(field.name, name) {
                joined += ", "
                joined += field.value
            }
            return joined
        }
        set {
            guard let newValue else { return remove(name) }
            guard let first = firstIndex(of: name) else { return append(name, newValue) }
            fields[first] = Field(name: name, value: newValue)
            let rest = fields[(first + 1)...].filter { !FieldSyntax.equalIgnoringCase($0.name, name) }
            fields.replaceSubrange((first + 1)..., with: rest)
        }
    }

    /// The values of all lines of a field, in order; empty when there is none.
    ///
    /// - Parameter name: The field name, in any case.
    public func values(of name: String) -> [String] {
        fields.lazy.filter { FieldSyntax.equalIgnoringCase($0.name, name) }.map(\.value)
    }

    /// Whether there is a line of that name.
    public func contains(_ name: String) -> Bool { firstIndex(of: name) != nil }

    /// Adds a line, also where the name exists.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Removes every line of that name.
    public mutating func remove(_ name: String) {
        fields.removeAll { FieldSyntax.equalIgnoringCase($0.name, name) }
    }

    /// Replaces each field that `other` has, keeping the rest.
    ///
    /// All lines of a name in `other` replace all lines of that name here.
    public mutating func merge(_ other: HTTPHeaders) {
        guard !other.fields.isEmpty else { return }
        guard !fields.isEmpty else {
            fields = other.fields
            return
        }
        let replaced = Set(other.fields.lazy.map { HTTPHeaders.key($0.name) })
        fields.removeAll { replaced.contains(HTTPHeaders.key($0.name)) }
        fields.append(contentsOf: other.fields)
    }

    /// This list with each field that `other` has replaced.
    public func merging(_ other: HTTPHeaders) -> HTTPHeaders {
        var copy = self
        copy.merge(other)
        return copy
    }

    /// A name in the form that hashes and compares as names do (RFC 9110 §5.1): ASCII letters in lower case.
    package static func key(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 != FieldSyntax.lowercased($0) }) else { return name }
        return String(decoding: name.utf8.map(FieldSyntax.lowercased), as: UTF8.self)
    }

    private func firstIndex(of name: String) -> Int? {
        fields.firstIndex { FieldSyntax.equalIgnoringCase($0.name, name) }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates a list from name and value pairs, keeping order and repetition.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}

extension HTTPHeaders: Sequence {
    /// Iterates over the field lines in order.
    public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }

    /// Whether there is no field.
    public var isEmpty: Bool { fields.isEmpty }

    /// How many field lines there are.
    public var count: Int { fields.count }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomReflectable {
    /// The name alone: the value may be secret.
    public var description: String { name }

    /// The name alone: the value may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

extension HTTPHeaders: CustomStringConvertible {
    /// The names alone: values may be secret.
    public var description: String { "[" + fields.map(\.name).joined(separator: ", ") + "]" }
}

extension HTTPHeaders: CustomDebugStringConvertible, CustomReflectable {
    /// The names alone: values may be secret.
    public var debugDescription: String { description }

    /// The names alone: values may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["names": fields.map(\.name)]) }
}
