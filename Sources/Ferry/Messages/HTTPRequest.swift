public import Foundation

/// A request that is ready to be sent (RFC 9110 §6): absolute URL, checked fields, encoded body.
///
/// `RequestBuilder` makes it from a call and the client's configuration; interceptors may change it.
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The absolute URL; its fragment stays with the client and never goes on the wire (RFC 9110 §7.1).
    public var url: URL
    /// The header fields.
    public var headers: HTTPHeaders
    /// The content.
    public var body: RequestBody

    /// Creates a request.
    public init(method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:], body: RequestBody = .none) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

extension HTTPRequest {
    /// Checks what can be known before a byte is sent.
    ///
    /// - Throws: `NetworkError`: `invalidURL` for anything but http and https with a host, `invalidRequest` for a method
    ///   that is no token, is CONNECT or does not allow a body, `invalidHeader` for a malformed or managed field.
    public func validate() throws(NetworkError) {
        guard method.isValid else {
            throw NetworkError(.invalidRequest, "Method \(method.description.debugDescription) is not a token")
        }
        guard method.rawValue != "CONNECT" else {
            throw NetworkError(.invalidRequest, "CONNECT asks a proxy for a tunnel, and has no URL (RFC 9110 §9.3.6)")
        }
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw NetworkError(.invalidURL, "The URL's scheme is not http or https")
        }
        guard let host = url.host(), !host.isEmpty else { throw NetworkError(.invalidURL, "The URL has no host") }
        if let port = url.port, !(1...65535).contains(port) {
            throw NetworkError(.invalidURL, "Port \(port) is not between 1 and 65535")
        }
        try headers.validateForRequest()
        guard body.isNone || method.allowsBody else {
            throw NetworkError(.invalidRequest, "A \(method) request cannot have a body")
        }
    }
}

extension HTTPRequest: CustomStringConvertible {
    /// Method, URL without userinfo, query and fragment, and the kind of body.
    public var description: String { "\(method) \(url.redacted), \(body)" }
}

extension HTTPRequest: CustomReflectable {
    /// What the description shows: the rest may be secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["method": method, "url": url.redacted, "headers": headers, "body": body])
    }
}

extension URL {
    /// Scheme, host, port and path alone: userinfo, query and fragment may hold secrets.
    package var redacted: String {
        var text = scheme.map { "\($0)://" } ?? ""
        let host = host(percentEncoded: true) ?? ""
        // Foundation gives an IPv6 address without its brackets.
        text += host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]" : host
        if let port { text += ":\(port)" }
        return text + path(percentEncoded: true)
    }
}
