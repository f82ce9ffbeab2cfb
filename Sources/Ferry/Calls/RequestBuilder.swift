package import Foundation

/// Builds the request of a call from what a client sets for all its calls.
package struct RequestBuilder: Sendable {
    package var baseURL: URL?
    package var headers: HTTPHeaders
    package var query: Parameters
    package var encoder: JSONEncoder
    package var parameterStyle: ParameterStyle

    package init(
        baseURL: URL?, headers: HTTPHeaders, query: Parameters, encoder: JSONEncoder, parameterStyle: ParameterStyle
    ) {
        self.baseURL = baseURL
        self.headers = headers
        self.query = query
        self.encoder = encoder
        self.parameterStyle = parameterStyle
    }

    /// The request, validated and with its body encoded.
    ///
    /// - Throws: `NetworkError` of kind `invalidURL`, `invalidHeader`, `invalidRequest`, `invalidBody` or `encoding`.
    package func request(for call: NetworkCall) throws(NetworkError) -> HTTPRequest {
        var defaults = headers
        let style = call.parameterStyle ?? parameterStyle
        let encoder = ParameterEncoder(style: style)
        let url: URL
        switch call.target {
        case .path(let path):
            guard let baseURL else {
                throw NetworkError(.invalidURL, "The client has no base URL, and the call gives only a path")
            }
            url = try URLAssembler.url(
                base: baseURL, path: path, query: try encoder.encode(query) + encoder.encode(call.query))
        case .url(let absolute):
            let isForeign = baseURL.map { Origin($0) != Origin(absolute) } ?? false
            if isForeign { defaults.removeCredentials() }
            let inherited = isForeign || call.omitsDefaultQuery ? [] : try encoder.encode(query)
            url = try URLAssembler.url(absolute: absolute, query: inherited + encoder.encode(call.query))
        }
        var request = HTTPRequest(method: call.method, url: url, headers: defaults, body: call.body)
        request.headers.merge(call.headers)
        do throws(NetworkError) {
            try request.validate()
            try call.responseKeyPath?.validate()
            try resolveBody(of: &request, for: call, encoder: call.encoder ?? self.encoder, style: style)
            return request
        } catch {
            throw error.describing(request)
        }
    }

    /// Encodes a value, checks a file, and names the content's type unless the call did. A client's default type gives
    /// way: it would contradict a body of another kind, and a multipart body would lose its boundary.
    private func resolveBody(
        of request: inout HTTPRequest, for call: NetworkCall, encoder: JSONEncoder, style: ParameterStyle
    ) throws(NetworkError) {
        request.body = try BodyEncoder(json: encoder, style: style).encode(request.body)
        if let type = request.body.contentType, !call.headers.contains("Content-Type") {
            request.headers["Content-Type"] = type.description
        }
    }
}
