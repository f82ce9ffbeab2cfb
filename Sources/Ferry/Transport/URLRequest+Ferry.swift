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
        httpMethod = request.method.rawValue
        for field in request.headers where value(forHTTPHeaderField: field.name) == nil {
            let separator = FieldSyntax.equalIgnoringCase(field.name, "Cookie") ? "; " : ", "
            // White space around a value is not part of it (RFC 9110 §5.5), and libcurl drops a field of nothing else.
            let value = request.headers.values(of: field.name).map { FieldSyntax.trimmed($0) }
            setValue(value.joined(separator: separator), forHTTPHeaderField: field.name)
        }
        if !request.body.isNone, value(forHTTPHeaderField: "Content-Type") == nil {
            // FoundationNetworking would say that it is a form; what nobody named is bytes (RFC 9110 §8.3).
            setValue(MediaType.octetStream.description, forHTTPHeaderField: "Content-Type")
        }
        // The SDK keeps its own jar and its own cache.
        httpShouldHandleCookies = false
        cachePolicy = .reloadIgnoringLocalCacheData
        if case .data(let data) = request.body.content { httpBody = data }
    }
}
