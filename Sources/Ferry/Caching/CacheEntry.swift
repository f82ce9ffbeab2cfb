public import Foundation

/// A stored response.
public struct CacheEntry: Hashable, Sendable {
    /// All but the content.
    public struct Head: Hashable, Sendable {
        /// The URL, without userinfo and fragment.
        public let url: URL
        /// Under which the responses of the URL are stored.
        public let key: CacheKey
        /// Which of the URL's responses it is.
        public let variance: CacheVariance
        /// The status.
        public let status: HTTPStatus
        /// The header fields that are stored (RFC 9111 §3.1).
        public let headers: HTTPHeaders
        /// When the request was made that brought or last validated it.
        public let requestDate: Date
        /// When the response came that brought or last validated it.
        public let responseDate: Date
        /// Bytes of the content.
        public let byteCount: Int
        /// Cache-Control, read once: a hit needs it several times.
        package let control: CacheControl

        package init(
            url: URL, key: CacheKey, variance: CacheVariance, status: HTTPStatus, headers: HTTPHeaders,
            requestDate: Date, responseDate: Date, byteCount: Int
        ) {
            self.url = url
            self.key = key
            self.variance = variance
            self.status = status
            self.headers = headers
            control = CacheControl(headers)
            self.requestDate = requestDate
            self.responseDate = responseDate
            self.byteCount = byteCount
        }

        /// Tells it from the other responses of its URL: 32 hexadecimal digits.
        public var id: String { variance.id }
    }

    /// All but the content.
    public let head: Head
    /// The content.
    public let body: Data

    package init(head: Head, body: Data) {
        self.head = head
        self.body = body
    }
}

/// What the responses of a URL are stored under: a digest of the URL without its fragment, normalised as RFC 9110 §4.2.3
/// has it: the case of scheme and host, the default port and an empty path make no difference.
public struct CacheKey: Hashable, Sendable {
    /// 64 hexadecimal digits.
    public let digest: String

    /// The key of a URL.
    public init(_ url: URL) {
        let reference = URIReference(url)
        guard let origin = Origin(reference), let authority = reference.authority else {
            digest = KeyDigest.hex(url.absoluteString)
            return
        }
        let user = authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { String(authority[...$0]) } ?? ""
        var text = "\(origin.scheme)://\(user)\(origin.host):\(origin.port)"
        text += reference.path.isEmpty ? "/" : reference.path
        if let query = reference.query { text += "?\(query)" }
        digest = KeyDigest.hex(text)
    }

    package init(digest: String) { self.digest = digest }
}

extension CacheEntry.Head {
    /// The place of a stored response in the order of recency (RFC 9111 §4): by its Date, then by its receipt.
    private var recency: (Date, Date) {
        let date = headers.values(of: "Date").first.flatMap { HTTPDate.parse($0, now: responseDate) }
        return (date ?? responseDate, responseDate)
    }

    /// The stored response that answers a request (§4.1): the most recent one that matches, and before those without
    /// Vary one with it, for some servers leave it out of their default response.
    package static func select(_ heads: [CacheEntry.Head], for request: VaryingRequest) -> CacheEntry.Head? {
        let matching = heads.filter { $0.variance.matches(request) }
        guard matching.count > 1 else { return matching.first }
        return matching.max { lhs, rhs in
            if lhs.variance.fields.isEmpty != rhs.variance.fields.isEmpty { return lhs.variance.fields.isEmpty }
            return lhs.recency < rhs.recency
        }
    }
}

extension CacheEntry: CustomStringConvertible, CustomReflectable {
    /// Status, size and URL without its query.
    public var description: String { "\(head.status), \(body.count) bytes of \(head.url.redacted)" }

    /// What the description shows: the rest may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["entry": description]) }
}

extension CacheEntry.Head: CustomStringConvertible, CustomReflectable {
    /// Status, size and URL without its query.
    public var description: String { "\(status), \(byteCount) bytes of \(url.redacted)" }

    /// What the description shows: the rest may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["head": description]) }
}
