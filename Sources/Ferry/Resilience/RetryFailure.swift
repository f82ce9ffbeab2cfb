/// A failed attempt, as a retry policy sees it.
public struct RetryFailure: Sendable {
    /// Which retry of the call would follow, from 1.
    public let retry: Int
    /// The request that failed.
    public let request: HTTPRequest
    /// What went wrong; for a status of 400 and above an error of kind `authentication`, `client` or `server` with the
    /// response's head and without its content.
    public let error: NetworkError
    /// How long the server asks to wait (RFC 9110 §10.2.3); nil where it asks nothing, or nothing well-formed.
    public let retryAfter: Duration?
    /// Time since the call began.
    public let elapsed: Duration

    /// The status, where a response came.
    public var status: HTTPStatus? { error.status }

    package init(
        retry: Int, request: HTTPRequest, error: NetworkError, retryAfter: Duration? = nil, elapsed: Duration = .zero
    ) {
        self.retry = retry
        self.request = request
        self.error = error
        self.retryAfter = retryAfter
        self.elapsed = elapsed
    }

    /// Whether repeating the request cannot take effect twice (RFC 9110 §9.2.2).
    ///
    /// True for an idempotent method, for a request with an `Idempotency-Key`, and where the first one was certainly
    /// not applied: nothing was sent, for the host was not found or the connection could not be made, or the server
    /// refused to process it yet (425, RFC 8470 §5.2).
    public var isSafeToRepeat: Bool {
        if request.method.isIdempotent || request.headers.contains(IdempotencyKey.field) { return true }
        return switch error.kind {
        case .cannotConnect, .cannotFindHost: true
        default: status == .tooEarly
        }
    }

    /// Whether trying again is thinkable at all: a cancelled call and one whose time is up are over.
    var mayBeRetried: Bool { error.kind != .cancelled && error.timeout != .total }

    /// Whether a table has the failure. An error that was thrown goes by its kind, also where it carries a head.
    func isListed(statuses: Set<HTTPStatus>, failures: Set<NetworkError.Kind>) -> Bool {
        if let status, Self.kind(of: status) == error.kind { return statuses.contains(status) }
        return failures.contains(error.kind)
    }

    /// The kind of a status that failed.
    private static func kind(of status: HTTPStatus) -> NetworkError.Kind {
        switch status.category {
        case .serverError: .server
        case .clientError: status == .unauthorized || status == .forbidden ? .authentication : .client
        default: .status
        }
    }

    /// The error of a response, without its content.
    static func error(of response: HTTPResponse, to request: HTTPRequest) -> NetworkError {
        NetworkError(kind(of: response.status), "The server answered \(response.status)")
            .with { $0.response = response.head }.describing(request)
    }
}
