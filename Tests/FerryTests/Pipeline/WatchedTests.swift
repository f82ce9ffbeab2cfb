import XCTest

@testable import Ferry

final class WatchedTests: XCTestCase {
    func testWait_givesWhatTheConditionGives() async {
        let watched = Watched(0)
        let waiters = (1...20).map { goal in Task { await watched.wait { $0 >= goal ? $0 : nil } } }
        for _ in 1...20 { watched.change { $0 += 1 } }
        for (index, waiter) in waiters.enumerated() {
            let value = await waiter.value
            XCTAssertGreaterThanOrEqual(value ?? 0, index + 1)
        }
    }

    func testWait_wakesOthersWhereItChanges() async {
        let watched = Watched([1, 2, 3])
        async let empty: Bool? = watched.wait { $0.isEmpty ? true : nil }
        for _ in 1...3 { _ = await watched.wait { $0.popLast() } }
        let isEmpty = await empty
        XCTAssertEqual(isEmpty, true)
    }

    func testWait_endsWithItsTask() async {
        let watched = Watched(0)
        for _ in 1...200 {
            let waiter = Task { await watched.wait { $0 > 0 ? $0 : nil } }
            if Bool.random() { await Task.yield() }
            waiter.cancel()
            let value = await waiter.value
            XCTAssertNil(value)
        }
    }
}
