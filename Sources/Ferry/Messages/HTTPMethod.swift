// Messages: the values that travel through Ferry (requests, responses, errors) and the parsers of their fields.
// The lowest room: it may name Foundation and nothing else of Ferry.

/// A request method (RFC 9110 §9).
///
/// Methods are case-sensitive tokens. The standard verbs are normalised to upper case, as every server expects
/// them; a custom verb is kept exactly as written, so `"patch"` becomes `PATCH` and `"Purge"` stays `Purge`.
///
/// A method that is not a token is refused with `NetworkError.Kind.invalidRequest` when the request is built.
public struct HTTPMethod: Hashable, Sendable {
    /// The method as it goes on the wire.
    public let rawValue: String

    /// Creates a method from its name.
    ///
    /// - Parameter name: A token; standard verbs in any case.
    public init(_ name: String) {
        // ASCII alone: Unicode maps a dotless i to "I", which would make a token of what is none.
        let upper = String(decoding: name.utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
        rawValue = Self.standardNames.contains(upper) ? upper : name
    }

    private init(standard: StaticString) { rawValue = "\(standard)" }

    private static let standardNames: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY",
    ]

    /// GET: transfer a representation of the target (RFC 9110 §9.3.1).
    public static let get = HTTPMethod(standard: "GET")
    /// HEAD: as GET, without the content (RFC 9110 §9.3.2).
    public static let head = HTTPMethod(standard: "HEAD")
    /// POST: let the target process the content (RFC 9110 §9.3.3).
    public static let post = HTTPMethod(standard: "POST")
    /// PUT: replace the target with the content (RFC 9110 §9.3.4).
    public static let put = HTTPMethod(standard: "PUT")
    /// DELETE: remove the target (RFC 9110 §9.3.5).
    public static let delete = HTTPMethod(standard: "DELETE")
    /// OPTIONS: ask what the target can do (RFC 9110 §9.3.7).
    public static let options = HTTPMethod(standard: "OPTIONS")
    /// TRACE: loop the request back (RFC 9110 §9.3.8).
    public static let trace = HTTPMethod(standard: "TRACE")
    /// PATCH: change the target in part (RFC 5789).
    public static let patch = HTTPMethod(standard: "PATCH")

    /// Whether the method is defined as read-only (RFC 9110 §9.2.1).
    public var isSafe: Bool {
        switch rawValue {
        case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY": true
        default: false
        }
    }

    /// Whether repeating the request has the effect of making it once (RFC 9110 §9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// Whether content in a request of this method has a meaning; a body on GET, HEAD and TRACE is refused
    /// (RFC 9110 §9.3.1, §9.3.2, §9.3.8).
    public var allowsBody: Bool {
        switch rawValue {
        case "GET", "HEAD", "TRACE": false
        default: true
        }
    }

    /// Whether the name is a token (RFC 9110 §9.1).
    package var isValid: Bool { FieldSyntax.isToken(rawValue) }
}

extension HTTPMethod: ExpressibleByStringLiteral {
    /// Creates a method from a literal, as ``init(_:)`` does.
    public init(stringLiteral value: String) { self.init(value) }
}

extension HTTPMethod: CustomStringConvertible, CustomReflectable {
    /// The method as it goes on the wire; of one that is no token, and is never sent, as far as it is one.
    public var description: String {
        guard !isValid else { return rawValue }
        return String(decoding: rawValue.utf8.prefix(while: FieldSyntax.isTokenByte), as: UTF8.self) + "…"
    }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["method": description]) }
}
