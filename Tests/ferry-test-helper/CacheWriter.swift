import Ferry
import Foundation

/// Stores entries in a disk store until it is killed; says so after each one.
enum CacheWriter {
    static func run(_ directory: URL, seed: UInt64) async {
        var state = seed
        let store = DiskStore(directory: directory, maxBytes: 1 << 20, maxEntries: 40)
        var count = 0
        while true {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let number = Int(state >> 33) % 60
            let version = Int(state >> 40)
            guard let entry = entry(number: number, version: version) else { return }
            await store.insert(entry)
            count += 1
            FileHandle.standardOutput.write(Data("\(count)\n".utf8))
        }
    }

    /// The entry of a number and a version: the content can be told from both.
    static func entry(number: Int, version: Int) -> CacheEntry? {
        guard let url = URL(string: "https://api.example/killed/\(number)") else { return nil }
        let body = Data(String(repeating: "\(number).\(version) ", count: version % 4000).utf8)
        let head = CacheEntry.Head(
            url: url, key: CacheKey(url), variance: CacheVariance(fields: [], credential: "", target: ""), status: .ok,
            headers: ["X-Version": "\(version)", "X-Number": "\(number)"],
            requestDate: Date(timeIntervalSince1970: 0), responseDate: Date(timeIntervalSince1970: 0),
            byteCount: body.count)
        return CacheEntry(head: head, body: body)
    }
}
