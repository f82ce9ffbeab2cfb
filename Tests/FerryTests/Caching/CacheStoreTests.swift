import Ferry
import FerryTesting
import Foundation
import XCTest

/// What every store does, and what each does by itself.
final class CacheStoreTests: XCTestCase {
    private let url = "https://api.example/items"

    private func stores(maxBytes: Int = 1 << 20, maxEntries: Int = 100) throws -> [(String, any CacheStore)] {
        let directory = try temporaryDirectory()
        return [
            ("memory", MemoryStore(maxBytes: maxBytes, maxEntries: maxEntries, maxEntryBytes: maxBytes)),
            (
                "disk",
                DiskStore(
                    directory: directory.appending(path: "cache"), maxBytes: maxBytes, maxEntries: maxEntries,
                    maxEntryBytes: maxBytes)
            ),
        ]
    }

    func testStore_givesBackWhatWasStored() async throws {
        for (name, store) in try stores() {
            let entry = try CacheEntry.test(url, "hello", headers: ["ETag": "\"1\"", "X-A": "ü", "x-a": ""])
            let before = await store.entry(for: entry.head.key, selecting: anyVariant)
            XCTAssertNil(before, name)
            await store.insert(entry)
            let stored = await store.entry(for: entry.head.key, selecting: anyVariant)
            XCTAssertEqual(stored, entry, name)
            let refused = await store.entry(for: entry.head.key) { _ in nil }
            XCTAssertNil(refused, name)
            await store.insert(try .test(url, "changed"))
            let changed = await store.entry(for: entry.head.key, selecting: anyVariant)
            XCTAssertEqual(changed?.body, Data("changed".utf8), name)
            let heads = await store.heads()
            XCTAssertEqual(heads.count, 1, name)
            await store.remove(entry.head.id, for: entry.head.key)
            let after = await store.heads()
            let bytes = await store.byteCount()
            XCTAssertEqual(after, [], name)
            XCTAssertEqual(bytes, 0, name)
        }
    }

    func testStore_keepsVariantsApartAndBounded() async throws {
        for (name, store) in try stores() {
            for number in 0..<50 {
                let head = try CacheEntry.Head.row(
                    ["Vary": "Accept"], url: url, request: ["Accept": "\(number)"], after: Double(number), byteCount: 1)
                await store.insert(CacheEntry(head: head, body: Data("x".utf8)))
            }
            let key = CacheKey(try .test(url))
            let heads = await store.heads()
            XCTAssertEqual(heads.count, maxVariantsOfURL, name)
            let last = try XCTUnwrap(heads.max { $0.responseDate < $1.responseDate })
            let entry = await store.entry(for: key) { _ in last.id }
            XCTAssertEqual(entry?.head, last, name)
            await store.removeAll(for: key)
            let after = await store.heads()
            XCTAssertEqual(after, [], name)
        }
    }

    func testStore_dropsTheLeastRecentlyUsed() async throws {
        for (name, store) in try stores(maxEntries: 3) {
            let entries = try (0..<4).map { try CacheEntry.test("\(url)/\($0)", "\($0)") }
            for entry in entries[..<3] { await store.insert(entry) }
            _ = await store.entry(for: entries[0].head.key, selecting: anyVariant)
            await store.insert(entries[3])
            let left = await Set(store.heads().map(\.url.lastPathComponent))
            XCTAssertEqual(left, ["0", "2", "3"], name)
        }
    }

    func testStore_refusesWhatIsTooLarge() async throws {
        for (name, store) in try stores(maxBytes: 4096) {
            let small = try CacheEntry.test(url, "small")
            await store.insert(small)
            await store.insert(try .test(url, String(repeating: "x", count: 5000)))
            let entry = await store.entry(for: small.head.key, selecting: anyVariant)
            XCTAssertNil(entry, "\(name): the old one is not the answer any more")
        }
    }

    func testMemory_staysWithinItsBounds() async throws {
        try await churn(MemoryStore(maxBytes: 200_000, maxEntries: 100), operations: 100_000, 200_000, 100)
    }

    func testDisk_staysWithinItsBounds() async throws {
        let directory = try temporaryDirectory()
        let store = DiskStore(directory: directory, maxBytes: 60_000, maxEntries: 40)
        // Fewer than in memory: each of them touches files.
        try await churn(store, operations: 20_000, 60_000, 40)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.appending(path: "v1").path())
        XCTAssertEqual(left.filter { $0.hasPrefix("new-") }, [])
        XCTAssertLessThanOrEqual(left.count, 40, "no empty directories are left behind")
    }

    /// Random operations; what is read must be what was stored last.
    private func churn(_ store: some CacheStore, operations: Int, _ maxBytes: Int, _ maxEntries: Int) async throws {
        var generator = SeededGenerator(seed: 1)
        let heads = try (0..<200).map { try CacheEntry.Head.row(["X": "\($0)"], url: "\(url)/\($0)") }
        var written = [Data?](repeating: nil, count: 200)
        for round in 0..<operations {
            let number = Int.random(in: 0..<200, using: &generator)
            let head = heads[number]
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3:
                let count = Int.random(in: 0..<6000, using: &generator)
                let body = Data(repeating: UInt8(truncatingIfNeeded: round), count: count)
                written[number] = body
                await store.insert(
                    CacheEntry(
                        head: CacheEntry.Head(
                            url: head.url, key: head.key, variance: head.variance, status: 200, headers: head.headers,
                            requestDate: head.requestDate, responseDate: head.responseDate, byteCount: count),
                        body: body))
            case 3:
                written[number] = nil
                await store.removeAll(for: head.key)
            default:
                if let entry = await store.entry(for: head.key, selecting: anyVariant), entry.body != written[number] {
                    return XCTFail("round \(round): not what was stored")
                }
            }
            guard round % 500 == 0 || round == operations - 1 else { continue }
            let bytes = await store.byteCount()
            let count = await store.heads().count
            guard bytes <= maxBytes, count <= maxEntries else {
                return XCTFail("round \(round): \(bytes) bytes, \(count) entries")
            }
        }
    }
}
