import Ferry
import FerryTesting
import Foundation
import XCTest

final class DiskStoreTests: XCTestCase {
    private var directory: URL!
    private let url = "https://api.example/items"

    override func setUpWithError() throws { directory = try temporaryDirectory() }

    private func store(maxEntries: Int = 100) -> DiskStore {
        DiskStore(directory: directory.appending(path: "a/cache"), maxEntries: maxEntries)
    }

    private func files() throws -> [URL] {
        let root = directory.appending(path: "a/cache/v1")
        let names = try FileManager.default.subpathsOfDirectory(atPath: root.path())
        return names.filter { $0.contains("/") }.map { root.appending(path: $0) }
    }

    private func permissions(_ file: URL) throws -> Int {
        try XCTUnwrap(FileManager.default.attributesOfItem(atPath: file.path())[.posixPermissions] as? Int)
    }

    func testFiles_areForTheUserAlone() async throws {
        await store().insert(try .test(url, "x"))
        let file = try XCTUnwrap(files().first)
        XCTAssertEqual(try permissions(file), 0o600)
        for path in ["a", "a/cache", "a/cache/v1", "a/cache/v1/\(file.deletingLastPathComponent().lastPathComponent)"] {
            XCTAssertEqual(try permissions(directory.appending(path: path)), 0o700, path)
        }
        XCTAssertFalse(file.path().contains("items"))
    }

    func testRestart_findsTheEntriesAndTheirOrder() async throws {
        let entries = try (0..<4).map { try CacheEntry.test("\(url)/\($0)", "\($0)") }
        let first = store(maxEntries: 3)
        for entry in entries[..<3] { await first.insert(entry) }
        _ = await first.entry(for: entries[0].head.key, selecting: anyVariant)
        let second = store(maxEntries: 3)
        let found = await second.entry(for: entries[1].head.key, selecting: anyVariant)
        XCTAssertEqual(found, entries[1])
        await second.insert(entries[3])
        let left = await Set(second.heads().map(\.url.lastPathComponent))
        XCTAssertEqual(left, ["0", "1", "3"])
    }

    func testTwoStores_seeOneAnother() async throws {
        let one = store()
        let two = store()
        let entry = try CacheEntry.test(url, "one")
        await one.insert(entry)
        let seen = await two.entry(for: entry.head.key, selecting: anyVariant)
        XCTAssertEqual(seen, entry)
        await two.removeAll(for: entry.head.key)
        let gone = await one.entry(for: entry.head.key, selecting: anyVariant)
        XCTAssertNil(gone)
    }

