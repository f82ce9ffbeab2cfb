#if canImport(FoundationNetworking)
    public import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension NetworkClient {
    /// What a client does for each of its calls, unless the call says otherwise.
    ///
    /// ```swift
    /// let client = NetworkClient(baseURL: url) {
    ///     $0.headers["Accept"] = "application/json"
    ///     $0.retry = .exponential(initial: .milliseconds(250), maxRetries: 3)
    ///     $0.errorMessageKeyPath = "message"
    /// }
    /// ```
    ///
    /// It is read once, when the client is made.
    public struct Configuration: Sendable {
        /// Where paths are appended. Nil: calls give absolute URLs.
        public var baseURL: URL?
        /// Default header fields; a call's field replaces the one of that name. Those that hold credentials (`Authorization`,
        /// `Cookie`, `X-API-Key` and the like) do not go to another origin than the base URL's; without a base URL there
        /// is none to compare with, and they go with every call.
        public var headers: HTTPHeaders = [:]
        /// Default query parameters, before those of a call. They do not go to another origin than the base URL's.
        public var query: Parameters = [:]
        /// How query and form parameters are written.
        public var parameterStyle = ParameterStyle.default
        /// Writes JSON bodies. Default: dates in ISO 8601.
        public var encoder: JSONEncoder = JSONCoding.makeEncoder()
        /// Reads JSON responses. Default: dates in ISO 8601, with and without fractional seconds.
        public var decoder: JSONDecoder = JSONCoding.makeDecoder()
        /// Which statuses are accepted. Default 200 to 299.
        public var validation = StatusValidation.success
        /// Which content types are accepted. Default nil: any.
        public var contentTypes: ContentTypeValidation?
        /// Where the server's own message is in the JSON of an error response. Default nil: RFC 9457 problem details.
        public var errorMessageKeyPath: JSONKeyPath?
        /// The time-outs. Default: 60 s of silence.
        public var timeouts = Timeouts()
        /// How much of a response is taken.
        public var limits = Limits()
        /// When and how often failed attempts are repeated. Default never.
        public var retry = RetryPolicy.never
        /// The credential of requests to the base URL's origin. Default: none.
        public var authorization = Authorization.anonymous
        /// How many exchanges are under way at once, and how fast they begin. Default: 6 for each http host, 100 for each
        /// https host.
        public var throttle = Throttle()
        /// Whether identical safe requests in flight share one exchange. Default false.
        public var coalescesRequests = false
        /// Which redirects are followed. Default: all that are safe, at most 20.
        public var redirects = RedirectPolicy.follow
        /// Stores responses and answers from them. Default nil: nothing is stored.
        public var cache: ResponseCache?
        /// The cookies of the client; nil for none. Default: a jar of its own.
        public var cookieJar: CookieJar? = CookieJar()
        /// Interceptors of yours, outermost first; they run for each attempt, directly above the transport.
        public var interceptors: [any Interceptor] = []
        /// Answers from fixtures in place of the network. Default off.
        public var mocking = MockMode.off
        /// Makes the exchanges. Default nil: a `URLSessionTransport` of the client's own with `session`.
        public var transport: (any Transport)?
        /// The public keys that are accepted of servers, per host. Default: none are pinned. On Linux only `CurlTransport`
        /// can pin; over any other transport of that platform calls to pinned hosts are refused.
        public var pins = CertificatePins()
        /// The configuration of the URLSession that the default transport uses.
        public var session = URLSessionConfiguration.default
        /// Sees every error that a call of this client throws, on whatever thread it is thrown. Default none.
        public var errorHandler: (@Sendable (NetworkError) -> Void)?
        /// Sees every call of this client when it ends, mocked ones too. Default none.
        public var logHandler: (@Sendable (CallLog) -> Void)?
        /// See what happens to every call of this client. Default none.
        public var eventMonitors: [any EventMonitor] = []
        /// Writes what happens to calls into a log. Default nil: nothing is written.
        public var logger: CallLogger?
        /// What is hidden in logs and curl commands. Default: what usually is a secret.
        public var redaction = Redaction.standard
        /// The clock for time-outs, waits and dates. Default: the system's.
        public var clock: any NetworkClock = SystemClock()

        /// Creates the default configuration.
        public init(baseURL: URL? = nil) { self.baseURL = baseURL }
    }
}

extension NetworkClient.Configuration: CustomStringConvertible, CustomReflectable {
    /// The base URL without userinfo, query and fragment: the rest may be secret.
    public var description: String { "configuration of \(baseURL?.redacted ?? "no base URL")" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["configuration": description]) }
}
