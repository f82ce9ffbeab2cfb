package import Foundation
import Synchronization

/// Which stored responses an unsafe request makes unusable (RFC 9111 §4.4).
package enum Invalidation {
    /// The URLs whose responses are removed: none after an error; else the target, and what Location and
    /// Content-Location name within the same origin.
    package static func urls(after request: HTTPRequest, status: HTTPStatus, headers: HTTPHeaders) -> [URL] {
        guard !request.method.isSafe, (200..<400).contains(status.code) else { return [] }
        var urls = [request.url]
        let base = URIReference(request.url)
        for name in ["Location", "Content-Location"] {
            guard let value = headers.values(of: name).first else { continue }
            var target = URIReference(FieldSyntax.trimmed(value)).resolved(against: base)
            target.fragment = nil
            guard let origin = Origin(target), origin == Origin(request.url), let url = URL(string: target.text),
                !urls.contains(url)
            else { continue }
            urls.append(url)
        }
        return urls
    }
}

/// What was taken away from a cache until a moment.
struct CacheRemovals: Sendable {
    /// By unsafe requests of the client.
    let invalidations: UInt64
    /// By `remove` and `clear` of the cache.
    let byHand: UInt64
}

/// Counts removals by hand. Shared by all copies of a cache.
final class RemovalCount: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 { count.load(ordering: .acquiring) }

    func increment() { count.add(1, ordering: .acquiringAndReleasing) }
}

/// Remembers what was invalidated while requests were under way, so that their answers, which may be older than the
/// change, are not stored after it.
package struct InvalidationLog: Sendable {
    /// Invalidations so far: what a request that begins now notes.
    package private(set) var count: UInt64 = 0
    private var last: [CacheKey: UInt64] = [:]
    private var floor: UInt64 = 0
    private let limit: Int

    /// - Parameter limit: How many keys are remembered one by one; default 1024. Beyond it, all that began before counts.
    package init(limit: Int = 1024) { self.limit = limit }

    package mutating func invalidated(_ key: CacheKey) {
        count += 1
        if last.count >= limit, last[key] == nil {
            last = [:]
            floor = count
        }
        last[key] = count
    }

    /// Whether a response may be stored to a request that began after so many invalidations.
    package func mayStore(_ key: CacheKey, begun: UInt64) -> Bool {
        begun >= floor && begun >= last[key] ?? 0
    }
}