    func testTwoStores_atOnceGiveWholeEntriesOrNone() async throws {
        let stores = [store(maxEntries: 5), store(maxEntries: 5)]
        let url = url
        await withTaskGroup(of: Void.self) { group in
            for (seed, store) in stores.enumerated() {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(seed))
                    for _ in 0..<1500 {
                        let number = Int.random(in: 0..<8, using: &generator)
                        let text = String(repeating: "\(number)", count: Int.random(in: 1...3000, using: &generator))
                        guard let entry = try? CacheEntry.test("\(url)/\(number)", text) else { return }
                        switch Int.random(in: 0..<3, using: &generator) {
                        case 0: await store.insert(entry)
                        case 1: await store.removeAll(for: entry.head.key)
                        default:
                            let found = await store.entry(for: entry.head.key, selecting: anyVariant)
                            let digits = Set(found?.body ?? Data())
                            XCTAssert(found == nil || digits == [UInt8(0x30 + number)], "a mixture")
                        }
                    }
                }
            }
        }
    }

    func testDamage_isAMissAndTheFileGoes() async throws {
        var generator = SeededGenerator(seed: 3)
        let entry = try CacheEntry.test(url, "some content", headers: ["ETag": "\"1\"", "Cache-Control": "max-age=9"])
        let good = CacheEntryCoding.encode(entry)
        XCTAssertEqual(CacheEntryCoding.decode(good), entry)
        let store = store()
        for round in 0..<(good.count * 2 + 200) {
            var bad = good
            if round < good.count {
                bad[round] ^= UInt8(1 << Int.random(in: 0..<8, using: &generator))
            } else if round < good.count * 2 {
                bad = good.prefix(round - good.count)
            } else if round % 2 == 0 {
                bad.append(contentsOf: [UInt8](repeating: 0, count: round % 7 + 1))
            } else {
                bad = Data((0..<round).map { _ in UInt8.random(in: 0...255, using: &generator) })
                bad.replaceSubrange(0..<8, with: "FERRYCH1".utf8)
            }
            guard CacheEntryCoding.decode(bad) == nil else { return XCTFail("round \(round) was read") }
            _ = CacheEntryCoding.decodeHead(bad)
            guard round % 20 == 0 else { continue }
            await store.insert(entry)
            let file = try XCTUnwrap(files().first)
            try bad.write(to: file)
            let found = await store.entry(for: entry.head.key, selecting: anyVariant)
            XCTAssertNil(found, "round \(round)")
            XCTAssertEqual(try files(), [], "round \(round)")
        }
    }

    func testMovedFile_isNotTheOtherURLsAnswer() async throws {
        let store = store()
        let entry = try CacheEntry.test(url, "one")
        let other = try CacheEntry.test("\(url)/other", "two")
        await store.insert(entry)
        let file = try XCTUnwrap(files().first)
        let data = try Data(contentsOf: file)
        await store.removeAll()
        await store.insert(other)
        try data.write(to: try XCTUnwrap(files().first))
        let found = await store.entry(for: other.head.key, selecting: anyVariant)
        XCTAssertNil(found)
    }

    func testClear_leavesForeignFilesAlone() async throws {
        let store = store()
        await store.insert(try .test(url, "x"))
        let foreign = directory.appending(path: "a/cache/v1/notes.txt")
        try Data("mine".utf8).write(to: foreign)
        await store.removeAll()
        XCTAssertEqual(try files(), [])
        XCTAssertEqual(try Data(contentsOf: foreign), Data("mine".utf8))
    }

    func testUnusableDirectory_isACacheOfMisses() async throws {
        let file = directory.appending(path: "file")
        try Data().write(to: file)
        let store = DiskStore(directory: file.appending(path: "cache"))
        let entry = try CacheEntry.test(url, "x")
        await store.insert(entry)
        let found = await store.entry(for: entry.head.key, selecting: anyVariant)
        XCTAssertNil(found)
        let error = await failure { () async throws(NetworkError) in try await store.prepare() }
        XCTAssertEqual(error?.kind, .file)
        try await self.store().prepare()
    }

    /// The writer is killed while it stores; whatever it left must be right or nothing.
    func testKilledWriter_leavesRightAnswersOrMisses() async throws {
        let helper = Bundle.main.bundleURL.deletingLastPathComponent().appending(path: "ferry-test-helper")
        let built = [helper, Bundle.main.bundleURL.appending(path: "ferry-test-helper")].first {
            FileManager.default.isExecutableFile(atPath: $0.path())
        }
        let program = try XCTUnwrap(built, "ferry-test-helper is not beside \(Bundle.main.bundleURL)")
        var generator = SeededGenerator(seed: 5)
        let cache = directory.appending(path: "killed")
        var answers = 0
        for round in 0..<100 {
            let process = Process()
            process.executableURL = program
            process.arguments = [
                "cache-writer", cache.path(), "\(UInt32.random(in: 1...UInt32.max, using: &generator))",
            ]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            // A random number of entries, and then a random part of the next one.
            var lines = Int.random(in: 1...12, using: &generator)
            while lines > 0 {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { return XCTFail("round \(round): the writer ended by itself") }
                lines -= data.count { $0 == 0x0A }
            }
            let start = ContinuousClock.now
            let part = Duration.microseconds(Int.random(in: 0...2000, using: &generator))
            while start.duration(to: .now) < part {}
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            XCTAssertEqual(process.terminationReason, .uncaughtSignal)

            let store = DiskStore(directory: cache, maxBytes: 1 << 20, maxEntries: 40)
            for number in 0..<60 {
                let key = CacheKey(try .test("https://api.example/killed/\(number)"))
                guard let entry = await store.entry(for: key, selecting: anyVariant) else { continue }
                answers += 1
                let version = try XCTUnwrap(entry.head.headers["X-Version"].flatMap { Int($0) })
                XCTAssertEqual(entry.head.headers["X-Number"], "\(number)")
                let isRight =
                    entry.body == Data(String(repeating: "\(number).\(version) ", count: version % 4000).utf8)
                guard isRight else { return XCTFail("round \(round): entry \(number) is damaged") }
            }
        }
        XCTAssertGreaterThan(answers, 100)
        // What the killed ones were writing goes with the next process that stores.
        let store = DiskStore(directory: cache, maxBytes: 1 << 20, maxEntries: 40)
        await store.insert(try .test(url, "x"))
        let left = try FileManager.default.contentsOfDirectory(atPath: cache.appending(path: "v1").path())
        XCTAssertEqual(left.filter { $0.hasPrefix("new-") }, [])
    }
}
