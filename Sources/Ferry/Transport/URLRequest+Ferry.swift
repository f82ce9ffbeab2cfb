#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension URLRequest {
    /// The URLRequest that a call makes, with everything but the content of a file or stream.
    ///
    /// Several lines of one field become one, as URLRequest cannot hold more: joined by ", ", those of Cookie by "; "
    /// (RFC 9110 §5.3, RFC 6265 §5.4).
    ///
    /// - Parameter request: A validated request whose body is encoded.
    public init(_ request: HTTPRequest) {
        self.init(url: request.url)
        // It is GET already, and setting it costs more than the rest of a small request.
        if request.method != .get { httpMethod = request.method.rawValue }
        var fields = Self.joined(request.headers)
        if !request.body.isNone, !request.headers.contains("Content-Type") {
            // FoundationNetworking would say that it is a form; what nobody named is bytes (RFC 9110 §8.3).
            fields["Content-Type"] = MediaType.octetStream.description
        }
        // All at once: setting one field looks through all that are there.
        if !fields.isEmpty { allHTTPHeaderFields = fields }
        // The SDK keeps its own jar and its own cache.
        httpShouldHandleCookies = false
        cachePolicy = .reloadIgnoringLocalCacheData
        if case .data(let data) = request.body.content { httpBody = data }
    }

    /// One value a name, under the spelling of its first line. A line that no request may have is left out, as
    /// `setValue` does: here it would reach the wire.
    private static func joined(_ headers: HTTPHeaders) -> [String: String] {
        var fields: [String: String] = [:]
        var spellings: [String: String] = [:]
        for field in headers where FieldSyntax.isToken(field.name) && FieldSyntax.isFieldValue(field.value) {
            // White space around a value is not part of it (RFC 9110 §5.5), and libcurl drops a field of nothing else.
            let value = FieldSyntax.trimmed(field.value)
            let key = HTTPHeaders.key(field.name)
            if let name = spellings[key] {
                fields[name, default: ""] += (key == "cookie" ? "; " : ", ") + value
            } else {
                spellings[key] = field.name
                fields[field.name] = value
            }
        }
        return fields
    }
}
