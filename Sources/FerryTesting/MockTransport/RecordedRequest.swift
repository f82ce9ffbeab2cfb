public import Ferry
public import Foundation

/// A request that a ``MockTransport`` was asked to send, with its whole body, whatever that was made of.
public struct RecordedRequest: Sendable {
    /// Its number within the transport, from 1.
    public let number: Int
    /// The method.
    public let method: HTTPMethod
    /// The absolute URL.
    public let url: URL
    /// The header fields; Content-Type of the body included.
    public let headers: HTTPHeaders
    /// The bytes of the body: of data, files, forms, multipart forms and streams alike. Empty where there is none.
    public let body: Data
    /// Whether there is a body, be it an empty one.
    public let hasBody: Bool
    /// What the `{name}` segments of the route's path stand for, percent-decoded.
    public internal(set) var pathParameters: [String: String] = [:]
    /// The route that answered; nil where none did.
    public internal(set) var route: MockRoute?

    init(_ request: HTTPRequest, number: Int) {
        self.number = number
        method = request.method
        url = request.url
        var headers = request.headers
        if !headers.contains("Content-Type"), let type = request.body.contentType {
            headers["Content-Type"] = type.description
        }
        self.headers = headers
        body = if case .data(let data) = request.body.content { data } else { Data() }
        hasBody = !request.body.isNone
    }

    /// The path of the URL, still percent-encoded; `/` where it has none.
    public var path: String {
        let path = url.path(percentEncoded: true)
        return path.isEmpty ? "/" : path
    }

    /// The name and value pairs of the query, percent-decoded (a plus is a space), in order.
    public var queryItems: [URLQueryItem] {
        url.query(percentEncoded: true).map { Self.pairs($0) } ?? []
    }

    /// The name and value pairs of a form body (WHATWG URL §5.1); empty where the body is none.
    public var formItems: [URLQueryItem] {
        guard headers["Content-Type"].flatMap({ MediaType($0) })?.essence == MediaType.form.essence else { return [] }
        return Self.pairs(text)
    }

    /// The body as text; bytes that are no UTF-8 show as U+FFFD.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as any JSON.
    ///
    /// - Throws: `NetworkError` of kind `decoding`.
    public var json: JSON { get throws(NetworkError) { try json(JSON.self) } }

    /// The body decoded as JSON.
    ///
    /// - Throws: `NetworkError` of kind `decoding`.
    public func json<Value: Decodable>(_ type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws(NetworkError)
        -> Value
    {
        do {
            return try decoder.decode(type, from: body)
        } catch {
            throw NetworkError(.decoding, "The body of \(self) is no JSON of \(type)", underlying: error)
        }
    }

    static func pairs(_ text: String) -> [URLQueryItem] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { PercentEncoding.decode($0, plusIsSpace: true) }
            return URLQueryItem(name: decoded[0], value: decoded.count > 1 ? decoded[1] : nil)
        }
    }
}

extension RecordedRequest: CustomStringConvertible, CustomReflectable {
    /// Method and URL without userinfo, query and fragment.
    public var description: String { "\(method) \(url.redacted)" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}
