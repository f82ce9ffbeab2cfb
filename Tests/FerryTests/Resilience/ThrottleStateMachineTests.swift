import Ferry
import FerryTesting
import Foundation
import XCTest

final class ThrottleStateMachineTests: XCTestCase {
    private typealias Ticket = ThrottleStateMachine.Ticket

    private func origin(_ text: String) throws -> Origin { try XCTUnwrap(Origin(.test(text))) }

    func testLimits_differByScheme() throws {
        let rows: [(String, Throttle, Int)] = [
            ("http://a.example", Throttle(), 6), ("https://a.example", Throttle(), 100),
            ("http://a.example", .none, 500), ("https://a.example", Throttle(total: 3), 3),
            ("http://a.example", Throttle(perHTTPHost: 0), 1), ("http://a.example", Throttle(total: -4), 1),
        ]
        for (url, throttle, expected) in rows {
            var machine = ThrottleStateMachine(throttle)
            for _ in 0..<500 { _ = machine.acquire(try origin(url), priority: .normal, at: .zero) }
            XCTAssertEqual(machine.grantedCount, expected, "\(url) \(throttle)")
            XCTAssertEqual(machine.queuedCount, 500 - expected)
        }
    }

    func testOrder_isPriorityThenArrival() throws {
        var machine = ThrottleStateMachine(Throttle(perHTTPHost: 1))
        let host = try origin("http://a.example")
        var running = machine.acquire(host, priority: .low, at: .zero).ticket
        let order: [CallPriority] = [.normal, .low, .high, .normal, .high, .low]
        let tickets = order.map { machine.acquire(host, priority: $0, at: .zero).ticket }
        var seen: [Int] = []
        for _ in order {
            let granted = machine.release(running, at: .zero)
            XCTAssertEqual(granted.count, 1)
            running = try XCTUnwrap(granted.first)
            seen.append(try XCTUnwrap(tickets.firstIndex(of: running)))
        }
        XCTAssertEqual(seen, [2, 4, 0, 3, 1, 5])
    }

    func testFullHost_doesNotHoldUpOthers() throws {
        var machine = ThrottleStateMachine(Throttle(perHTTPHost: 1))
        let (a, b) = (try origin("http://a.example"), try origin("http://b.example"))
        _ = machine.acquire(a, priority: .high, at: .zero)
        let waiting = machine.acquire(a, priority: .high, at: .zero)
        XCTAssertEqual(waiting.granted, [])
        let other = machine.acquire(b, priority: .low, at: .zero)
        XCTAssertEqual(other.granted, [other.ticket])
    }

    func testRate_letsABurstThroughAndThenOneAtATime() throws {
        var machine = ThrottleStateMachine(Throttle(rate: RateLimit(10, per: .seconds(1), burst: 2)))
        let host = try origin("https://a.example")
        for _ in 0..<5 { _ = machine.acquire(host, priority: .normal, at: .zero) }
        XCTAssertEqual(machine.grantedCount, 2)
        for turn in 1...3 {
            let due = Duration.milliseconds(100 * turn)
            XCTAssertEqual(machine.nextWake(at: due - .milliseconds(60)), due)
            XCTAssertEqual(machine.dispatch(at: due - .milliseconds(1)), [])
            XCTAssertEqual(machine.dispatch(at: due).count, 1)
        }
        XCTAssertNil(machine.nextWake(at: .seconds(1)))
    }

    func testRate_thatIsTooFastForADurationIsNoLimit() throws {
        var machine = ThrottleStateMachine(Throttle(rate: RateLimit(.max, per: .seconds(1), burst: 1)))
        let host = try origin("https://a.example")
        for _ in 0..<3 { _ = machine.acquire(host, priority: .normal, at: .zero) }
        XCTAssertEqual(machine.grantedCount, 3)
    }

    func testHold_leavesAHostAloneUntilItsTime() throws {
        var machine = ThrottleStateMachine(Throttle())
        let (a, b) = (try origin("https://a.example"), try origin("https://b.example"))
        machine.hold(a, until: .seconds(30))
        machine.hold(a, until: .seconds(10))
        let held = machine.acquire(a, priority: .high, at: .zero)
        XCTAssertEqual(held.granted, [])
        XCTAssertEqual(machine.acquire(b, priority: .low, at: .zero).granted.count, 1)
        XCTAssertEqual(machine.nextWake(at: .zero), .seconds(30))
        XCTAssertEqual(machine.dispatch(at: .seconds(29)), [])
        XCTAssertEqual(machine.dispatch(at: .seconds(30)), [held.ticket])
    }

