extension HTTPHeaders {
    /// Checks every name and value byte by byte (RFC 9110 §5.1, §5.5).
    ///
    /// - Throws: `NetworkError` of kind `invalidHeader`, naming the field and never its value.
    public func validate() throws(NetworkError) {
        for field in fields {
            guard FieldSyntax.isToken(field.name) else {
                throw NetworkError(.invalidHeader, "Header name \(Self.shown(field.name)) is not a token")
            }
            guard FieldSyntax.isFieldValue(field.value) else {
                throw NetworkError(
                    .invalidHeader,
                    "The value of header \(field.name) has a control character")
            }
        }
    }

    /// Fields that framing and routing own; a value given by a user could smuggle a request (RFC 9112 §11.2).
    private static let managedNames = ["Content-Length", "Transfer-Encoding", "Host", "Connection", "Upgrade", "TE"]

    /// Checks the fields of a request: as `validate`, and that none belongs to the transport.
    ///
    /// - Throws: `NetworkError` of kind `invalidHeader`.
    package func validateForRequest() throws(NetworkError) {
        try validate()
        for name in Self.managedNames where contains(name) {
            throw NetworkError(.invalidHeader, "Header \(name) is set by the transport and cannot be given")
        }
    }

    /// A malformed name as far as it is a token: what follows may be a value (`Authorization: Bearer …`).
    private static func shown(_ name: String) -> String {
        let token = String(decoding: name.utf8.prefix(while: FieldSyntax.isTokenByte), as: UTF8.self)
        return token.utf8.count == name.utf8.count ? "\"\"" : "\"\(token)…\""
    }
}

extension HTTPHeaders {
    /// Names of fields that hold credentials for one origin: they go to no other one, neither as a client's defaults nor
    /// with a redirect (RFC 9110 §15.4, step 3).
    ///
    /// Those of the standards (Cookie2 is obsolete, RFC 6265 §9.4, and as secret as Cookie), and the usual names of API
    /// keys and tokens, which no standard has.
    package static let credentialNames = [
        "Authorization", "Cookie", "Cookie2", "Proxy-Authorization",
        "X-API-Key", "Api-Key", "X-Goog-Api-Key", "Ocp-Apim-Subscription-Key",
        "X-Auth-Token", "X-Access-Token", "Private-Token", "X-Vault-Token", "X-Amz-Security-Token", "X-CSRF-Token",
    ]

    /// Removes the fields that hold credentials.
    ///
    /// - Parameter others: Further names to remove.
    package mutating func removeCredentials(and others: [String] = []) {
        for name in Self.credentialNames + others { remove(name) }
    }
}
