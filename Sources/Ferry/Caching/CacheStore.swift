/// Where a cache keeps responses.
///
/// A store never fails: what it cannot read is a miss, what it cannot write is not stored. Every function may be called
/// from many tasks at once. What may be stored and used is decided above it.
public protocol CacheStore: Sendable {
    /// Most bytes of content that one entry may have.
    var maxEntryBytes: Int { get }

    /// One of the responses of a URL; it counts as used.
    ///
    /// - Parameters:
    ///   - key: The URL's key.
    ///   - select: Takes the heads of all responses stored for the URL and gives the wanted one's `id`, or nil.
    func entry(
        for key: CacheKey, selecting select: @escaping @Sendable ([CacheEntry.Head]) -> String?
    ) async -> CacheEntry?

    /// Stores a response in place of the one with the same key and id. It counts as used.
    func insert(_ entry: CacheEntry) async

    /// Removes one response of a URL.
    func remove(_ id: String, for key: CacheKey) async

    /// Removes all responses of a URL.
    func removeAll(for key: CacheKey) async

    /// Removes everything.
    func removeAll() async

    /// The heads of all responses, in no order.
    func heads() async -> [CacheEntry.Head]

    /// What is stored, in bytes as the store counts them.
    func byteCount() async -> Int
}

/// Most responses that a store keeps of one URL; each is looked at when the URL is asked for.
package let maxVariantsOfURL = 32
