/// Keys with sizes in the order of their last use: every operation takes constant time.
package struct LRUIndex<Key: Hashable & Sendable>: Sendable {
    private struct Node: Sendable {
        let key: Key
        var bytes: Int
        var older: Int?
        var newer: Int?
    }

    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var oldest: Int?
    private var newest: Int?

    /// The sum of all sizes.
    package private(set) var bytes = 0
    /// How many keys there are.
    package var count: Int { places.count }

    package init() {}

    /// The size of a key.
    package func bytes(of key: Key) -> Int? { places[key].flatMap { nodes[$0]?.bytes } }

    /// Sets the size of a key, which now is the last used.
    package mutating func set(_ key: Key, bytes size: Int) {
        remove(key)
        let place: Int
        if let unused = free.popLast() {
            place = unused
            nodes[place] = Node(key: key, bytes: size)
        } else {
            place = nodes.count
            nodes.append(Node(key: key, bytes: size))
        }
        places[key] = place
        bytes += size
        append(place)
    }

    /// Makes a key the last used.
    package mutating func touch(_ key: Key) {
        guard let place = places[key], newest != place else { return }
        unlink(place)
        append(place)
    }

    /// Removes a key; does nothing where it is not there.
    package mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        unlink(place)
        bytes -= nodes[place]?.bytes ?? 0
        nodes[place] = nil
        free.append(place)
    }

    /// The key that was not used for longest.
    package var oldestKey: Key? { oldest.flatMap { nodes[$0]?.key } }

    private mutating func append(_ place: Int) {
        nodes[place]?.older = newest
        nodes[place]?.newer = nil
        if let newest { nodes[newest]?.newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let older = nodes[place]?.older
        let newer = nodes[place]?.newer
        if let older { nodes[older]?.newer = newer } else { oldest = newer }
        if let newer { nodes[newer]?.older = older } else { newest = older }
    }
}

/// An entry's place in a store.
package struct EntryPlace: Hashable, Sendable {
    package let key: CacheKey
    package let id: String

    package init(key: CacheKey, id: String) {
        self.key = key
        self.id = id
    }
}
