import Ferry
import FerryTesting
import XCTest

final class LRUIndexTests: XCTestCase {
    func testOperations_agreeWithASlowList() {
        var generator = SeededGenerator(seed: 7)
        var index = LRUIndex<Int>()
        var slow: [(key: Int, bytes: Int)] = []
        for round in 0..<20_000 {
            let key = Int.random(in: 0..<40, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1:
                let bytes = Int.random(in: 0...100, using: &generator)
                index.set(key, bytes: bytes)
                slow.removeAll { $0.key == key }
                slow.append((key, bytes))
            case 2:
                index.touch(key)
                if let place = slow.firstIndex(where: { $0.key == key }) { slow.append(slow.remove(at: place)) }
            default:
                index.remove(key)
                slow.removeAll { $0.key == key }
            }
            guard index.oldestKey == slow.first?.key, index.count == slow.count,
                index.bytes == slow.reduce(0, { $0 + $1.bytes }),
                index.bytes(of: key) == slow.first(where: { $0.key == key })?.bytes
            else { return XCTFail("round \(round)") }
        }
        while let oldest = index.oldestKey {
            XCTAssertEqual(oldest, slow.removeFirst().key)
            index.remove(oldest)
        }
        XCTAssert(slow.isEmpty)
        XCTAssertEqual(index.bytes, 0)
    }
}
