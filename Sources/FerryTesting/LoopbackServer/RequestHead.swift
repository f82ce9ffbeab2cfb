import Ferry

/// The head of a request as parsed from the wire (RFC 9112 §3).
struct RequestHead: Hashable, Sendable {
    var method: HTTPMethod
    /// The request-target as sent.
    var target: String
    /// The minor version: 0 or 1.
    var minorVersion: Int
    var headers: HTTPHeaders
    var framing: LoopbackRequest.Framing

    /// Whether the client wants the connection kept after the response (RFC 9112 §9.3).
    var wantsKeepAlive: Bool {
        guard let value = headers["Connection"] else { return minorVersion == 1 }
        let options = value.split(separator: ",").map { FieldSyntax.trimmed($0) }
        if options.contains(where: { FieldSyntax.equalIgnoringCase($0, "close") }) { return false }
        return minorVersion == 1 || options.contains { FieldSyntax.equalIgnoringCase($0, "keep-alive") }
    }

    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
    var expectsContinue: Bool {
        guard minorVersion == 1, let value = headers["Expect"] else { return false }
        return FieldSyntax.equalIgnoringCase(value, "100-continue")
    }
}

/// Why a request was refused, and with which status.
struct RequestFailure: Error, Hashable {
    var status: HTTPStatus
    var reason: String

    static func malformed(_ reason: String) -> RequestFailure { RequestFailure(status: 400, reason: reason) }
}
