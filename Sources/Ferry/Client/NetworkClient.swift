// Client: assembles the chain of interceptors over a transport and makes calls with it.
// May name every room but Paging.

/// Makes calls.
///
/// ```swift
/// let github = NetworkClient(baseURL: url) {
///     $0.headers["Accept"] = "application/vnd.github+json"
///     $0.errorMessageKeyPath = "message"
/// }
/// let repos = try await github.request(SearchRepos(text: "swift"))     // typed by the Api
/// let user: User = try await github.get("/users/apple")                // one-off verbs
/// ```
///
/// The client owns its transport, its cookies and its configuration; it may be used from any number of tasks at once.
/// Encoding and decoding run on the caller's side of the actor, never on it.
///
/// ## Step by step
///
/// Make one client an API and keep it: it owns connections, cookies and what all its calls have in common.
///
/// ```swift
/// let library = NetworkClient(baseURL: url) {
///     $0.headers["Accept-Language"] = "en"
///     $0.authorization = .bearer("t0k3n")
///     $0.retry = .exponential(initial: .milliseconds(250), maxRetries: 3)
///     $0.errorMessageKeyPath = "error.text"
/// }
/// ```
///
/// A verb makes a call and decodes the answer into the type that you ask for:
///
/// ```swift
/// struct Book: Decodable, Sendable {
///     let id: Int
///     let title: String
/// }
///
/// let book: Book = try await library.get("/books/7")
/// ```
///
/// Content goes along as a ``RequestBody``:
///
/// ```swift
/// let added: Book = try await library.post("/books", body: .json(["title": "Knots"]))
/// ```
///
/// Everything that goes wrong is a ``NetworkError``. It knows its status, and the server's own words where
/// `errorMessageKeyPath` says:
///
/// ```swift
/// var reason = ""
/// do {
///     try await library.delete("/books/7")
/// } catch {
///     reason = error.isConflict ? error.serverMessage ?? "In use" : error.message
/// }
/// ```
///
/// Where the value alone is not enough, ask for the whole response:
///
/// ```swift
/// let response = try await library.response(NetworkCall(.get, "/books/7"), as: Book.self)
/// let version = response.headers["ETag"]
/// ```
public actor NetworkClient: ClosureConfigurable {
    /// What the client does for each of its calls.
    public nonisolated let configuration: Configuration

    nonisolated let chain: InterceptorChain
    nonisolated let builder: RequestBuilder
    nonisolated let deadlines: DeadlineWatch
    /// Where events pass on their way to those who read all of them.
    nonisolated let hub = ClientEventHub()
    /// Validations that nobody waits for: they end with the client.
    package nonisolated let background = BackgroundTasks()

    /// A client without base URL and defaults, for calls with absolute URLs.
    public static let shared = NetworkClient(baseURL: nil)

    /// Creates a client.
    ///
    /// - Parameter configuration: What the client does for each of its calls.
    public init(configuration: Configuration) {
        self.configuration = configuration
        builder = RequestBuilder(
            baseURL: configuration.baseURL, headers: configuration.headers, query: configuration.query,
            encoder: configuration.encoder, parameterStyle: configuration.parameterStyle)
        deadlines = DeadlineWatch(clock: configuration.clock)
        let reference = ClientReference()
        chain = Self.chain(configuration, reference, background)
        reference.client = self
    }

    /// Ends every running exchange with `cancelled`; later calls fail with `cancelled`.
    ///
    /// A client that is dropped needs no shutdown: its running calls end by themselves.
    public func shutdown() {
        background.cancelAll()
        hub.end()
        chain.transport.shutdown()
    }

    /// The chain, outermost first. The reasons for the order are in Docs/Architecture.md.
    private static func chain(
        _ configuration: Configuration, _ reference: ClientReference, _ background: BackgroundTasks
    ) -> InterceptorChain {
        var interceptors: [any Interceptor] = [
            CoalescingInterceptor(isDefault: configuration.coalescesRequests),
            RedirectInterceptor(policy: configuration.redirects),
            CacheInterceptor(configuration.cache, background: background),
            RetryInterceptor(configuration.retry),
        ]
        interceptors.append(
            AuthorizationInterceptor(configuration.authorization, baseURL: configuration.baseURL) { reference.client })
        if let jar = configuration.cookieJar { interceptors.append(CookieInterceptor(jar: jar)) }
        interceptors.append(ThrottleInterceptor(configuration.throttle, clock: configuration.clock))
        if !configuration.interceptors.isEmpty { interceptors += configuration.interceptors + [RequestCheck()] }
        return InterceptorChain(interceptors, over: transport(configuration))
    }

    private static func transport(_ configuration: Configuration) -> any Transport {
        var transport: any Transport =
            switch configuration.mocking {
            case .on(let fixtures): MockModeTransport(fixtures: fixtures)
            case .off: configuration.transport ?? URLSessionTransport(configuration: configuration.session)
            }
        // A mock sends nothing that a pin could guard.
        if !configuration.pins.isEmpty, case .off = configuration.mocking { transport = PinGuard(transport) }
        return transport.enforcesTimeouts ? transport : TimedTransport(transport)
    }
}

extension NetworkClient: CustomStringConvertible, CustomReflectable {
    /// The base URL without userinfo, query and fragment: the rest may be secret.
    public nonisolated var description: String { "client of \(configuration.baseURL?.redacted ?? "no base URL")" }

    /// What the description shows.
    public nonisolated var customMirror: Mirror { Mirror(self, children: ["client": description]) }
}
