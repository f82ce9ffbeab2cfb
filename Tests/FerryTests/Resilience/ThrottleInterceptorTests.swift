import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

final class ThrottleInterceptorTests: XCTestCase {
    private let slot = Throttle(perHTTPSHost: 1)

    private func start(
        _ chain: InterceptorChain, clock: ManualClock, timeouts: Timeouts = Timeouts(), delivery: Delivery = .buffered,
        priority: CallPriority? = nil, url: String = "https://api.example/items"
    ) throws -> (task: Task<Result<HTTPResponse, NetworkError>, Never>, context: CallContext) {
        var options = CallOptions()
        options.priority = priority
        let context = CallContext(delivery: delivery, timeouts: timeouts, options: options, clock: clock)
        let request = HTTPRequest(url: try .test(url))
        let task = Task {
            await outcome { () async throws(NetworkError) -> HTTPResponse in
                try await chain.send(request, context: context)
            }
        }
        return (task, context)
    }

    /// Answers after a time by the client's clock.
    private func slow(_ time: Duration) -> MockTransport {
        MockTransport.answering { _ in .status(200).delayed(by: time) }
    }

    func testCall_whoseTimeIsUpBeforeItAsksForASlotIsNotSent() async throws {
        let clock = ManualClock()
        let transport = MockTransport.answering { request in
            request.path == "/items" ? .redirect(to: "/there") : .text("late")
        }
        let client = NetworkClient(baseURL: try .test("https://api.example")) {
            $0.transport = transport
            $0.clock = clock
            $0.timeouts = Timeouts(idle: nil, total: .seconds(5))
            $0.redirects = .custom { _ in
                clock.advance(by: .seconds(5))
                return .follow
            }
        }
        let error = await failure { () async throws(NetworkError) in
            try await client.string(NetworkCall(.get, "/items"))
        }
        XCTAssertEqual(error?.timeout, .total)
        XCTAssertEqual(transport.requests.count, 1)
    }

    func testThousandCalls_overSixSlotsKeepTheirAttemptTimeouts() async throws {
        let clock = ManualClock()
        let throttle = Throttle(perHTTPHost: 6)
        let gate = ThrottleGate(throttle, clock: clock)
        // Each exchange takes 1 s and would fail if it took 3.
        let counts = Mutex((now: 0, most: 0))
        let transport = MockTransport.answering { _ in
            let start = clock.now
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
            defer { counts.withLock { $0.now -= 1 } }
            try await clock.sleep(for: .seconds(1))
            return clock.now - start < .seconds(3) ? .status(200) : .failure(.timeout)
        }
        let chain = InterceptorChain([ThrottleInterceptor(throttle, gate: gate)], over: transport)
        let url = try URL.test("http://api.example/")
        let statuses = await withTaskGroup(of: HTTPStatus?.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    let context = CallContext(timeouts: Timeouts(attempt: .seconds(3)), clock: clock)
                    return try? await chain.send(HTTPRequest(url: url), context: context).status
                }
            }
            await waitUntil { gate.grantedCount + gate.queuedCount == 1000 }
            var left = 1000
            while left > 0 {
                await clock.waitForSleepers(min(6, left))
                XCTAssertLessThanOrEqual(clock.sleeperCount, 6)
                clock.advance(by: .seconds(1))
                left -= min(6, left)
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        XCTAssertEqual(statuses.count { $0 == .ok }, 1000)
        XCTAssertEqual(counts.withLock { $0.most }, 6)
        XCTAssertEqual(clock.now, .seconds(167))
        XCTAssertEqual(gate.grantedCount + gate.queuedCount, 0)
    }

    func testCancel_endsTheWaitAtOnceAndLosesNoSlot() async throws {
        let clock = ManualClock()
        let gate = ThrottleGate(slot, clock: clock)
        let chain = InterceptorChain(
            [ThrottleInterceptor(slot, gate: gate)], over: slow(.seconds(1)))
        let first = try start(chain, clock: clock)
        await clock.waitForSleepers()
        let second = try start(chain, clock: clock)
        await waitUntil { gate.queuedCount == 1 }
        let third = try start(chain, clock: clock)
        await waitUntil { gate.queuedCount == 2 }
        second.task.cancel()
        let cancelled = await second.task.value
        XCTAssertEqual(cancelled.error?.kind, .cancelled)
        XCTAssertEqual(gate.queuedCount, 1)
        clock.advance(by: .seconds(1))
        let one = await first.task.value
        XCTAssertEqual(one.value?.status, .ok)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        let three = await third.task.value
        XCTAssertEqual(three.value?.status, .ok)
        XCTAssertEqual(third.context.timings.queued, .seconds(1))
        XCTAssertEqual(first.context.timings.queued, .zero)
        XCTAssertEqual(gate.grantedCount, 0)
    }

    func testTotalTimeout_endsTheWait() async throws {
        let clock = ManualClock()
        let gate = ThrottleGate(slot, clock: clock)
        let chain = InterceptorChain(
            [ThrottleInterceptor(slot, gate: gate)], over: slow(.seconds(60)))
        let first = try start(chain, clock: clock)
        await clock.waitForSleepers()
        let second = try start(chain, clock: clock, timeouts: Timeouts(total: .seconds(2)))
        await clock.waitForSleepers(2)
        await waitUntil { gate.queuedCount == 1 }
        clock.advance(by: .seconds(2))
        let late = await second.task.value
        XCTAssertEqual(late.error?.timeout, .total)
        XCTAssertEqual(gate.queuedCount, 0)
        first.task.cancel()
        let gone = await first.task.value
        XCTAssertEqual(gone.error?.kind, .cancelled)
        XCTAssertEqual(gate.grantedCount, 0, "a cancelled exchange gives its slot back")
    }

