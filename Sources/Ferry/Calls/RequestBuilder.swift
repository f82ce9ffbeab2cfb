package import Foundation

/// Builds the request of a call from what a client sets for all its calls.
package struct RequestBuilder: Sendable {
    package let baseURL: URL?
    /// The base URL in its parts, or why it is none: taken apart once and not for each call.
    private let base: Result<URLParts, NetworkError>?
    package var headers: HTTPHeaders
    package var query: Parameters
    package var encoder: JSONEncoder
    package var parameterStyle: ParameterStyle

    package init(
        baseURL: URL?, headers: HTTPHeaders, query: Parameters, encoder: JSONEncoder, parameterStyle: ParameterStyle
    ) {
        self.baseURL = baseURL
        base = baseURL.map { url in
            do throws(NetworkError) {
                return .success(try URLParts(absolute: url.absoluteString))
            } catch {
                return .failure(error)
            }
        }
        self.headers = headers
        self.query = query
        self.encoder = encoder
        self.parameterStyle = parameterStyle
    }

    /// The request, validated and with its body encoded.
    ///
    /// - Throws: `NetworkError` of kind `invalidURL`, `invalidHeader`, `invalidRequest`, `invalidBody` or `encoding`.
    package func request(for call: NetworkCall) throws(NetworkError) -> HTTPRequest {
        if let defect = call.defect { throw defect }
        var defaults = headers
        let style = call.parameterStyle ?? parameterStyle
        let encoder = ParameterEncoder(style: style)
        var url: URL
        switch call.target {
        case .path(let path):
            guard let base else {
                throw NetworkError(.invalidURL, "The client has no base URL, and the call gives only a path")
            }
            url = try URLAssembler.url(
                base: base.get(), path: path, query: try pairs(query, encoder) + pairs(call.query, encoder))
        case .url(let absolute):
            let isForeign = baseURL.map { Origin($0) != Origin(absolute) } ?? false
            if isForeign { defaults.removeCredentials() }
            let inherited = isForeign || call.omitsDefaultQuery ? [] : try pairs(query, encoder)
            url = try URLAssembler.url(absolute: absolute, query: inherited + pairs(call.query, encoder))
        }
        let fromURL = try takeUserinfo(of: &url)
        if let fromURL { defaults["Authorization"] = fromURL }
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

    private func pairs(_ parameters: Parameters, _ encoder: ParameterEncoder) throws(NetworkError) -> [ParameterPair] {
        parameters.isEmpty ? [] : try encoder.encode(parameters)
    }

    /// Takes the userinfo out of a URL, as the value of an Authorization field (RFC 7617 §2).
    ///
    /// Left to the session it is sent by some platforms and not by others, and on Linux with its escapes undecoded.
    private func takeUserinfo(of url: inout URL) throws(NetworkError) -> String? {
        guard url.absoluteString.utf8.contains(UInt8(ascii: "@")) else { return nil }
        var parts = URIReference(url)
        guard let authority = parts.authority, let at = authority.lastIndex(of: "@") else { return nil }
        let userinfo = authority[..<at]
        parts.authority = String(authority[authority.index(after: at)...])
        guard let bare = URL(string: parts.text, encodingInvalidCharacters: false) else {
            throw NetworkError(.invalidURL, "The URL's userinfo is malformed")
        }
        url = bare
        // The first colon parts user from password, so one inside the user stays escaped until here.
        let pair = userinfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = pair[0].removingPercentEncoding,
            let password = (pair.count > 1 ? pair[1] : "").removingPercentEncoding,
            let field = BasicCredentials.field(user: user, password: password)
        else { throw NetworkError(.invalidURL, "The URL's userinfo is malformed") }
        // `https://@h` names nobody (WHATWG URL §4.4).
        return user.isEmpty && password.isEmpty ? nil : field
    }

    /// Encodes a value, checks a file, and names the content's type unless the call did. A client's default type gives
    /// way: it would contradict a body of another kind, and a multipart body would lose its boundary.
    private func resolveBody(
        of request: inout HTTPRequest, for call: NetworkCall, encoder: JSONEncoder, style: ParameterStyle
    ) throws(NetworkError) {
        request.body = try BodyEncoder(json: encoder, style: style).encode(request.body)
        guard let type = request.body.contentType else { return }
        if case .segments = request.body.content, let given = call.headers["Content-Type"] {
            request.headers["Content-Type"] = try multipartType(type, given: given)
        } else if !call.headers.contains("Content-Type") {
            request.headers["Content-Type"] = type.description
        }
    }

    /// The content type that a call gives a multipart body, with the boundary: without it nobody could read the body.
    private func multipartType(_ type: MediaType, given: String) throws(NetworkError) -> String {
        let boundary = type.parameter("boundary") ?? ""
        guard let parsed = MediaType(given), parsed.type == "multipart",
            parsed.parameter("boundary") ?? boundary == boundary
        else {
            throw NetworkError(
                .invalidHeader, "Content-Type of a multipart body is not a multipart type with the form's boundary")
        }
        let others = parsed.parameters.filter { $0.name != "boundary" }.map { (name: $0.name, value: $0.value) }
        let merged = MediaType(
            type: parsed.type, subtype: parsed.subtype, parameters: others + [(name: "boundary", value: boundary)])
        return (merged ?? type).description
    }
}
