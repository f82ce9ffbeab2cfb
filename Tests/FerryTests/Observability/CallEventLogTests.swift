import FerryTesting
import Foundation
import XCTest

@testable import Ferry

final class CallEventLogTests: XCTestCase {
    private func read(_ log: inout CallEventLog, from position: inout UInt64) -> [String] {
        var names: [String] = []
        while true {
            switch log.next(after: position) {
            case .event(let event, let next):
                position = next
                names.append(event.name)
            case .end: return names + ["end"]
            case nil: return names
            }
        }
    }

    private func progress(_ completed: Int64) -> CallEvent {
        .progress(TransferProgress(completed: completed, total: nil))
    }

    private let done = CallEvent.finished(.failure(.cancelled, CallTimings()))

    func testLog_givesEveryReaderEverythingFromTheStart() {
        var log = CallEventLog()
        var first: UInt64 = 0
        XCTAssertEqual(read(&log, from: &first), [])
        log.record(.queued, at: .zero)
        XCTAssertEqual(read(&log, from: &first), ["queued"])
        log.record(.cacheHit, at: .zero)
        log.record(done, at: .zero)
        log.record(.queued, at: .zero)
        XCTAssertEqual(read(&log, from: &first), ["cacheHit", "finished", "end"], "nothing is taken behind the end")
        var late: UInt64 = 0
        XCTAssertEqual(read(&log, from: &late), ["queued", "cacheHit", "finished", "end"])
    }

    func testLog_keepsOfProgressInARowTheFirstAndTheNewest() {
        var log = CallEventLog()
        var quick: UInt64 = 0
        log.record(.queued, at: .zero)
        for second in 1...1000 {
            log.record(progress(Int64(second)), at: .seconds(second))
            log.record(.sent(TransferProgress(completed: Int64(second), total: nil)), at: .seconds(second))
            if second == 1 { XCTAssertEqual(read(&log, from: &quick), ["queued", "progress 1", "sent 1"]) }
        }
        XCTAssertEqual(read(&log, from: &quick), ["progress 1000", "sent 1000"])
        log.record(.cacheHit, at: .zero)
        var late: UInt64 = 0
        XCTAssertEqual(
            read(&log, from: &late), ["queued", "progress 1", "sent 1", "progress 1000", "sent 1000", "cacheHit"])
    }

    func testLog_withoutHistoryForgetsWhatWasRead() {
        var log = CallEventLog(keepsHistory: false)
        let position = log.record(.data(Data([1])), at: .zero)
        XCTAssertFalse(log.isTaken(position))
        var reader: UInt64 = 0
        XCTAssertEqual(read(&log, from: &reader), ["data 1"])
        XCTAssertTrue(log.isTaken(position))
        var late: UInt64 = 0
        XCTAssertEqual(read(&log, from: &late), [])
    }

    func testChannel_isCancelledWithItsReader() async {
        let channel = CallEventChannel(clock: ManualClock())
        let reader = Task { await channel.next(after: 0) }
        reader.cancel()
        let step = await reader.value
        XCTAssertNil(step)
    }

    func testChannel_deliversNoFasterThanItsReader() async {
        let channel = CallEventChannel(clock: ManualClock(), keepsHistory: false)
        let isDelivered = Collected<Int>()
        let writer = Task {
            for number in 1...3 {
                await channel.deliver(.data(Data(count: number)))
                isDelivered.add(number)
            }
        }
        var position: UInt64 = 0
        for number in 1...3 {
            guard case .event(.data(let data), let next) = await channel.next(after: position) else {
                return XCTFail("no data")
            }
            position = next
            XCTAssertEqual(data.count, number)
            XCTAssertLessThanOrEqual(isDelivered.all.count, number)
        }
        await writer.value
        XCTAssertEqual(isDelivered.all, [1, 2, 3])
    }
}