    func testStream_keepsItsSlotUntilItEnds() async throws {
        let clock = ManualClock()
        let gate = ThrottleGate(slot, clock: clock)
        let throttled = ThrottleInterceptor(slot, gate: gate)
        let chain = InterceptorChain(
            [throttled],
            over: MockTransport.answering(inTurn: .text("one"), .text("two"), .text("Ba").cut(afterBytes: 2)))

        let read = try start(chain, clock: clock, delivery: .streamed)
        let response = try await read.task.value.get()
        XCTAssertEqual(gate.grantedCount, 1)
        let text = String(decoding: try await response.data(), as: UTF8.self)
        XCTAssertEqual(text, "one")
        XCTAssertEqual(gate.grantedCount, 0, "read to its end")

        var dropped: HTTPResponse? = try await start(chain, clock: clock, delivery: .streamed).task.value.get()
        XCTAssertEqual(gate.grantedCount, 1)
        XCTAssertEqual(dropped?.status, .ok)
        dropped = nil
        await waitUntil { gate.grantedCount == 0 }

        let cut = try await start(chain, clock: clock, delivery: .streamed).task.value.get()
        let broken = await outcome { () async throws(NetworkError) -> Data in try await cut.data() }
        XCTAssertEqual(broken.error?.kind, .connectionLost)
        XCTAssertEqual(gate.grantedCount, 0, "broken")
    }

    func testStream_ofARedirectOr401KeepsNone() async throws {
        let clock = ManualClock()
        let gate = ThrottleGate(slot, clock: clock)
        for status in [HTTPStatus(301), 401] {
            let chain = InterceptorChain(
                [ThrottleInterceptor(slot, gate: gate)],
                over: MockTransport.answering(inTurn: .text("x", status: status)))
            let response = try await start(chain, clock: clock, delivery: .streamed).task.value.get()
            XCTAssertEqual(gate.grantedCount, 0, "\(response.status)")
            let body = try await response.data()
            XCTAssertEqual(body, Data("x".utf8))
        }
    }

    func testRate_spreadsTheStarts() async throws {
        let clock = ManualClock()
        let throttle = Throttle(rate: RateLimit(2, per: .seconds(1), burst: 1))
        let gate = ThrottleGate(throttle, clock: clock)
        let chain = InterceptorChain(
            [ThrottleInterceptor(throttle, gate: gate)],
            over: MockTransport.answering(inTurn: Array(repeating: .status(200), count: 4)))
        let calls = try (0..<4).map { _ in try start(chain, clock: clock) }
        await waitUntil { gate.queuedCount == 3 && gate.grantedCount == 0 }
        var ends: [Duration] = []
        for left in [2, 1, 0] {
            await clock.waitForSleepers()
            clock.advanceToNextDeadline()
            await waitUntil { gate.queuedCount == left && gate.grantedCount == 0 }
            ends.append(clock.now)
        }
        XCTAssertEqual(ends, [.milliseconds(500), .seconds(1), .milliseconds(1500)])
        for call in calls {
            let result = await call.task.value
            XCTAssertEqual(result.value?.status, .ok)
        }
    }

    func testServerLimit_holdsTheHostWhereAsked() async throws {
        for (respects, waits) in [(true, true), (false, false)] {
            let clock = ManualClock()
            let throttle = Throttle(respectsServerLimits: respects, longestHold: .seconds(60))
            let gate = ThrottleGate(throttle, clock: clock)
            let transport = MockTransport.answering(
                inTurn: .status(429, headers: ["Retry-After": "3600"]), .status(200))
            let chain = InterceptorChain([ThrottleInterceptor(throttle, gate: gate)], over: transport)
            let first = try await start(chain, clock: clock).task.value.get()
            XCTAssertEqual(first.status, .tooManyRequests)
            let second = try start(chain, clock: clock)
            if waits {
                await clock.waitForSleepers()
                XCTAssertEqual(clock.nextDeadline, .seconds(60))
                clock.advance(by: .seconds(60))
            }
            let result = await second.task.value
            XCTAssertEqual(result.value?.status, .ok)
            XCTAssertEqual(second.context.timings.queued, waits ? .seconds(60) : .zero)
        }
    }

    func testCancelStorm_leavesNothingBehind() async throws {
        let clock = ManualClock()
        let throttle = Throttle(perHTTPSHost: 3)
        let gate = ThrottleGate(throttle, clock: clock)
        let yielding = MockTransport.answering { _ in
            await Task.yield()
            return .status(200)
        }
        let chain = InterceptorChain([ThrottleInterceptor(throttle, gate: gate)], over: yielding)
        let url = try URL.test()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    let context = CallContext(clock: clock)
                    let task = Task { _ = try? await chain.send(HTTPRequest(url: url), context: context) }
                    if number % 3 == 0 { task.cancel() }
                    if number % 3 == 1 {
                        await Task.yield()
                        task.cancel()
                    }
                    await task.value
                }
            }
        }
        XCTAssertEqual(gate.grantedCount, 0)
        XCTAssertEqual(gate.queuedCount, 0)
    }
}
