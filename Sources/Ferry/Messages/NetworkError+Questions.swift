public import Foundation

extension NetworkError {
    /// Whether the status is 400.
    public var isBadRequest: Bool { status == .badRequest }
    /// Whether the status is 401.
    public var isUnauthorized: Bool { status == .unauthorized }
    /// Whether the status is 403.
    public var isForbidden: Bool { status == .forbidden }
    /// Whether the status is 404.
    public var isNotFound: Bool { status == .notFound }
    /// Whether the status is 409.
    public var isConflict: Bool { status == .conflict }
    /// Whether the status is 422: the content was understood and is not valid.
    public var isValidationProblem: Bool { status == .unprocessableContent }
    /// Whether the status is 429.
    public var isRateLimited: Bool { status == .tooManyRequests }
    /// Whether the device has no network.
    public var isOffline: Bool { kind == .offline }
    /// Whether a time-out of the SDK or the server (408, 504) ended the call.
    public var isTimeout: Bool { kind == .timeout || status == .requestTimeout || status == .gatewayTimeout }
    /// Whether the call was cancelled.
    public var isCancelled: Bool { kind == .cancelled }

    /// Whether the failure may pass by itself, so that the same call can succeed later.
    ///
    /// True for lost or refused connections, unresolved hosts, being offline, time-outs, and the statuses 408, 425,
    /// 429, 500, 502, 503 and 504. It says nothing about whether repeating the request is safe: that depends on its
    /// method (RFC 9110 §9.2.2).
    public var isRetryable: Bool {
        if let status, kind == .client || kind == .server || kind == .authentication || kind == .status {
            switch status.code {
            case 408, 425, 429, 500, 502, 503, 504: return true
            default: return false
            }
        }
        switch kind {
        case .cannotConnect, .cannotFindHost, .connectionLost, .offline, .timeout: return true
        default: return false
        }
    }

    /// Decodes the response's content.
    ///
    /// - Parameters:
    ///   - type: What to decode; inferred where possible.
    ///   - decoder: Default: the decoder of the client that made the call.
    /// - Throws: `NetworkError` of kind `emptyBody` where there is no content, of kind `decoding` where it does not
    ///   fit or was cut at ``bodyLimit``.
    public func decode<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) throws(NetworkError) -> Value {
        guard let body, !body.isEmpty else {
            throw NetworkError(.emptyBody, "The error response has no content").with { $0.response = response }
        }
        do {
            return try (decoder ?? details.decoder ?? JSONDecoder()).decode(type, from: body)
        } catch {
            throw NetworkError.decoding(type, error).with {
                $0.response = response
                $0.body = body
                $0.isBodyTruncated = isBodyTruncated
                if isBodyTruncated { $0.message += " (the content was cut)" }
            }
        }
    }
}
