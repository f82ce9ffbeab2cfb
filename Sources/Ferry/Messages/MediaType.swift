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

    /// Parses a Content-Type value, or gives nil where it does not begin with a type and a subtype.
    ///
    /// As lenient as browsers are (WHATWG MIME Sniffing §4.4): a parameter that is malformed or empty is skipped, so that
    /// `application/json; charset=` is still JSON; of a quoted value the closing quote may be missing.
    ///
    /// - Parameter text: For instance `text/plain; charset="utf-8"`.
    public init?(_ text: String) {
        var scanner = FieldScanner(FieldSyntax.trimmed(text))
        guard let type = scanner.token(), scanner.take("/"), let subtype = scanner.token() else { return nil }
        scanner.skipWhitespace()
        guard scanner.isAtEnd || scanner.peek == UInt8(ascii: ";") else { return nil }
        var parameters: [Parameter] = []
        while scanner.take(";") {
            guard let parameter = Self.parameter(&scanner),
                !parameters.contains(where: { $0.name == parameter.name })
            else { continue }
            parameters.append(parameter)
        }
        self.init(checkedType: type.lowercased(), subtype: subtype.lowercased(), parameters: parameters)
    }

    /// Parses a Content-Type with one value or, against the grammar, several: the last that is well-formed counts (RFC 9110
    /// §8.3).
    ///
    /// As browsers extract it (WHATWG Fetch §2.2.2): `*/*` tells nothing, and where the same type comes again without a
    /// charset, the one before stays.
    package init?(lastOf text: String) {
        guard text.utf8.contains(UInt8(ascii: ",")) else {
            self.init(text)
            return
        }
        var last: MediaType?
        for value in FieldSyntax.listMembers(text) {
            guard var type = MediaType(value), type.essence != "*/*" else { continue }
            if let last, last.essence == type.essence, type.charset == nil { type = last }
            last = type
        }
        guard let last else { return nil }
        self = last
    }

    /// Takes what stands before the next ";", and gives nil where it is no parameter.
    private static func parameter(_ scanner: inout FieldScanner) -> Parameter? {
        scanner.skipWhitespace()
        let name = scanner.take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") } ?? ""
        guard scanner.take("=") else { return nil }
        let value: String
        if scanner.peek == UInt8(ascii: "\"") {
            value = scanner.openQuotedString()
            _ = scanner.take { $0 != UInt8(ascii: ";") }
        } else {
            var text = scanner.take { $0 != UInt8(ascii: ";") } ?? ""
            while let last = text.utf8.last, FieldSyntax.isWhitespace(last) { text.removeLast() }
            guard !text.isEmpty else { return nil }
            value = text
        }
        guard FieldSyntax.isToken(name), FieldSyntax.isFieldValue(value) else { return nil }
        return Parameter(name: name.lowercased(), value: value)
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
