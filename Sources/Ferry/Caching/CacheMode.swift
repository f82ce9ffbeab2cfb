/// How a call uses its client's cache.
public enum CacheMode: String, Hashable, Sendable, CaseIterable {
    /// By the rules of HTTP (RFC 9111): fresh responses are served, stale ones validated. The default.
    case useProtocol
    /// What is stored first, whatever its age, then the network's answer: two values of `NetworkClient.values(_:cache:)`.
    /// A call for one value gets the network's, which may be a validation of what is stored.
    case cacheThenNetwork
    /// What is stored, whatever its age and directives, and never the network: a miss is
    /// `NetworkError.Kind.cacheMiss`. For use offline.
    case cacheOnly
    /// The network's answer, without validation of what is stored; it is stored.
    case reload
    /// The network's answer; nothing is read from the cache and nothing stored.
    case noStore
}

extension CallOptions {
    private enum CacheModeKey: CallOptionKey { typealias Value = CacheMode }
    private enum CacheProbeKey: CallOptionKey { typealias Value = Bool }

    /// How this call uses the cache; nil takes the client's setting.
    public var cache: CacheMode? {
        get { self[CacheModeKey.self] }
        set { self[CacheModeKey.self] = newValue }
    }

    /// Whether the call only looks whether something is stored, so that a miss is no failure to report.
    package var isCacheProbe: Bool {
        get { self[CacheProbeKey.self] ?? false }
        set { self[CacheProbeKey.self] = newValue ? true : nil }
    }
}
