import Synchronization

/// Keeps responses in memory, within bounds; the least recently used go first.
public final class MemoryStore: CacheStore {
    /// Most bytes of all entries, heads included.
    public let maxBytes: Int
    /// Most entries.
    public let maxEntries: Int
    /// Most bytes of content that one entry may have: an eighth of `maxBytes` unless given.
    public let maxEntryBytes: Int

    private struct State {
        var entries: [CacheKey: [CacheEntry]] = [:]
        var order = LRUIndex<EntryPlace>()
    }

    /// Guards entries and their order: calls read and store on any thread.
    private let state = Mutex(State())

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - maxBytes: Most bytes of all entries, heads included. Default 16 MiB.
    ///   - maxEntries: Most entries. Default 1000.
    ///   - maxEntryBytes: Most bytes of content that one entry may have. Default: an eighth of `maxBytes`.
    public init(maxBytes: Int = 16 << 20, maxEntries: Int = 1000, maxEntryBytes: Int? = nil) {
        self.maxBytes = max(0, maxBytes)
        self.maxEntries = max(0, maxEntries)
        self.maxEntryBytes = max(0, maxEntryBytes ?? maxBytes / 8)
    }

    /// One of the responses of a URL; it counts as used.
    public func entry(
        for key: CacheKey, selecting select: @escaping @Sendable ([CacheEntry.Head]) -> String?
    ) async -> CacheEntry? {
        // Selecting digests and compares; other calls need not wait for it.
        guard let variants = state.withLock({ $0.entries[key] }), let id = select(variants.map(\.head)) else {
            return nil
        }
        state.withLock { $0.order.touch(EntryPlace(key: key, id: id)) }
        return variants.first { $0.head.id == id }
    }

    /// Stores a response in place of the one with the same key and id, unless it alone is beyond the bounds.
    public func insert(_ entry: CacheEntry) async {
        let size = Self.size(of: entry)
        let place = EntryPlace(key: entry.head.key, id: entry.head.id)
        state.withLock { state in
            remove(place, &state)
            guard entry.body.count <= maxEntryBytes, size <= maxBytes, maxEntries > 0 else { return }
            if let variants = state.entries[place.key], variants.count >= maxVariantsOfURL,
                let oldest = variants.min(by: { $0.head.responseDate < $1.head.responseDate })
            {
                remove(EntryPlace(key: place.key, id: oldest.head.id), &state)
            }
            while state.order.bytes + size > maxBytes || state.order.count >= maxEntries,
                let oldest = state.order.oldestKey
            {
                remove(oldest, &state)
            }
            state.entries[place.key, default: []].append(entry)
            state.order.set(place, bytes: size)
        }
    }

    /// Removes one response of a URL.
    public func remove(_ id: String, for key: CacheKey) async {
        state.withLock { remove(EntryPlace(key: key, id: id), &$0) }
    }

    /// Removes all responses of a URL.
    public func removeAll(for key: CacheKey) async {
        state.withLock { state in
            for entry in state.entries.removeValue(forKey: key) ?? [] {
                state.order.remove(EntryPlace(key: key, id: entry.head.id))
            }
        }
    }

    /// Removes everything.
    public func removeAll() async { state.withLock { $0 = State() } }

    /// The heads of all responses, in no order.
    public func heads() async -> [CacheEntry.Head] {
        state.withLock { $0.entries.values.flatMap { $0.map(\.head) } }
    }

    /// The bytes of all entries, heads included.
    public func byteCount() async -> Int { state.withLock { $0.order.bytes } }

    private func remove(_ place: EntryPlace, _ state: inout State) {
        guard state.order.bytes(of: place) != nil else { return }
        state.order.remove(place)
        state.entries[place.key]?.removeAll { $0.head.id == place.id }
        if state.entries[place.key]?.isEmpty ?? false { state.entries[place.key] = nil }
    }

    /// Content, texts, and 512 bytes for what holds them.
    private static func size(of entry: CacheEntry) -> Int {
        entry.head.headers.reduce(entry.body.count + 512) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
    }
}

extension CacheStore where Self == MemoryStore {
    /// A new store in memory.
    ///
    /// - Parameters:
    ///   - maxBytes: Most bytes of all entries, heads included. Default 16 MiB.
    ///   - maxEntries: Most entries. Default 1000.
    ///   - maxEntryBytes: Most bytes of content that one entry may have. Default: an eighth of `maxBytes`.
    public static func memory(
        maxBytes: Int = 16 << 20, maxEntries: Int = 1000, maxEntryBytes: Int? = nil
    ) -> MemoryStore {
        MemoryStore(maxBytes: maxBytes, maxEntries: maxEntries, maxEntryBytes: maxEntryBytes)
    }
}
