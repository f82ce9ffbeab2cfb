package import Foundation

/// Makes the URL of a request.
///
/// A path is appended below the base, never resolved against it as a link would be (RFC 3986 §5):
///
/// | base | path | URL |
/// |---|---|---|
/// | `https://h/v1` | `users` or `/users` | `https://h/v1/users` |
/// | `https://h/v1/` | `/users/` | `https://h/v1/users/` |
/// | `https://h/v1?k=1` | `/users?p=2` | `https://h/v1/users?k=1&p=2` |
/// | `https://h/v1` | (empty) | `https://h/v1` |
///
/// Nothing is encoded twice: escapes stay as they are, a character that may not stand in a URL becomes an escape, and so
/// does a "%" that starts none. Dot segments are resolved, because clients and proxies on the way do so anyway; one
/// that leads above the base is refused. Control characters are refused.
package enum URLAssembler {
    /// The URL of a path below a base.
    ///
    /// - Parameters:
    ///   - base: An absolute http or https URL. Its query is kept, before the path's and the parameters; so is its
    ///     fragment, unless the path has one.
    ///   - path: A path, with or without leading slash, with its own query and fragment if it likes.
    ///   - query: Parameters to add after both queries.
    /// - Throws: `NetworkError` of kind `invalidURL`: a base that is not absolute, not http or https or has no valid host
    ///   and port; a path that starts with a scheme or two slashes, leads above the base or has control characters.
    package static func url(
        base: URL, path: String, query: [ParameterPair] = []
    ) throws(NetworkError) -> URL {
        try url(base: URLParts(absolute: base.absoluteString), path: path, query: query)
    }

    /// The URL of a path below a base that is taken apart already.
    static func url(base: URLParts, path: String, query: [ParameterPair]) throws(NetworkError) -> URL {
        var parts = base
        try append(path: path, to: &parts)
        parts.append(query: QuerySerializer.string(from: query).utf8)
        return try parts.url()
    }

    /// An absolute URL with parameters added to its query.
    ///
    /// - Throws: `NetworkError` of kind `invalidURL` for anything but an http or https URL with a valid host and port.
    package static func url(absolute text: String, query: [ParameterPair] = []) throws(NetworkError) -> URL {
        var parts = try URLParts(absolute: text)
        parts.append(query: QuerySerializer.string(from: query).utf8)
        return try parts.url()
    }

    /// An absolute URL with parameters added to its query; as ``url(absolute:query:)-(String,_)``.
    package static func url(absolute url: URL, query: [ParameterPair] = []) throws(NetworkError) -> URL {
        try self.url(absolute: url.absoluteString, query: query)
    }

    /// What a request line names (RFC 9112 §3.2.1): path and query, "/" for an empty path, never the fragment.
    package static func requestTarget(of url: URL) -> String {
        let path = url.path(percentEncoded: true)
        let query = url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        return (path.isEmpty ? "/" : path) + query
    }

    private static func append(path text: String, to parts: inout URLParts) throws(NetworkError) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { return }
        try URLParts.refuseControls(bytes)
        let reference = URIReference(text)
        try refuseOtherHosts(bytes, reference)
        let path = Array(reference.path.utf8)
        if !path.isEmpty {
            let slash = UInt8(ascii: "/")
            let (below, climbs) = DotSegment.remove(from: path.first == slash ? path : [slash] + path)
            guard !climbs else { throw NetworkError(.invalidURL, "The path leads above the base URL") }
            while parts.path.last == slash { parts.path.removeLast() }
            parts.path += below
        }
        if let query = reference.query {
            if parts.query == nil { parts.query = [] }
            parts.append(query: query.utf8)
        }
        if let fragment = reference.fragment { parts.fragment = Array(fragment.utf8) }
    }

    /// Refuses what a resolver would take for another host: `https:…`, `//host`, and the same with backslashes, which
    /// WHATWG URL §4.4 reads as slashes.
    private static func refuseOtherHosts(_ bytes: [UInt8], _ reference: URIReference) throws(NetworkError) {
        guard reference.scheme == nil else {
            throw NetworkError(
                .invalidURL,
                "The path starts with a scheme; give an absolute URL as such, or start a path that has a colon with /")
        }
        let lead = bytes.prefix { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        guard lead.count < 2 else {
            throw NetworkError(.invalidURL, "The path starts with two slashes; give an absolute URL as such")
        }
    }
}
