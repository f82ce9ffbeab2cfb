// Caching: a private HTTP cache by RFC 9111: the rules as pure values, stores, and the step of the chain that applies them.
// May name Messages and Pipeline, and no other middle room.

public import Foundation

/// Stores responses and answers from them, as a private cache by RFC 9111.
///
/// ```swift
/// let client = NetworkClient(baseURL: url) {
///     $0.cache = ResponseCache(store: .disk(directory))
/// }
/// let response = try await client.response(call, as: Feed.self)
/// response.source         // .network, .cacheFresh, .cacheValidated or .cacheStale
/// ```
///
/// Clients may share one. Responses are kept apart by URL, by what Vary names, and by the credential they were asked
/// with.
///
/// ## Step by step
///
/// Give the client a cache. The second answer comes from it, for the server said that the first one holds for a minute:
///
/// ```swift
/// let cache = ResponseCache()  // in memory; or ResponseCache(store: .disk(directory))
/// let client = NetworkClient(baseURL: url) { $0.cache = cache }
/// let rates = NetworkCall(.get, "/rates")
///
/// let first = try await client.response(rates, as: [String: Double].self)
/// let second = try await client.response(rates, as: [String: Double].self)
/// ```
///
/// What must be validated is asked for with its ETag, and not sent again:
///
/// ```swift
/// let news = NetworkCall(.get, "/news")
/// _ = try await client.json(news)
/// let validated = try await client.response(news, as: [String].self)  // the server said 304
/// ```
///
/// A call may want what is stored, whatever its age, or what is new, whatever is stored:
///
/// ```swift
/// let offline = try await client.response(news.cache(.cacheOnly), as: [String].self)
/// let fresh = try await client.response(rates.cache(.reload), as: [String: Double].self)
/// ```
///
/// Look into it, and empty it:
///
/// ```swift
/// let stored = await cache.entries().count
/// await cache.clear()
/// ```
public struct ResponseCache: Sendable {
    /// Where responses are kept.
    public let store: any CacheStore
    /// How calls use the cache that do not say. Default `useProtocol`.
    public var mode = CacheMode.useProtocol
    /// The methods whose responses are stored and reused. Default GET, and HEAD, which a stored GET response answers.
    ///
    /// A response to another method, such as QUERY or a POST that only reads, is reused for the same method, URL and
    /// content, where the content is in memory; such a method then invalidates nothing.
    public var methods: Set<HTTPMethod> = [.get, .head]
    /// For which part of the time since its last modification a response without expiry counts as fresh
    /// (RFC 9111 §4.2.2). Default a tenth; zero validates each time.
    public var heuristicFraction = 0.1
    /// The longest time for which a response without expiry counts as fresh. Default one day.
    public var heuristicLimit = Duration.seconds(86_400)
    /// For how long after its expiry a response stands in where the server cannot be reached or fails, and neither it
    /// nor the request says so by `stale-if-error` (RFC 5861 §4). Default nil: not at all. `must-revalidate` and
    /// `no-cache` are stronger.
    public var staleIfError: Duration?

    let removals = RemovalCount()

    /// Creates a cache.
    ///
    /// - Parameter store: Where responses are kept. Default: in memory, 16 MiB.
    public init(store: some CacheStore = .memory()) { self.store = store }

    /// The rules, with these settings.
    package var policy: CachePolicy {
        var policy = CachePolicy()
        policy.heuristic = Freshness.Heuristic(
            fraction: max(0, heuristicFraction), limit: max(0, heuristicLimit.seconds))
        policy.staleIfError = staleIfError?.seconds
        return policy
    }
}

/// What is stored.
extension ResponseCache {
    /// The stored responses, without their content, in no order.
    public func entries() async -> [CacheEntry.Head] { await store.heads() }

    /// The bytes of everything stored, as the store counts them.
    public func byteCount() async -> Int { await store.byteCount() }

    /// Removes the responses of a URL: all variants, for all credentials. Answers that are under way are not stored.
    public func remove(_ url: URL) async {
        removals.increment()
        await store.removeAll(for: CacheKey(url))
    }

    /// Removes everything. Answers that are under way are not stored, so that nothing of a user is left after a sign-out.
    public func clear() async {
        removals.increment()
        await store.removeAll()
    }
}