    func testHosts_areForgotten() throws {
        var machine = ThrottleStateMachine(Throttle())
        for number in 0..<100 {
            let host = try origin("https://h\(number).example")
            let ticket = machine.acquire(host, priority: .normal, at: .zero).ticket
            machine.hold(host, until: .seconds(1))
            _ = machine.release(ticket, at: .zero)
        }
        XCTAssertEqual(machine.hostCount, 100)
        machine.endHolds(at: .seconds(1))
        XCTAssertEqual(machine.hostCount, 0)
    }

    /// The rules, as plainly as they can be said.
    private struct Model {
        let throttle: Throttle
        var waiting: [(ticket: Ticket, origin: Origin, priority: CallPriority)] = []
        var granted: [(ticket: Ticket, origin: Origin)] = []

        mutating func dispatch() -> [Ticket] {
            var given: [Ticket] = []
            while granted.count < throttle.total ?? .max {
                let open = waiting.filter { one in
                    let limit = (one.origin.scheme == "https" ? throttle.perHTTPSHost : throttle.perHTTPHost) ?? .max
                    return granted.count { $0.origin == one.origin } < limit
                }
                guard let priority = open.map(\.priority).max(),
                    let next = open.filter({ $0.priority == priority }).map(\.ticket).min(),
                    let index = waiting.firstIndex(where: { $0.ticket == next })
                else { break }
                granted.append((next, waiting.remove(at: index).origin))
                given.append(next)
            }
            return given
        }
    }

    func testRandomSteps_followTheModelAndLoseNoSlot() throws {
        let origins = try ["http://a.example", "http://b.example", "https://a.example", "https://c.example"].map(origin)
        for seed: UInt64 in 1...4 {
            var generator = SeededGenerator(seed: seed)
            let throttle = Throttle(perHTTPHost: 2, perHTTPSHost: 3, total: seed % 2 == 0 ? 7 : nil)
            var machine = ThrottleStateMachine(throttle)
            var model = Model(throttle: throttle)
            for step in 0..<2_500 {
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<5:
                    let origin = try XCTUnwrap(origins.randomElement(using: &generator))
                    let priority = try XCTUnwrap(CallPriority.allCases.randomElement(using: &generator))
                    let (ticket, granted) = machine.acquire(origin, priority: priority, at: .zero)
                    model.waiting.append((ticket, origin, priority))
                    XCTAssertEqual(granted, model.dispatch(), "seed \(seed) step \(step)")
                case 5..<7:
                    if let one = model.waiting.randomElement(using: &generator) {
                        model.waiting.removeAll { $0.ticket == one.ticket }
                        XCTAssertTrue(machine.cancel(one.ticket))
                        XCTAssertFalse(machine.cancel(one.ticket), "twice")
                    } else if let one = model.granted.randomElement(using: &generator) {
                        XCTAssertFalse(machine.cancel(one.ticket), "has its slot")
                    }
                    XCTAssertEqual(machine.dispatch(at: .zero), [], "a cancel frees nothing")
                default:
                    guard let one = model.granted.randomElement(using: &generator) else { continue }
                    model.granted.removeAll { $0.ticket == one.ticket }
                    XCTAssertEqual(
                        machine.release(one.ticket, at: .zero), model.dispatch(), "seed \(seed) step \(step)")
                    XCTAssertEqual(machine.release(one.ticket, at: .zero), [], "twice")
                }
                XCTAssertEqual(machine.grantedCount, model.granted.count)
                XCTAssertEqual(machine.queuedCount, model.waiting.count)
            }
            // Everybody gets through in the end.
            while let one = model.granted.popLast() {
                XCTAssertEqual(machine.release(one.ticket, at: .zero), model.dispatch())
            }
            XCTAssertEqual(machine.grantedCount + machine.queuedCount + machine.hostCount, 0, "seed \(seed)")
        }
    }
}
