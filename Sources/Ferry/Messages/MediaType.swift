/// A media type with its parameters (RFC 9110 §8.3.1, RFC 6838).
///
/// Type, subtype and parameter names are case-insensitive and kept in lower case; parameter values are kept as given,
/// quoted or not.
public struct MediaType: Hashable, Sendable {
    /// One parameter, such as `charset=utf-8`.
    public struct Parameter: Hashable, Sendable {
        /// The name in lower case.
        public let name: String
        /// The value, without the quotes it may have had.
        public let value: String
    }

    /// The top-level type, such as `application`.
    public let type: String
    /// The subtype, such as `vnd.api+json`.
    public let subtype: String
    /// The parameters, in order; of a repeated name the first counts.
    public let parameters: [Parameter]

    /// Creates a media type from its parts, or nil where a part is not a token.
    ///
    /// - Parameters:
    ///   - type: The top-level type.
    ///   - subtype: The subtype.
    ///   - parameters: Names and values; values that are no tokens are quoted when written.
    public init?(type: String, subtype: String, parameters: [(name: String, value: String)] = []) {
        guard FieldSyntax.isToken(type), FieldSyntax.isToken(subtype),
            parameters.allSatisfy({ FieldSyntax.isToken($0.name) && FieldSyntax.isFieldValue($0.value) })
        else { return nil }
        self.init(
            checkedType: type.lowercased(), subtype: subtype.lowercased(),
            parameters: parameters.map { Parameter(name: $0.name.lowercased(), value: $0.value) })
    }

    private init(checkedType: String, subtype: String, parameters: [Parameter]) {
        self.type = checkedType
        self.subtype = subtype
        self.parameters = parameters
    }

    /// Parses a Content-Type value, or gives nil where it is malformed.
    ///
    /// Empty parameters (`text/plain;;`) are allowed, as RFC 9110 §5.6.6 does.
    ///
    /// - Parameter text: For instance `text/plain; charset="utf-8"`.
    public init?(_ text: String) {
        var scanner = FieldScanner(text)
        scanner.skipWhitespace()
        guard let type = scanner.token(), scanner.take("/"), let subtype = scanner.token() else { return nil }
        var parameters: [Parameter] = []
        scanner.skipWhitespace()
        while scanner.take(";") {
            scanner.skipWhitespace()
            guard let name = scanner.token() else { continue }
            guard scanner.take("="), let value = scanner.tokenOrQuotedString(),
                FieldSyntax.isFieldValue(value)
            else { return nil }
            let lowered = name.lowercased()
            if !parameters.contains(where: { $0.name == lowered }) {
                parameters.append(Parameter(name: lowered, value: value))
            }
            scanner.skipWhitespace()
        }
        guard scanner.isAtEnd else { return nil }
        self.init(checkedType: type.lowercased(), subtype: subtype.lowercased(), parameters: parameters)
    }

    /// The value of a parameter, or nil.
    ///
    /// - Parameter name: The parameter's name, in any case.
    public func parameter(_ name: String) -> String? {
        parameters.first { FieldSyntax.equalIgnoringCase($0.name, name) }?.value
    }

    /// The charset parameter in lower case, or nil.
    public var charset: String? { parameter("charset")?.lowercased() }

    /// Type and subtype without parameters: `application/json`.
    public var essence: String { "\(type)/\(subtype)" }

    /// Whether this is a JSON media type (WHATWG MIME Sniffing): `application/json`, `text/json` or a `+json` suffix.
    public var isJSON: Bool {
        subtype.hasSuffix("+json") || subtype == "json" && (type == "application" || type == "text")
    }

    /// Whether content of this type is text that a person can read: `text/*`, JSON, XML and forms.
    public var isText: Bool {
        type == "text" || isJSON || subtype == "xml" || subtype.hasSuffix("+xml") || subtype == "javascript"
            || subtype == "x-www-form-urlencoded" || subtype == "x-ndjson" || subtype == "graphql"
    }

    /// Whether this type is covered by a range such as `text/*` or `*/*`; parameters do not count
    /// (RFC 9110 §12.5.1).
    public func matches(_ range: MediaType) -> Bool {
        (range.type == "*" || range.type == type) && (range.subtype == "*" || range.subtype == subtype)
    }
}

extension MediaType {
    /// `application/json` (RFC 8259; it has no charset parameter).
    public static let json = MediaType(literal: "application", "json")
    /// `application/x-www-form-urlencoded` (WHATWG URL).
    public static let form = MediaType(literal: "application", "x-www-form-urlencoded")
    /// `application/octet-stream`: bytes of unknown kind.
    public static let octetStream = MediaType(literal: "application", "octet-stream")
    /// `text/plain; charset=utf-8`.
    public static let plainText = MediaType(literal: "text", "plain", charset: "utf-8")
    /// `text/html`.
    public static let html = MediaType(literal: "text", "html")
    /// `text/event-stream` (WHATWG HTML §9.2).
    public static let eventStream = MediaType(literal: "text", "event-stream")
    /// `application/x-ndjson`: one JSON value a line.
    public static let ndjson = MediaType(literal: "application", "x-ndjson")
    /// `application/problem+json` (RFC 9457).
    public static let problem = MediaType(literal: "application", "problem+json")

    private init(literal type: String, _ subtype: String, charset: String? = nil) {
        self.init(
            checkedType: type, subtype: subtype,
            parameters: charset.map { [Parameter(name: "charset", value: $0)] } ?? [])
    }
}

extension MediaType: CustomStringConvertible {
    /// The value as written in a Content-Type field.
    public var description: String {
        parameters.reduce(into: essence) { text, parameter in
            text += "; \(parameter.name)="
            text += FieldSyntax.isToken(parameter.value) ? parameter.value : FieldSyntax.quoted(parameter.value)
        }
    }
}
