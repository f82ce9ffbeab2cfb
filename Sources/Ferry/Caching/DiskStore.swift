import Dispatch
public import Foundation
import Synchronization

/// Keeps responses in a directory, within bounds; the least recently used go first, also across restarts.
///
/// One file an entry, in one directory a URL, all named by digests. Directories are created with permissions 0700 and
/// files with 0600. A file is written under a temporary name and renamed once it is complete, so another process on the
/// same directory, and one that comes after a crash, sees a whole entry or none. A damaged file is a miss and is removed.
///
/// Two processes each keep the bounds for what they know, and learn of one another's entries once they made 256 insertions
/// and a quarter as many as there are entries.
/// All work is done on a thread of the store's own.
public final class DiskStore: CacheStore {
    /// Where the entries are.
    public let directory: URL
    /// Most bytes of all files.
    public let maxBytes: Int
    /// Most entries.
    public let maxEntries: Int
    /// Most bytes of content that one entry may have: an eighth of `maxBytes` unless given.
    public let maxEntryBytes: Int

    /// The files: used on the queue alone.
    private let files: CacheDirectory
    private let queue = DispatchQueue(label: "ferry.cache.disk")

    private struct State {
        /// Nil until the directory was read.
        var order: LRUIndex<EntryPlace>?
        var insertions = 0
    }

    /// Guards what is known of the directory; the queue alone takes it, one job at a time.
    private let state = Mutex(State())

    /// Insertions after which the directory is read again, for what other processes did. Reading takes the longer the
    /// more entries there are, so with more it is done less often, and an insertion costs the same however many there are.
    private static func rereadInterval(_ entries: Int) -> Int { max(256, entries / 4) }

    /// Creates a store; the directory is made when the first response is stored.
    ///
    /// - Parameters:
    ///   - directory: A directory of the cache's own. Several stores and processes may share it.
    ///   - maxBytes: Most bytes of all files. Default 128 MiB.
    ///   - maxEntries: Most entries. Default 5000.
    ///   - maxEntryBytes: Most bytes of content that one entry may have. Default: an eighth of `maxBytes`.
    public init(directory: URL, maxBytes: Int = 128 << 20, maxEntries: Int = 5000, maxEntryBytes: Int? = nil) {
        self.directory = directory
        self.maxBytes = max(0, maxBytes)
        self.maxEntries = max(0, maxEntries)
        self.maxEntryBytes = max(0, maxEntryBytes ?? maxBytes / 8)
        files = CacheDirectory(directory.path(percentEncoded: false))
    }

    /// Creates the directory, for those who want to know at once whether that is possible; a store that cannot write
    /// is a store of misses.
    ///
    /// - Throws: `NetworkError` of kind `file`.
    public func prepare() async throws(NetworkError) {
        let isReady = await perform { $0.prepare() }
        guard isReady else {
            throw NetworkError(.file, "The directory of the cache cannot be created: \(directory.lastPathComponent)")
        }
    }

    /// One of the responses of a URL; it counts as used.
    public func entry(
        for key: CacheKey, selecting select: @escaping @Sendable ([CacheEntry.Head]) -> String?
    ) async -> CacheEntry? {
        await perform { [self] files in
            let ids = files.ids(of: key)
            let chosen: String?
            var single: CacheEntry?
            if ids.count == 1, let id = ids.first {
                // The usual case: one look at the file.
                single = read(EntryPlace(key: key, id: id))
                chosen = single.flatMap { select([$0.head]) }
            } else {
                let heads = ids.compactMap { id -> CacheEntry.Head? in
                    let place = EntryPlace(key: key, id: id)
                    guard let head = files.head(place) else {
                        remove(place)
                        return nil
                    }
                    return head
                }
                chosen = select(heads)
            }
            guard let chosen else { return nil }
            let place = EntryPlace(key: key, id: chosen)
            guard let entry = single ?? read(place), entry.head.id == chosen else { return nil }
            files.touch(place)
            state.withLock { $0.order?.touch(place) }
            return entry
        }
    }

