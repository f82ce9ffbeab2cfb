import FerryTesting
import Foundation
import XCTest

@testable import Ferry

final class ProgressFilterTests: XCTestCase {
    private let url = URL(filePath: "/x")

    /// What passes, as `milliseconds:completed/total`, of progresses at times in milliseconds.
    private func passed(_ steps: [(Int, Int64, Int64?)]) -> [String] {
        var filter = ProgressFilter()
        var passed: [String] = []
        for (time, completed, total) in steps {
            let event = CallEvent.progress(TransferProgress(completed: completed, total: total))
            passed += filter.pass(event, at: .milliseconds(time)).map { "\(time):\(name($0))" }
        }
        passed += filter.pass(.cacheHit, at: .seconds(100)).map { "end:\(name($0))" }
        return passed
    }

    private func name(_ event: CallEvent) -> String {
        switch event {
        case .sent(let progress): "sent \(progress.completed)/\(progress.total.map { "\($0)" } ?? "?")"
        case .progress(let progress): "\(progress.completed)/\(progress.total.map { "\($0)" } ?? "?")"
        case .attempt(let number, _): "attempt \(number)"
        case .cacheHit: "other"
        default: "?"
        }
    }

    func testFilter_passesFirstLastAndTenASecond() {
        XCTAssertEqual(
            passed([(0, 1, 9), (10, 2, 9), (99, 3, 9), (100, 4, 9), (101, 5, 9), (150, 9, 9)]),
            ["0:1/9", "100:4/9", "150:9/9", "end:other"])
        XCTAssertEqual(
            passed([(0, 1, nil), (10, 2, nil), (20, 3, nil)]), ["0:1/?", "end:3/?", "end:other"],
            "without a total the last comes before what follows")
    }

    func testFilter_neverGoesBackAndNeverRepeats() {
        XCTAssertEqual(
            passed([(0, 5, 9), (200, 4, 9), (300, 5, 9), (400, 6, 9), (401, 9, 9), (402, 9, 9), (500, 8, 9)]),
            ["0:5/9", "400:6/9", "401:9/9", "end:other"])
    }

    func testFilter_startsAnewWithEachAttempt() {
        var filter = ProgressFilter()
        let request = HTTPRequest(method: .post, url: url, headers: [:], body: .data(Data(count: 10)))
        var passed: [String] = []
        func pass(_ event: CallEvent, _ time: Int) {
            passed += filter.pass(event, at: .milliseconds(time)).map(name)
        }
        pass(.attempt(1, request), 0)
        pass(.sent(TransferProgress(completed: 6, total: 10)), 1)
        pass(.sent(TransferProgress(completed: 8, total: 10)), 2)
        pass(.attempt(2, request), 3)
        pass(.sent(TransferProgress(completed: 10, total: 10)), 4)
        XCTAssertEqual(
            passed, ["attempt 1", "sent 0/10", "sent 8/10", "attempt 2", "sent 0/10", "sent 10/10"])
    }

    func testFilter_isMonotonicWhateverComes() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            var filter = ProgressFilter()
            var last: Int64 = -1
            var time = 0
            for _ in 0..<20 {
                time += Int.random(in: 0...80, using: &generator)
                let total = Bool.random(using: &generator) ? Int64.random(in: -5...50, using: &generator) : nil
                let progress = TransferProgress(completed: .random(in: -5...50, using: &generator), total: total)
                for event in filter.pass(.progress(progress), at: .milliseconds(time)) {
                    guard case .progress(let passed) = event else { return XCTFail("not a progress") }
                    XCTAssertGreaterThanOrEqual(passed.completed, max(last, 0))
                    if let fraction = passed.fraction { XCTAssertTrue((0...1).contains(fraction)) }
                    last = passed.completed
                }
            }
        }
    }
}
