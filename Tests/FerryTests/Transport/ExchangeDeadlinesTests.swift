import XCTest

@testable import Ferry

final class ExchangeDeadlinesTests: XCTestCase {
    func testNext_isTheEarliestOfThoseThatRun() {
        var timeouts = Timeouts()
        timeouts.head = .seconds(3)
        timeouts.idle = .seconds(2)
        timeouts.attempt = .seconds(5)
        timeouts.total = nil
        let deadlines = ExchangeDeadlines(CallContext(timeouts: timeouts), start: .seconds(100))
        let rows: [(hasHead: Bool, lastActivity: Int?, kind: TimeoutKind, time: Int)] = [
            (false, 100, .idle, 102), (false, 102, .head, 103), (true, 102, .idle, 104), (true, 104, .attempt, 105),
            (false, nil, .head, 103), (true, nil, .attempt, 105),
        ]
        for row in rows {
            let activity = row.lastActivity.map { Duration.seconds($0) }
            let next = deadlines.next(hasHead: row.hasHead, lastActivity: activity)
            XCTAssertEqual(next?.kind, row.kind, "\(row)")
            XCTAssertEqual(next?.time, .seconds(row.time), "\(row)")
            let before = Duration.seconds(row.time) - .nanoseconds(1)
            XCTAssertNil(deadlines.failure(at: before, hasHead: row.hasHead, lastActivity: activity), "\(row)")
            let failure = deadlines.failure(at: .seconds(row.time), hasHead: row.hasHead, lastActivity: activity)
            XCTAssertEqual(failure?.timeout, row.kind, "\(row)")
        }
    }

    func testNext_isNothingWithoutTimeouts() {
        var timeouts = Timeouts()
        (timeouts.head, timeouts.idle, timeouts.attempt, timeouts.total) = (nil, nil, nil, nil)
        let deadlines = ExchangeDeadlines(CallContext(timeouts: timeouts), start: .zero)
        XCTAssertNil(deadlines.next(hasHead: false, lastActivity: .zero)?.time)
        XCTAssertNil(deadlines.failure(at: .seconds(1 << 40), hasHead: false, lastActivity: .zero))
    }
}
