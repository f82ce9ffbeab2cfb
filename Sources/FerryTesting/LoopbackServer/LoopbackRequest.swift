public import Ferry
public import Foundation

/// A request as a ``LoopbackServer`` received it.
public struct LoopbackRequest: Sendable {
    /// How the body was delimited (RFC 9112 §6.3).
    public enum Framing: Hashable, Sendable {
        /// No body was announced.
        case none
        /// A Content-Length of that many bytes.
        case contentLength(Int)
        /// `Transfer-Encoding: chunked`.
        case chunked
    }

    /// The method.
    public let method: HTTPMethod
    /// The request-target exactly as sent, such as `/users?page=2`.
    public let target: String
    /// The path of the target, still percent-encoded.
    public let path: String
    /// The query of the target, still percent-encoded and without the question mark; nil where there is none.
    public let query: String?
    /// The header fields in the order and spelling of the wire.
    public let headers: HTTPHeaders
    /// How the body was delimited.
    public let framing: Framing
    /// The whole body without its framing. Empty in a streaming handler, which reads it from the stream.
    public internal(set) var body: Data
    /// The trailer fields of a chunked body (RFC 9112 §7.1.2).
    public internal(set) var trailers: HTTPHeaders
    /// The number of the connection that carried it, from 1 in the order of acceptance.
    public let connection: Int
    /// The number of the request on its connection, from 1.
    public let numberOnConnection: Int
    /// When it was received.
    public let date: Date
    /// What the `{name}` segments of the route's path stand for, percent-decoded.
    public internal(set) var pathParameters: [String: String]

    /// Opens when the client closes the connection or resets it, or the server stops.
    let disconnection: Gate

    init(_ head: RequestHead, connection: Int, number: Int, disconnection: Gate) {
        method = head.method
        target = head.target
        (path, query) = Self.split(head.target)
        headers = head.headers
        framing = head.framing
        body = Data()
        trailers = [:]
        self.connection = connection
        numberOnConnection = number
        date = Date()
        pathParameters = [:]
        self.disconnection = disconnection
    }

    /// Path and query of a request-target; of an absolute URI what follows the authority.
    static func split(_ target: String) -> (path: String, query: String?) {
        var rest = target[...]
        if rest.utf8.first != UInt8(ascii: "/"), let scheme = rest.range(of: "://") {
            rest = rest[scheme.upperBound...]
            rest =
                rest[(rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex)...]
        }
        guard let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            return (rest.isEmpty ? "/" : String(rest), nil)
        }
        let path = rest[..<mark]
        return (path.isEmpty ? "/" : String(path), String(rest[rest.index(after: mark)...]))
    }
}

extension LoopbackRequest {
    /// The name and value pairs of the query, percent-decoded, in order.
    public var queryItems: [URLQueryItem] {
        guard let query, !query.isEmpty else { return [] }
        return query.split(separator: "&", omittingEmptySubsequences: true).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { $0.removingPercentEncoding ?? String($0) }
            return URLQueryItem(name: decoded[0], value: decoded.count > 1 ? decoded[1] : nil)
        }
    }

    /// The body as text; bytes that are no UTF-8 show as U+FFFD.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The body decoded as JSON.
    ///
    /// - Throws: `NetworkError` of kind `decoding`.
    public func json<Value: Decodable>(_ type: Value.Type = Value.self) throws(NetworkError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch {
            throw NetworkError(.decoding, "The request's body is no JSON of \(type)", underlying: error)
        }
    }

    /// Whether the client still holds the connection. A client that ends only its sending direction counts as gone.
    public var isClientConnected: Bool { !disconnection.isOpen }

    /// Waits until the client closes or resets the connection, or the server stops.
    public func waitForDisconnect() async { await disconnection.wait() }
}

extension LoopbackRequest: CustomStringConvertible {
    /// Method and path: header values, query and body may be secret.
    public var description: String { "\(method) \(path)" }
}

extension LoopbackRequest: CustomReflectable {
    /// What the description shows: query, field values and content may be secret, also in a test's log.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}
