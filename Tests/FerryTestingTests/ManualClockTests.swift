import Ferry
import FerryTesting
import XCTest

final class ManualClockTests: XCTestCase {
    func testAdvance_wakesSleepersInTheOrderOfTheirDeadlines() async throws {
        let clock = ManualClock()
        let woken = await withTaskGroup(of: Int.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try? await clock.sleep(for: .seconds(seconds))
                    return seconds
                }
            }
            await clock.waitForSleepers(3)
            var woken: [Int] = []
            while clock.advanceToNextDeadline() != nil, let next = await group.next() { woken.append(next) }
            return woken
        }
        XCTAssertEqual(woken, [1, 2, 3])
        XCTAssertEqual(clock.now, .seconds(3))
    }

    func testSleep_endsAtOnceWhenCancelled() async {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(60)) }
        await clock.waitForSleepers()
        task.cancel()
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        XCTAssertEqual(clock.sleeperCount, 0)
    }

    func testSleep_inThePastReturnsAtOnce() async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(2))
        try await clock.sleep(until: .seconds(1))
        XCTAssertEqual(clock.date.timeIntervalSince1970, 1_767_225_602)
    }
}
