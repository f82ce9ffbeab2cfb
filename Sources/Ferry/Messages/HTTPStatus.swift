/// A response status code (RFC 9110 §15).
///
/// An open set: any number is representable, the registered ones have names.
public struct HTTPStatus: Hashable, Sendable {
    /// The code, normally 100 to 599.
    public let code: Int

    /// Creates a status from its code.
    public init(_ code: Int) { self.code = code }

    /// The class of a status, its first digit (RFC 9110 §15).
    public enum Category: String, Hashable, Sendable, CaseIterable {
        /// 1xx: the request was received, more follows.
        case informational
        /// 2xx: the request was received, understood and accepted.
        case success
        /// 3xx: further action is needed.
        case redirection
        /// 4xx: the request is at fault.
        case clientError
        /// 5xx: the server is at fault.
        case serverError
        /// Outside 100 to 599.
        case other
    }

    /// The class of the status.
    public var category: Category {
        switch code {
        case 100..<200: .informational
        case 200..<300: .success
        case 300..<400: .redirection
        case 400..<500: .clientError
        case 500..<600: .serverError
        default: .other
        }
    }

    /// Whether the code is 200 to 299.
    public var isSuccess: Bool { category == .success }

    /// Whether a response of this status never has content (RFC 9110 §6.4.1): 1xx, 204, 304.
    package var forbidsBody: Bool { category == .informational || code == 204 || code == 304 }

    /// The registered reason phrase, or the empty string for an unregistered code (RFC 9110 §15).
    public var reasonPhrase: String { Self.reasonPhrases[code] ?? "" }

    private static let reasonPhrases: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
        205: "Reset Content", 206: "Partial Content", 207: "Multi-Status", 208: "Already Reported", 226: "IM Used",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        305: "Use Proxy", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed",
        413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
        417: "Expectation Failed", 418: "I'm a teapot", 421: "Misdirected Request", 422: "Unprocessable Content",
        423: "Locked", 424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required",
        428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
        451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 506: "Variant Also Negotiates",
        507: "Insufficient Storage", 508: "Loop Detected", 511: "Network Authentication Required",
    ]
}

extension HTTPStatus {
    /// 200 OK.
    public static let ok = HTTPStatus(200)
    /// 201 Created.
    public static let created = HTTPStatus(201)
    /// 202 Accepted.
    public static let accepted = HTTPStatus(202)
    /// 204 No Content.
    public static let noContent = HTTPStatus(204)
    /// 205 Reset Content.
    public static let resetContent = HTTPStatus(205)
    /// 206 Partial Content.
    public static let partialContent = HTTPStatus(206)
    /// 301 Moved Permanently.
    public static let movedPermanently = HTTPStatus(301)
    /// 302 Found.
    public static let found = HTTPStatus(302)
    /// 303 See Other.
    public static let seeOther = HTTPStatus(303)
    /// 304 Not Modified.
    public static let notModified = HTTPStatus(304)
    /// 307 Temporary Redirect.
    public static let temporaryRedirect = HTTPStatus(307)
    /// 308 Permanent Redirect.
    public static let permanentRedirect = HTTPStatus(308)
    /// 400 Bad Request.
    public static let badRequest = HTTPStatus(400)
    /// 401 Unauthorized.
    public static let unauthorized = HTTPStatus(401)
    /// 403 Forbidden.
    public static let forbidden = HTTPStatus(403)
    /// 404 Not Found.
    public static let notFound = HTTPStatus(404)
    /// 408 Request Timeout.
    public static let requestTimeout = HTTPStatus(408)
    /// 409 Conflict.
    public static let conflict = HTTPStatus(409)
    /// 412 Precondition Failed.
    public static let preconditionFailed = HTTPStatus(412)
    /// 416 Range Not Satisfiable.
    public static let rangeNotSatisfiable = HTTPStatus(416)
    /// 422 Unprocessable Content.
    public static let unprocessableContent = HTTPStatus(422)
    /// 425 Too Early.
    public static let tooEarly = HTTPStatus(425)
    /// 429 Too Many Requests.
    public static let tooManyRequests = HTTPStatus(429)
    /// 500 Internal Server Error.
    public static let internalServerError = HTTPStatus(500)
    /// 502 Bad Gateway.
    public static let badGateway = HTTPStatus(502)
    /// 503 Service Unavailable.
    public static let serviceUnavailable = HTTPStatus(503)
    /// 504 Gateway Timeout.
    public static let gatewayTimeout = HTTPStatus(504)
}

extension HTTPStatus: ExpressibleByIntegerLiteral {
    /// Creates a status from its code.
    public init(integerLiteral value: Int) { self.init(value) }
}

extension HTTPStatus: Comparable {
    /// Orders by code.
    public static func < (lhs: HTTPStatus, rhs: HTTPStatus) -> Bool { lhs.code < rhs.code }
}

extension HTTPStatus: CustomStringConvertible {
    /// The code and its reason phrase: `404 Not Found`.
    public var description: String { reasonPhrase.isEmpty ? "\(code)" : "\(code) \(reasonPhrase)" }
}