    /// Stores a response in place of the one with the same key and id, unless it alone is beyond the bounds.
    public func insert(_ entry: CacheEntry) async {
        await perform { [self] files in
            let place = EntryPlace(key: entry.head.key, id: entry.head.id)
            let data = CacheEntryCoding.encode(entry)
            guard entry.body.count <= maxEntryBytes, data.count <= maxBytes, maxEntries > 0, files.prepare() else {
                return remove(place)
            }
            let ids = files.ids(of: place.key).filter { $0 != place.id }
            if ids.count >= maxVariantsOfURL, let oldest = files.leastRecent(ids, of: place.key) {
                remove(EntryPlace(key: place.key, id: oldest))
            }
            makeRoom(for: data.count, at: place, files)
            guard files.write(data, at: place) else { return remove(place) }
            state.withLock { $0.order?.set(place, bytes: data.count) }
        }
    }

    /// Removes one response of a URL.
    public func remove(_ id: String, for key: CacheKey) async {
        await perform { [self] _ in remove(EntryPlace(key: key, id: id)) }
    }

    /// Removes all responses of a URL.
    public func removeAll(for key: CacheKey) async {
        await perform { [self] files in
            for id in files.ids(of: key) { remove(EntryPlace(key: key, id: id)) }
        }
    }

    /// Removes everything that the cache wrote, and nothing else.
    public func removeAll() async {
        await perform { [self] files in
            for file in files.contents() { files.remove(file.place) }
            state.withLock { $0.order = LRUIndex() }
        }
    }

    /// The heads of all responses, in no order.
    public func heads() async -> [CacheEntry.Head] {
        await perform { files in files.contents().compactMap { files.head($0.place) } }
    }

    /// The bytes of all files.
    public func byteCount() async -> Int {
        await perform { files in files.contents().reduce(0) { $0 + $1.bytes } }
    }

    /// The entry of a file; where it is damaged, the file goes.
    private func read(_ place: EntryPlace) -> CacheEntry? {
        switch files.read(place, limit: maxEntryBytes + CacheEntryCoding.maxHeadSize + CacheEntryCoding.prefixSize) {
        case .absent:
            state.withLock { $0.order?.remove(place) }
            return nil
        case .data(let data):
            if let entry = CacheEntryCoding.decode(data), entry.head.key == place.key, entry.head.id == place.id {
                return entry
            }
            remove(place)
            return nil
        case .unusable:
            remove(place)
            return nil
        }
    }

    private func remove(_ place: EntryPlace) {
        files.remove(place)
        state.withLock { $0.order?.remove(place) }
    }

    /// Removes what was not used for longest until so many bytes fit.
    private func makeRoom(for bytes: Int, at place: EntryPlace, _ files: CacheDirectory) {
        var order = state.withLock { state -> LRUIndex<EntryPlace> in
            state.insertions += 1
            if let order = state.order, state.insertions < Self.rereadInterval(order.count) {
                state.order = nil  // Unshared, so that it changes in place.
                return order
            }
            state.insertions = 0
            files.removeAbandoned()
            var order = LRUIndex<EntryPlace>()
            for file in files.contents().sorted(by: { $0.modified < $1.modified }) {
                order.set(file.place, bytes: file.bytes)
            }
            return order
        }
        let replaced = order.bytes(of: place) ?? 0
        if replaced > 0 { order.touch(place) }
        while order.bytes - replaced + bytes > maxBytes || order.count - (replaced > 0 ? 1 : 0) >= maxEntries,
            let oldest = order.oldestKey, oldest != place
        {
            files.remove(oldest)
            order.remove(oldest)
        }
        state.withLock { $0.order = order }
    }

    private func perform<Result: Sendable>(_ work: @escaping @Sendable (CacheDirectory) -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { [files] in continuation.resume(returning: work(files)) }
        }
    }
}

extension CacheStore where Self == DiskStore {
    /// A store in a directory.
    ///
    /// - Parameters:
    ///   - directory: A directory of the cache's own. Several stores and processes may share it.
    ///   - maxBytes: Most bytes of all files. Default 128 MiB.
    ///   - maxEntries: Most entries. Default 5000.
    ///   - maxEntryBytes: Most bytes of content that one entry may have. Default: an eighth of `maxBytes`.
    public static func disk(
        _ directory: URL, maxBytes: Int = 128 << 20, maxEntries: Int = 5000, maxEntryBytes: Int? = nil
    ) -> DiskStore {
        DiskStore(directory: directory, maxBytes: maxBytes, maxEntries: maxEntries, maxEntryBytes: maxEntryBytes)
    }
}
