import Foundation
import Synchronization

/// Answers from the cache where it may, and stores what comes.
///
/// Below redirection, for responses are cached per URL, and above retry, so that a stale response stands in for the
/// last failure alone. Cookies and credentials are added below: the cache asks for them beforehand, and judges what it
/// stores by what was sent.
package final class CacheInterceptor: Interceptor {
    let cache: ResponseCache?
    let policy: CachePolicy
    private weak let background: BackgroundTasks?
    /// Guards the log: unsafe requests and the answers to others come on any thread.
    private let invalidations = Mutex(InvalidationLog())

    /// - Parameters:
    ///   - cache: Where responses are kept; nil for no cache, of which `cacheOnly` has nothing.
    ///   - background: Runs validations that nobody waits for; known weakly.
    package init(_ cache: ResponseCache?, background: BackgroundTasks) {
        self.cache = cache
        policy = cache?.policy ?? CachePolicy()
        self.background = background
    }

    package func intercept(
        _ request: HTTPRequest, context: CallContext, next: Next
    ) async throws(NetworkError) -> HTTPResponse {
        let mode = context.options.cache ?? cache?.mode ?? .useProtocol
        guard let cache else {
            if mode == .cacheOnly { throw Self.miss(request) }
            return try await next(request)
        }
        guard cache.methods.contains(request.method) else {
            if mode == .cacheOnly { throw Self.miss(request) }
            let response = try await next(request)
            await invalidate(after: request, response, cache)
            return response
        }
        let control = CacheControl(request: request.headers)
        let isStorable = request.body.inMemory != nil && mode != .noStore && !control.contains("no-store")
        let passesThrough = Self.passesThrough(request)
        if !isStorable || passesThrough, mode == .cacheOnly || control.contains("only-if-cached") {
            throw Self.miss(request)
        }
        guard isStorable else { return try await next(request) }
        let exchange = CacheExchange(
            request: request, control: control, mode: mode, context: context, next: next, store: cache.store,
            owner: self)
        return passesThrough ? try await exchange.passThrough() : try await exchange.run()
    }

    static func miss(_ request: HTTPRequest) -> NetworkError {
        NetworkError(.cacheMiss, "The cache has no response and the network was not to be used").describing(request)
    }

    /// Starts a validation that nobody waits for.
    func validateInBackground(_ place: EntryPlace, _ work: @escaping @Sendable () async -> Void) {
        background?.start(place, work)
    }

    /// What was taken away so far.
    var removals: CacheRemovals {
        CacheRemovals(invalidations: invalidations.withLock { $0.count }, byHand: cache?.removals.value ?? 0)
    }

    /// Whether an answer may be stored to a request that began then.
    func mayStore(_ key: CacheKey, since begun: CacheRemovals) -> Bool {
        cache?.removals.value == begun.byHand
            && invalidations.withLock { $0.mayStore(key, begun: begun.invalidations) }
    }

    private func invalidate(
        after request: HTTPRequest, _ response: HTTPResponse, _ cache: ResponseCache
    ) async {
        for url in Invalidation.urls(after: request, status: response.status, headers: response.headers) {
            let key = CacheKey(url)
            invalidations.withLock { $0.invalidated(key) }
            await cache.store.removeAll(for: key)
        }
    }

    /// Requests for a part, and those whose conditions another than the server could not judge.
    private static func passesThrough(_ request: HTTPRequest) -> Bool {
        ["Range", "If-Range", "If-Match", "If-Unmodified-Since", "If-None-Match", "If-Modified-Since"].contains {
            request.headers.contains($0)
        }
    }
}
