public import Foundation

/// A path with typed values, each escaped so that it stays within its segment.
///
/// ```swift
/// PathTemplate("/files/{name}/meta", ["name": "a/b"])      // /files/a%2Fb/meta
/// let path: PathTemplate = "/users/\(id)/repos/\(name)"    // the same by interpolation
/// ```
///
/// Values are escaped as in RFC 6570 §3.2.2: everything but letters, digits, `-`, `.`, `_` and `~`. The text of the
/// template itself is taken as a path that is already written.
///
/// Refused, because the server would see another path than the one meant: an empty value and a segment that becomes `.`
/// or `..`. After a "?" in the template, in its query, both are fine.
public struct PathTemplate: Sendable {
    fileprivate enum Piece {
        case text(String)
        case value(String)
    }

    private let pieces: [Piece]
    private let values: [String: any PathValue]

    /// Creates a template.
    ///
    /// - Parameters:
    ///   - template: A path with variables in braces.
    ///   - values: The value of each variable.
    public init(_ template: String, _ values: [String: any PathValue] = [:]) {
        pieces = [.text(template)]
        self.values = values
    }

    /// The path with its values.
    ///
    /// - Throws: `NetworkError` of kind `invalidURL`, naming the variable and never its value: a variable without a value,
    ///   a value without a variable, an empty value, a value that makes a dot segment, a brace without its partner.
    public var path: String {
        get throws(NetworkError) {
            var expansion = Expansion(values: values)
            for piece in pieces {
                switch piece {
                case .text(let text): try expansion.append(template: text)
                case .value(let text): try expansion.append(value: text, of: "an interpolated value")
                }
            }
            return try expansion.finish()
        }
    }
}

/// The state of an expansion: what is written, and what is known of the segment at its end.
private struct Expansion {
    let values: [String: any PathValue]
    var used: Set<String> = []
    var result = ""
    var segment: [UInt8] = []
    var segmentVariable: String?
    var isInPath = true

    mutating func append(template: String) throws(NetworkError) {
        var rest = Array(template.utf8)[...]
        while let index = rest.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) {
            try append(text: rest[..<index])
            guard rest[index] == UInt8(ascii: "{"), let end = rest[index...].firstIndex(of: UInt8(ascii: "}")) else {
                throw NetworkError(.invalidURL, "The path template has a brace without its partner")
            }
            let name = String(decoding: rest[(index + 1)..<end], as: UTF8.self)
            guard let value = values[name] else {
                throw NetworkError(.invalidURL, "The path template's variable {\(name)} has no value")
            }
            used.insert(name)
            try append(value: value.pathText, of: "{\(name)}")
            rest = rest[(end + 1)...]
        }
        try append(text: rest)
    }

    mutating func append(value: String, of variable: String) throws(NetworkError) {
        if isInPath {
            guard !value.isEmpty else {
                throw NetworkError(.invalidURL, "The path template's value of \(variable) is empty")
            }
            segmentVariable = variable
        }
        let escaped = PercentEncoding.encode(value, allowed: .unreserved)
        segment += escaped.utf8
        result += escaped
    }

    private mutating func append(text: ArraySlice<UInt8>) throws(NetworkError) {
        result += String(decoding: text, as: UTF8.self)
        for byte in text where isInPath {
            switch byte {
            case UInt8(ascii: "/"): try endSegment()
            case UInt8(ascii: "?"), UInt8(ascii: "#"):
                try endSegment()
                isInPath = false
            default: segment.append(byte)
            }
        }
    }

    private mutating func endSegment() throws(NetworkError) {
        if let segmentVariable, DotSegment(segment) != nil {
            throw NetworkError(.invalidURL, "The value of \(segmentVariable) makes a dot segment of the path")
        }
        segment = []
        segmentVariable = nil
    }

    mutating func finish() throws(NetworkError) -> String {
        try endSegment()
        if let unused = values.keys.filter({ !used.contains($0) }).min() {
            throw NetworkError(.invalidURL, "The path template has no variable {\(unused)}")
        }
        return result
    }
}

extension PathTemplate: ExpressibleByStringInterpolation {
    /// Creates a template without variables.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates a path from text and interpolated values.
    public init(stringInterpolation: StringInterpolation) {
        pieces = stringInterpolation.pieces
        values = [:]
    }

    /// Collects the text and the values of an interpolated path.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var pieces: [Piece] = []

        /// Creates an empty interpolation.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds text of the path.
        public mutating func appendLiteral(_ literal: String) { pieces.append(.text(literal)) }

        /// Adds a value, to be escaped.
        public mutating func appendInterpolation(_ value: some PathValue) { pieces.append(.value(value.pathText)) }
    }
}

extension PathTemplate: CustomStringConvertible, CustomReflectable {
    /// The template with its variables, not their values: those may be secret.
    public var description: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .value: "{}"
            }
        }.joined()
    }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["template": description]) }
}

/// What can stand as a value in a path.
public protocol PathValue: Sendable {
    /// The text, not escaped.
    var pathText: String { get }
}

extension PathValue where Self: LosslessStringConvertible {
    /// The value's description.
    public var pathText: String { description }
}

extension PathValue where Self: RawRepresentable, RawValue: PathValue {
    /// The raw value's text.
    public var pathText: String { rawValue.pathText }
}

extension String: PathValue {}
extension Substring: PathValue {}
extension Int: PathValue {}
extension Int32: PathValue {}
extension Int64: PathValue {}
extension UInt: PathValue {}
extension UInt32: PathValue {}
extension UInt64: PathValue {}
extension Double: PathValue {}
extension Bool: PathValue {}
extension UUID: PathValue {
    /// The UUID in upper case, as Foundation writes it.
    public var pathText: String { uuidString }
}
