public import Foundation

/// A response (RFC 9110 §6): its head, its body in one of two deliveries, and how it came about.
public struct HTTPResponse: Sendable {
    /// Status and fields, without content.
    public struct Head: Sendable {
        /// The status.
        public var status: HTTPStatus
        /// The header fields, as fully as the transport sees them.
        public var headers: HTTPHeaders
        /// The URL that answered, after redirects.
        public var url: URL
        /// The fields behind a buffered body (RFC 9110 §6.5), as far as the transport shows them: `CurlTransport` does. Those of
        /// a stream are in ``ByteStream/trailers``.
        public var trailers: HTTPHeaders = [:]

        /// Creates a head.
        public init(status: HTTPStatus, headers: HTTPHeaders = [:], url: URL) {
            self.status = status
            self.headers = headers
            self.url = url
        }

        /// The parsed Content-Type, or nil where it is absent or malformed. Of several, which no server should send, the last
        /// that is well-formed counts (RFC 9110 §8.3).
        public var contentType: MediaType? { headers["Content-Type"].flatMap { MediaType(lastOf: $0) } }
    }

    /// The content, whole or as it comes.
    public enum Body: Sendable {
        /// All bytes.
        case data(Data)
        /// Bytes as they arrive; can be read once.
        case stream(ByteStream)
    }

    /// Where a response came from.
    public enum Source: Hashable, Sendable {
        /// The network.
        case network
        /// A mock: nothing was sent.
        case mock
        /// The cache, with a response that is fresh: nothing was sent.
        case cacheFresh
        /// The cache, after the server confirmed what is stored (RFC 9111 §4.3).
        case cacheValidated
        /// The cache, with a response that is stale, because that was allowed or asked for.
        case cacheStale

        /// Whether the cache answered.
        public var isCache: Bool { self == .cacheFresh || self == .cacheValidated || self == .cacheStale }
    }

    /// Status and fields.
    public var head: Head
    /// The content.
    public var body: Body
    /// Where it came from.
    public var source: Source
    /// How old a response from the cache is (RFC 9111 §4.2.3); nil where it comes from elsewhere.
    public var age: Duration?
    /// The redirects that were followed, in order.
    public var redirects: [Redirect]

    /// Creates a response.
    public init(
        head: Head, body: Body = .data(Data()), source: Source = .network, age: Duration? = nil,
        redirects: [Redirect] = []
    ) {
        self.age = age
        self.head = head
        self.body = body
        self.source = source
        self.redirects = redirects
    }

    /// The status.
    public var status: HTTPStatus { head.status }
    /// The header fields.
    public var headers: HTTPHeaders { head.headers }

    /// All bytes of the body, reading a stream to its end.
    ///
    /// - Parameter limit: Most bytes to take; more is an error. Default: no limit.
    /// - Throws: What the stream throws, or `NetworkError` of kind `bodyTooLarge`.
    public func data(limit: Int = .max) async throws(NetworkError) -> Data {
        switch body {
        case .data(let data): return data
        case .stream(let stream): return try await stream.collect(limit: limit)
        }
    }
}

/// One redirect that was followed (RFC 9110 §15.4).
public struct Redirect: Hashable, Sendable {
    /// The status that redirected.
    public let status: HTTPStatus
    /// The URL that answered with it.
    public let source: URL
    /// The URL that was requested next.
    public let target: URL
    /// The method of the next request.
    public let method: HTTPMethod

    /// Creates a record of one redirect.
    public init(status: HTTPStatus, source: URL, target: URL, method: HTTPMethod) {
        self.status = status
        self.source = source
        self.target = target
        self.method = method
    }
}

extension Redirect: CustomStringConvertible, CustomReflectable {
    /// Status and both URLs without userinfo, query and fragment.
    public var description: String { "\(status.code) \(source.redacted) -> \(method) \(target.redacted)" }

    /// What the description shows: the rest may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["redirect": description]) }
}

extension HTTPResponse.Head: CustomStringConvertible, CustomReflectable {
    /// Status and the names of the fields: values may be secret.
    public var description: String { "\(status) \(headers)" }

    /// What the description shows: the rest may be secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["status": status, "headers": headers, "url": url.redacted])
    }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// The head, and the size of the content where it is known.
    public var description: String { "\(head), \(body)" }

    /// What the description shows: the rest may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}

extension HTTPResponse.Body: CustomStringConvertible, CustomReflectable {
    /// The size where it is known: the content may be secret.
    public var description: String {
        switch self {
        case .data(let data): "\(data.count) bytes"
        case .stream: "a stream"
        }
    }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}
