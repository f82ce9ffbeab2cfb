import Foundation

/// An absolute http or https URL in its parts, checked and repaired byte by byte.
///
/// ```
/// https://user@host:8080/path/a%2Fb?query#fragment
/// scheme  authority     path       query fragment      (RFC 3986 §3; query and fragment nil where absent)
/// ```
///
/// By hand because Foundation's parser, given one illegal character, escapes the whole component again, so that `%C3`
/// becomes `%25C3`.
struct URLParts {
    var scheme: String
    /// Userinfo, host and port, the host in lower case and ASCII.
    var authority: String
    /// Empty, or starting with "/".
    var path: [UInt8]
    var query: [UInt8]?
    var fragment: [UInt8]?

    /// Reads an absolute URL.
    ///
    /// Scheme and host become lower case (RFC 3986 §6.2.2.1), an international host its ASCII form (RFC 5891), dot
    /// segments are resolved (§6.2.2.3), characters that may not stand where they are become escapes; escapes, empty
    /// segments and the trailing slash are kept.
    ///
    /// - Throws: `NetworkError` of kind `invalidURL`.
    init(absolute text: String) throws(NetworkError) {
        let bytes = Array(text.utf8)
        try Self.refuseControls(bytes)
        guard bytes.first != 0x20, bytes.last != 0x20 else {
            throw NetworkError(.invalidURL, "The URL has a space at its start or end")
        }
        let reference = URIReference(text)
        guard let scheme = reference.scheme?.lowercased() else {
            throw NetworkError(.invalidURL, "The URL has no scheme")
        }
        guard scheme == "http" || scheme == "https" else {
            throw NetworkError(.invalidURL, "The URL's scheme is not http or https")
        }
        guard let authority = reference.authority else { throw NetworkError(.invalidURL, "The URL has no host") }
        self.scheme = scheme
        self.authority = try Authority(authority).text
        path = DotSegment.remove(from: Array(reference.path.utf8)).path
        query = reference.query.map { Array($0.utf8) }
        fragment = reference.fragment.map { Array($0.utf8) }
    }

    /// Control characters have no place in a URL; CR and LF would forge a request line.
    static func refuseControls(_ bytes: [UInt8]) throws(NetworkError) {
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw NetworkError(.invalidURL, "The URL or path has a control character")
        }
    }

    /// Adds to the query, after what is there.
    mutating func append(query addition: some Collection<UInt8>) {
        guard !addition.isEmpty else { return }
        var joined = query ?? []
        if let last = joined.last, last != UInt8(ascii: "&") { joined.append(UInt8(ascii: "&")) }
        query = joined + addition
    }

    /// The URL.
    ///
    /// - Throws: `NetworkError` of kind `invalidURL` where Foundation reads the text differently.
    func url() throws(NetworkError) -> URL {
        var text = scheme + "://" + authority + String(decoding: path, as: UTF8.self)
        if let query { text += "?" + String(decoding: query, as: UTF8.self) }
        if let fragment { text += "#" + String(decoding: fragment, as: UTF8.self) }
        guard let url = URL(string: text, encodingInvalidCharacters: false), url.absoluteString == text else {
            throw NetworkError(.invalidURL, "The URL is malformed")
        }
        return url
    }
}
