// Responses: turns a whole response into a typed value, or into the error that says why not.
// Synchronous and pure: a head and bytes in, a value or a NetworkError out.
// May know Messages and Pipeline, and no other room.

/// Where in a JSON document a value is, such as `data.items` or `rows.1.id`.
///
/// ```swift
/// let call = NetworkCall(.get, "/search").unwrapping("data.items")
/// let repos = try await client.request(call, as: [Repo].self)
/// ```
///
/// Segments are divided by dots. One made of digits is an index where the value at that place is an array, and a key
/// where it is an object, as in RFC 6901 §4; an index has no leading zero and no sign. In a key, `\.` is a dot and `\\`
/// a backslash; `\e` alone stands for the empty key. The empty path is the whole document.
///
/// A path with an empty segment (`a..b`) or an unknown escape is malformed. A literal cannot throw, so that the path
/// remembers it, and using it throws `NetworkError` of kind `invalidRequest`, before anything is sent.
public struct JSONKeyPath: Hashable, Sendable {
    /// The keys and indexes, unescaped, outermost first; empty for the whole document.
    public let segments: [String]

    /// The text of a path that is malformed.
    private let malformed: String?

    /// Creates a path from its segments, in which a dot or a backslash means itself.
    ///
    /// - Parameter segments: Keys and indexes, outermost first: `["a", "b.c", "0"]`.
    public init(_ segments: [String]) {
        self.segments = segments
        malformed = nil
    }

    /// Parses a path.
    ///
    /// - Parameter text: For instance `data.items`.
    public init(_ text: String) {
        let parsed = Self.parse(text)
        segments = parsed ?? []
        malformed = parsed == nil ? text : nil
    }

    /// Checks that the path was well-formed.
    ///
    /// - Throws: `NetworkError` of kind `invalidRequest`.
    public func validate() throws(NetworkError) {
        guard let malformed else { return }
        throw NetworkError(
            .invalidRequest,
            "Key path \(malformed.debugDescription) has an empty segment or an unknown escape")
    }

    /// The segments of `text`, or nil where it is malformed.
    ///
    /// By bytes: a combining mark after a dot must not hide the dot.
    private static func parse(_ text: String) -> [String]? {
        if text.isEmpty { return [] }
        var segments: [String] = []
        var segment: [UInt8] = []
        var isEmptyKey = false

        func end() -> Bool {
            guard segment.isEmpty == isEmptyKey else { return false }
            segments.append(String(decoding: segment, as: UTF8.self))
            segment = []
            isEmptyKey = false
            return true
        }

        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "."):
                guard end() else { return nil }
            case UInt8(ascii: "\\"):
                switch bytes.next() {
                case UInt8(ascii: "."): segment.append(UInt8(ascii: "."))
                case UInt8(ascii: "\\"): segment.append(UInt8(ascii: "\\"))
                case UInt8(ascii: "e") where !isEmptyKey: isEmptyKey = true
                default: return nil
                }
            default:
                segment.append(byte)
            }
        }
        return end() ? segments : nil
    }

    /// The segment as a path writes it.
    package static func escaped(_ segment: String) -> String {
        if segment.isEmpty { return "\\e" }
        var text = ""
        for scalar in segment.unicodeScalars {
            if scalar == "." || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    /// Whether a segment may be an index: digits without a leading zero (RFC 6901 §4), however many.
    static func isIndex(_ segment: String) -> Bool {
        segment == "0"
            || segment.utf8.first != UInt8(ascii: "0") && !segment.isEmpty
                && segment.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension JSONKeyPath: ExpressibleByStringLiteral {
    /// Parses a path.
    public init(stringLiteral value: String) { self.init(value) }
}

extension JSONKeyPath: CustomStringConvertible {
    /// The path as text, which parses to the same path.
    public var description: String {
        malformed ?? segments.map(Self.escaped).joined(separator: ".")
    }
}
