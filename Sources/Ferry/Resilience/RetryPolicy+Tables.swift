extension RetryPolicy {
    /// A row of a table: what is retried, and why a second attempt may fare better.
    package struct Row<Subject: Hashable & Sendable>: Sendable {
        package let subject: Subject
        package let reason: String
    }

    /// The statuses that are retried unless the policy says otherwise (sections of RFC 9110).
    ///
    /// Not among them: 401 (the authorizer answers it), 501 and 505 (the server will not learn it meanwhile), every
    /// other 4xx (the same request fails the same way).
    package static let statusTable: [Row<HTTPStatus>] = [
        Row(subject: .requestTimeout, reason: "The server gave up waiting for the request (§15.5.9)"),
        Row(subject: .tooEarly, reason: "Refused unprocessed as early data (RFC 8470 §5.2)"),
        Row(subject: .tooManyRequests, reason: "A rate limit that passes with time (RFC 6585 §4)"),
        Row(subject: .internalServerError, reason: "Often a crash or a deadlock that the next request does not meet"),
        Row(subject: .badGateway, reason: "A gateway lost its upstream, mostly for a restart (§15.6.3)"),
        Row(subject: .serviceUnavailable, reason: "Overload or maintenance, temporary by definition (§15.6.4)"),
        Row(subject: .gatewayTimeout, reason: "A gateway's upstream was slow this time (§15.6.5)"),
    ]

    /// The failures without a response that are retried unless the policy says otherwise. Not among them: `tls` (a
    /// certificate does not heal, and trying on would hide an attack), `cancelled`, and whatever would fail the same
    /// way again: invalid requests, malformed or too large responses, decoding.
    package static let failureTable: [Row<NetworkError.Kind>] = [
        Row(subject: .cannotConnect, reason: "The server restarts or its backlog is full; nothing was sent"),
        Row(subject: .cannotFindHost, reason: "A resolver that failed to answer; nothing was sent"),
        Row(subject: .connectionLost, reason: "A dropped network, or an idle connection that the server closed"),
        Row(subject: .offline, reason: "Networks come back"),
        Row(subject: .timeout, reason: "A lost packet or a slow replica; never for the total time-out"),
    ]

    /// 408, 425, 429, 500, 502, 503 and 504.
    public static let standardStatuses = Set(statusTable.map(\.subject))

    /// `cannotConnect`, `cannotFindHost`, `connectionLost`, `offline` and `timeout`.
    public static let standardFailures = Set(failureTable.map(\.subject))
}
