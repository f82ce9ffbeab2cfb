/// What a client or a call does with redirects.
///
/// ```swift
/// let client = NetworkClient(baseURL: url) { $0.redirects = .follow(limit: 5) }
/// call.options.redirects = .refuse
/// call.options.redirects = .custom { proposal in
///     guard let next = try? proposal.next.get(), next.url.host() == "example.com" else { return .refuse }
///     return .follow
/// }
/// ```
public struct RedirectPolicy: Sendable {
    package enum Mode: Sendable {
        case follow
        case refuse
        case custom(@Sendable (RedirectProposal) async -> RedirectDecision)
    }

    package let mode: Mode

    /// Most redirects that a call follows; the next one is an error of kind `redirect`. Zero or less follows none.
    public var limit: Int

    /// Names of further headers that are dropped when a redirect leads to another origin. Default: none besides
    /// `Authorization`, `Cookie`, `Proxy-Authorization` and the usual names of API keys and tokens, such as `X-API-Key`,
    /// `X-Auth-Token` and `Private-Token`.
    public var sensitiveHeaders: [String] = []

    private init(_ mode: Mode, limit: Int) {
        self.mode = mode
        self.limit = limit
    }

    /// The limit where none is given: 20, as in browsers (WHATWG Fetch, HTTP-redirect fetch).
    public static let defaultLimit = 20

    /// Follows up to 20 redirects. The default.
    public static let follow = RedirectPolicy(.follow, limit: defaultLimit)

    /// Follows redirects.
    ///
    /// - Parameter limit: Most redirects that a call follows.
    public static func follow(limit: Int) -> RedirectPolicy { RedirectPolicy(.follow, limit: limit) }

    /// Follows none: the 3xx response is the answer, and the call's status validation judges it.
    public static let refuse = RedirectPolicy(.refuse, limit: 0)

    /// Asks for each redirect.
    ///
    /// - Parameters:
    ///   - limit: Most redirects that a call follows. Default 20.
    ///   - decide: Called once a redirect, also for one that the rules refuse.
    public static func custom(
        limit: Int = defaultLimit, _ decide: @escaping @Sendable (RedirectProposal) async -> RedirectDecision
    ) -> RedirectPolicy {
        RedirectPolicy(.custom(decide), limit: limit)
    }
}

/// A redirect about which a custom policy decides.
public struct RedirectProposal: Sendable {
    /// The head of the response that redirects.
    public let response: HTTPResponse.Head
    /// The request that it answers.
    public let request: HTTPRequest
    /// The request that would follow, credentials for another origin already dropped; or why the rules refuse it: a
    /// malformed Location, another scheme than http and https, https to http, a body that cannot be sent again.
    public let next: Result<HTTPRequest, NetworkError>
    /// The redirects that the call followed so far.
    public let hops: [Redirect]
}

/// What a custom policy decides about one redirect.
public struct RedirectDecision: Sendable {
    package enum Choice: Sendable {
        case proposed
        case request(HTTPRequest)
        case refuse
        case fail(String)
    }

    package let choice: Choice

    private init(_ choice: Choice) { self.choice = choice }

    /// Sends the proposed request; where the rules refuse the redirect, the call fails with their error.
    public static let follow = RedirectDecision(.proposed)

    /// Sends another request, exactly as given: no credential is dropped from it and no rule applied but that it must
    /// be valid and within the limit.
    public static func follow(_ request: HTTPRequest) -> RedirectDecision { RedirectDecision(.request(request)) }

    /// Hands out the response that redirects.
    public static let refuse = RedirectDecision(.refuse)

    /// Fails the call with a `NetworkError` of kind `redirect`.
    public static let fail = fail("The redirect policy of the call refused a redirect")

    /// Fails the call with a `NetworkError` of kind `redirect`.
    ///
    /// - Parameter message: The error's message; without secrets, it can be logged.
    public static func fail(_ message: String) -> RedirectDecision { RedirectDecision(.fail(message)) }
}

extension CallOptions {
    private enum RedirectPolicyKey: CallOptionKey { typealias Value = RedirectPolicy }

    /// What the call does with redirects; nil as the client does.
    public var redirects: RedirectPolicy? {
        get { self[RedirectPolicyKey.self] }
        set { self[RedirectPolicyKey.self] = newValue }
    }
}
