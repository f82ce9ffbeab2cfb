import Foundation

/// A credential that never changes: bearer, basic, or an API key.
struct FixedCredential: CredentialSource {
    /// Where the credential is written.
    enum Form: Sendable {
        case header(HTTPHeaders.Field)
        case query(name: String, pair: String)
    }

    /// Made once; a malformed credential fails every call, for configurations do not throw.
    private let form: Result<Form, NetworkError>

    init(_ make: () throws(NetworkError) -> Form) { form = Result(catching: make) }

    func send(
        _ request: HTTPRequest, context: CallContext, next: Next, owner: () -> (any AnyObject & Sendable)?
    ) async throws(NetworkError) -> HTTPResponse {
        try await next(try authorized(request), inPlaceOf: request)
    }

    func preview(_ request: inout HTTPRequest) {
        if let authorized = try? authorized(request) { request = authorized }
    }

    private func authorized(_ request: HTTPRequest) throws(NetworkError) -> HTTPRequest {
        var sent = request
        switch try form.get() {
        case .header(let field):
            guard !request.headers.contains(field.name) else { break }
            sent.headers.append(field.name, field.value)
        case .query(let name, let pair):
            var reference = URIReference(request.url)
            guard !Self.names(in: reference.query).contains(name) else { break }
            let query = reference.query.flatMap { $0.isEmpty ? nil : $0 + "&" } ?? ""
            reference.query = query + pair
            guard let url = URL(string: reference.text) else {
                throw NetworkError(.invalidURL, "The API key cannot be added to the URL")
            }
            sent.url = url
        }
        return sent
    }

    /// The decoded names of a query's parameters.
    private static func names(in query: String?) -> [String] {
        (query ?? "").split(separator: "&").map { pair in
            let name = String(pair.prefix { $0 != "=" })
            return name.removingPercentEncoding ?? name
        }
    }
}

extension FixedCredential.Form {
    static func bearer(_ token: String) throws(NetworkError) -> Self {
        // RFC 6750 §2.1 allows token68 alone; servers issue tokens with "|" and ":" too, which do no harm in a field.
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw NetworkError(.invalidHeader, "The bearer token is empty or not printable ASCII")
        }
        return .header(HTTPHeaders.Field(name: "Authorization", value: "Bearer " + token))
    }

    static func basic(user: String, password: String) throws(NetworkError) -> Self {
        guard let value = BasicCredentials.field(user: user, password: password) else {
            throw NetworkError(
                .invalidHeader, "A user name with a colon, or control characters, cannot be sent (RFC 7617 §2)")
        }
        return .header(HTTPHeaders.Field(name: "Authorization", value: value))
    }

    static func field(_ name: String, _ value: String) throws(NetworkError) -> Self {
        guard !value.isEmpty else { throw NetworkError(.invalidHeader, "The API key is empty") }
        try HTTPRequest.checkCredentialField(name, value)
        return .header(HTTPHeaders.Field(name: name, value: value))
    }

    static func query(_ name: String, _ value: String) -> Self {
        .query(name: name, pair: escaped(name) + "=" + escaped(value))
    }

    /// Escapes everything but the unreserved bytes (RFC 3986 §2.3).
    private static func escaped(_ text: String) -> String {
        var allowed = CharacterSet(charactersIn: "a"..."z")
        allowed.insert(charactersIn: "A"..."Z")
        allowed.insert(charactersIn: "0"..."9")
        allowed.insert(charactersIn: "-._~")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}

extension HTTPRequest {
    /// Checks a field as `validate` does.
    fileprivate static func checkCredentialField(_ name: String, _ value: String) throws(NetworkError) {
        guard let url = URL(string: "https://localhost") else { return }
        try HTTPRequest(url: url, headers: HTTPHeaders([HTTPHeaders.Field(name: name, value: value)])).validate()
    }
}

/// A credential that a closure applies.
struct CustomCredential: CredentialSource {
    let apply: @Sendable (inout HTTPRequest) throws(NetworkError) -> Void

    func send(
        _ request: HTTPRequest, context: CallContext, next: Next, owner: () -> (any AnyObject & Sendable)?
    ) async throws(NetworkError) -> HTTPResponse {
        try await next(try authorized(request), inPlaceOf: request)
    }

    func preview(_ request: inout HTTPRequest) {
        if let authorized = try? authorized(request) { request = authorized }
    }

    private func authorized(_ request: HTTPRequest) throws(NetworkError) -> HTTPRequest {
        guard !request.headers.contains("Authorization") else { return request }
        var sent = request
        try apply(&sent)
        try sent.checkAuthorized(from: request)
        return sent
    }
}

extension HTTPRequest {
    /// Checks a request that code of the user changed.
    func checkAuthorized(from original: HTTPRequest) throws(NetworkError) {
        guard Origin(url) == Origin(original.url) else {
            throw NetworkError(.invalidRequest, "A credential cannot lead the request to another origin")
        }
        try validate()
    }
}
