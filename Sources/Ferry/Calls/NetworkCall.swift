public import Foundation

/// A call as a value.
///
/// ```swift
/// let call = NetworkCall(.post, "/repos", body: .json(NewRepo(name: "x")))
/// let made = try await client.request(call, as: Repo.self)
///
/// let slow = call.timeout(.seconds(90)).header("X-Trace", "a1")    // modifiers return changed copies
/// ```
///
/// What is nil is left to the client's configuration.
///
/// ## Step by step
///
/// Begin with method and path; the rest is set where it is needed:
///
/// ```swift
/// var search = NetworkCall(.get, "/search", query: ["q": "sea & sky", "page": 1])
/// search.responseKeyPath = "items"
/// ```
///
/// A client makes the call, and is told the type of the answer:
///
/// ```swift
/// let books = try await client.request(search, as: [Book].self)
/// ```
///
/// Modifiers return changed copies, so one call can be the model of many:
///
/// ```swift
/// let traced = search.header("X-Trace", "a1").query("lang", "en").timeout(.seconds(5)).retry(.never)
/// let inEnglish = try await client.request(traced, as: [Book].self)
/// ```
///
/// Values in a path are segments: a slash in a name does not become one of the path.
///
/// ```swift
/// let shelf = "maps/charts"
/// let path: PathTemplate = "/shelves/\(shelf)/books"
/// let onShelf = try await client.request(NetworkCall(.get, path), as: [Book].self)
/// ```
///
/// A call without an answer worth having is awaited and forgotten:
///
/// ```swift
/// let login = NetworkCall(.post, "/login", body: .form(["user": "ada", "remember": true]))
/// try await client.request(login)
/// ```
public struct NetworkCall: Sendable {
    /// Where a call goes.
    public enum Target: Hashable, Sendable {
        /// A path below the client's base URL.
        case path(String)
        /// An absolute URL; the client's default credentials do not go with it to another origin.
        case url(URL)
    }

    /// The method.
    public var method: HTTPMethod
    /// Where it goes.
    public var target: Target
    /// The query parameters, added to those of the target and the client.
    public var query: Parameters
    /// The header fields; each replaces the client's default of that name.
    public var headers: HTTPHeaders
    /// The content.
    public var body: RequestBody
    /// Where in the response's JSON the value is; nil for the whole document.
    public var responseKeyPath: JSONKeyPath?
    /// Which statuses are accepted.
    public var validation: StatusValidation?
    /// Which content types are accepted.
    public var contentTypes: ContentTypeValidation?
    /// The decoder of the response.
    public var decoder: JSONDecoder?
    /// The encoder of a JSON body.
    public var encoder: JSONEncoder?
    /// How query and form parameters are written.
    public var parameterStyle: ParameterStyle?
    /// The time-outs.
    public var timeouts: Timeouts?
    /// How much of a response is taken.
    public var limits: Limits?
    /// What a client in mock mode answers.
    public var mockResponse: MockResponse?
    /// Further options, such as those of interceptors of yours.
    public var options = CallOptions()
    /// Whether the client's default query stays away: the URL of a page has it already.
    package var omitsDefaultQuery = false
    /// Why no request can be built, where it was known when the call was described.
    package var defect: NetworkError?
    /// The value where decoding fails, as a type-erased default.
    package var fallback: (any Sendable)?

    /// A call to a path below the client's base URL.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: Appended to the base URL's path; its own query is kept.
    ///   - query: Default none.
    ///   - headers: Default none.
    ///   - body: Default none.
    ///   - retry: Default: the client's.
    ///   - timeout: Longest time of one attempt. Default: the client's.
    public init(
        _ method: HTTPMethod, _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:],
        body: RequestBody = .none, retry: RetryPolicy? = nil, timeout: Duration? = nil
    ) {
        self.init(method, .path(path), query, headers, body, retry, timeout)
    }

    /// A call to a path template below the client's base URL.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - template: Its values are escaped each as one path segment.
    ///   - query: Default none.
    ///   - headers: Default none.
    ///   - body: Default none.
    ///   - retry: Default: the client's.
    ///   - timeout: Longest time of one attempt. Default: the client's.
    /// - Throws: `NetworkError` of kind `invalidURL` where a value is missing, unused or cannot be a segment.
    public init(
        _ method: HTTPMethod, _ template: PathTemplate, query: Parameters = [:], headers: HTTPHeaders = [:],
        body: RequestBody = .none, retry: RetryPolicy? = nil, timeout: Duration? = nil
    ) throws(NetworkError) {
        self.init(method, .path(try template.path), query, headers, body, retry, timeout)
    }

    /// A call to an absolute URL.
    ///
    /// - Parameters:
    ///   - method: Default GET.
    ///   - url: An http or https URL.
    ///   - query: Added to the URL's own. Default none.
    ///   - headers: Default none.
    ///   - body: Default none.
    ///   - retry: Default: the client's.
    ///   - timeout: Longest time of one attempt. Default: the client's.
    public init(
        _ method: HTTPMethod = .get, url: URL, query: Parameters = [:], headers: HTTPHeaders = [:],
        body: RequestBody = .none, retry: RetryPolicy? = nil, timeout: Duration? = nil
    ) {
        self.init(method, .url(url), query, headers, body, retry, timeout)
    }

    private init(
        _ method: HTTPMethod, _ target: Target, _ query: Parameters, _ headers: HTTPHeaders, _ body: RequestBody,
        _ retry: RetryPolicy?, _ timeout: Duration?
    ) {
        self.method = method
        self.target = target
        self.query = query
        self.headers = headers
        self.body = body
        if let retry { options.retry = retry }
        attemptTimeout = timeout
    }

    /// Longest time of one attempt, where the rest of the time-outs is left to the client.
    package var attemptTimeout: Duration?
}

extension NetworkCall: CustomStringConvertible, CustomReflectable {
    /// Method and target without userinfo, query and fragment: the rest may be secret.
    public var description: String { "\(method) \(target)" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["call": description]) }
}

extension NetworkCall.Target: CustomStringConvertible, CustomReflectable {
    /// Path or URL without userinfo, query and fragment: they may be secret.
    public var description: String {
        switch self {
        // By bytes: a combining mark after the "?" would hide it from a test by Character.
        case .path(let path):
            Self.withoutUserinfo(String(decoding: path.utf8.prefix { !"?#".utf8.contains($0) }, as: UTF8.self))
        case .url(let url): url.redacted
        }
    }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["target": description]) }

    /// A path that is none, but a URL, is refused, and its error names it.
    private static func withoutUserinfo(_ path: String) -> String {
        guard path.contains("//") || path.contains("\\\\"), let at = path.utf8.lastIndex(of: UInt8(ascii: "@")) else {
            return path
        }
        return "…" + path[at...]
    }
}
