import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

final class CoalescingInterceptorTests: XCTestCase {
    private struct Call {
        let task: Task<Result<HTTPResponse, NetworkError>, Never>
        let context: CallContext
        let log: EventRecorder

        /// The body, or nil where the call failed.
        var text: String? {
            get async {
                guard case .data(let data)? = await task.value.value?.body else { return nil }
                return String(decoding: data, as: UTF8.self)
            }
        }
    }

    private enum Marker: CallOptionKey { typealias Value = String }
    private enum Closure: CallOptionKey { typealias Value = @Sendable () -> Void }

    private let clock = ManualClock()

    private func start(
        _ chain: InterceptorChain, _ method: HTTPMethod = .get, _ url: String = "https://api.example/items",
        headers: HTTPHeaders = [:], body: RequestBody = .none, delivery: Delivery = .buffered,
        timeouts: Timeouts = Timeouts(), limits: Limits = Limits(), options: CallOptions = CallOptions()
    ) throws -> Call {
        let log = EventRecorder()
        let context = CallContext(
            delivery: delivery, timeouts: timeouts, options: options, limits: limits, clock: clock,
            sink: log.sink)
        let request = HTTPRequest(method: method, url: try .test(url), headers: headers, body: body)
        let task = Task {
            await outcome { () async throws(NetworkError) -> HTTPResponse in
                try await chain.send(request, context: context)
            }
        }
        return Call(task: task, context: context, log: log)
    }

    private let held = HeldReplies()

    private func setUpChain(
        isDefault: Bool = true, retry: RetryPolicy = .never
    ) -> (CoalescingInterceptor, MockTransport, InterceptorChain) {
        let coalescing = CoalescingInterceptor(isDefault: isDefault)
        let transport = MockTransport.answering { [held] in try await held.reply($0) }
        let chain = InterceptorChain([coalescing, RetryInterceptor(retry)], over: transport)
        return (coalescing, transport, chain)
    }

    func testIdenticalCalls_shareOneExchange() async throws {
        let (coalescing, transport, chain) = setUpChain()
        let calls = try (0..<10).map { _ in try start(chain) }
        await waitUntil { coalescing.waiterCount == 10 && held.waiting == 1 }
        held.answer(.text("shared"))
        for call in calls {
            let text = await call.text
            XCTAssertEqual(text, "shared")
            XCTAssertEqual(call.context.attempts.map(\.status), [200])
            XCTAssertEqual(call.context.timings.attempts, 1)
        }
        XCTAssertEqual(transport.requests.count, 1)
        XCTAssertEqual(coalescing.count, 0)

        let later = try start(chain)
        await waitUntil { held.waiting == 1 }
        held.answer(.text("new"))
        let text = await later.text
        XCTAssertEqual(text, "new", "only exchanges in flight are shared")
    }

    func testFailure_isShared() async throws {
        let (coalescing, _, chain) = setUpChain()
        let calls = try (0..<3).map { _ in try start(chain) }
        await waitUntil { coalescing.waiterCount == 3 && held.waiting == 1 }
        held.answer(.failure(.connectionLost))
        for call in calls {
            let error = await call.task.value.error
            XCTAssertEqual(error?.kind, .connectionLost)
            XCTAssertEqual(error?.attempts.count, 1)
        }
    }

    func testDifferentCalls_areSentByThemselves() async throws {
        var marked = CallOptions()
        marked[Marker.self] = "user 2"
        var closure = CallOptions()
        closure[Closure.self] = {}
        var off = CallOptions()
        off.coalesces = false
        let (coalescing, _, chain) = setUpChain()
        let calls = [
            try start(chain),
            try start(chain, .head),
            try start(chain, .get, "https://api.example/items?page=2"),
            try start(chain, headers: ["Accept": "text/csv"]),
            try start(chain, headers: ["Authorization": "Bearer a"]),
            try start(chain, headers: ["Authorization": "Bearer b"]),
            try start(chain, headers: ["X-A": "1", "x-a": "2"]),
            try start(chain, headers: ["X-A": "2", "x-a": "1"]),
            try start(chain, limits: Limits(bufferedBody: 10)),
            try start(chain, timeouts: Timeouts(head: .seconds(1))),
            try start(chain, options: marked),
            try start(chain, options: closure), try start(chain, options: closure),
            try start(chain, options: off), try start(chain, options: off),
            try start(chain, .post), try start(chain, .post),
            try start(chain, .delete), try start(chain, .delete),
            try start(chain, "QUERY", body: .text("a")), try start(chain, "QUERY", body: .text("a")),
            try start(chain, delivery: .streamed), try start(chain, delivery: .streamed),
        ]
        await waitUntil { held.waiting == calls.count }
        XCTAssertEqual(coalescing.count, 11)
        for _ in calls { held.answer(.status(200)) }
        for call in calls {
            let result = await call.task.value
            XCTAssertEqual(result.value?.status, .ok)
        }
    }

    func testSameCalls_writtenDifferentlyShare() async throws {
        var options = CallOptions()
        options[Marker.self] = "a"
        var policy = options
        policy.retry = .constant()
        policy.priority = .high
        policy.coalesces = true
        let (coalescing, transport, chain) = setUpChain()
        let calls = [
            try start(chain, headers: ["A": "1", "B": "2"], options: options),
            try start(chain, headers: ["b": "2", "a": "1"], options: policy),
            try start(
                chain, .get, "https://api.example/items#top", headers: ["A": "1", "B": "2"],
                timeouts: Timeouts(total: .seconds(5)), options: options),
        ]
        await waitUntil { coalescing.waiterCount == 3 && held.waiting == 1 }
        held.answer(.status(200))
        for call in calls { _ = await call.task.value }
        XCTAssertEqual(transport.requests.count, 1)
    }

    func testOff_unlessTheCallAsks() async throws {
        let (coalescing, _, chain) = setUpChain(isDefault: false)
        let plain = try (0..<2).map { _ in try start(chain) }
        await waitUntil { held.waiting == 2 }
        XCTAssertEqual(coalescing.count, 0)
        var options = CallOptions()
        options.coalesces = true
        let asking = try (0..<2).map { _ in try start(chain, options: options) }
        await waitUntil { coalescing.waiterCount == 2 && held.waiting == 3 }
        for _ in 0..<3 { held.answer(.status(200)) }
        for call in plain + asking { _ = await call.task.value }
    }

    func testCancel_ofOneLeavesTheOthers() async throws {
        let (coalescing, _, chain) = setUpChain()
        let first = try start(chain)
        await waitUntil { held.waiting == 1 }
        let second = try start(chain)
        await waitUntil { coalescing.waiterCount == 2 }
        first.task.cancel()
        let cancelled = await first.task.value.error
        XCTAssertEqual(cancelled?.kind, .cancelled, "the first to come is no different from the others")
        XCTAssertEqual(coalescing.waiterCount, 1)
        held.answer(.text("on"))
        let text = await second.text
        XCTAssertEqual(text, "on")
        XCTAssertEqual(held.cancelled, 0)
    }

    func testCancel_ofTheLastCancelsTheExchange() async throws {
        let (coalescing, _, chain) = setUpChain()
        let calls = try (0..<2).map { _ in try start(chain) }
        await waitUntil { coalescing.waiterCount == 2 && held.waiting == 1 }
        for call in calls { call.task.cancel() }
        for call in calls {
            let error = await call.task.value.error
            XCTAssertEqual(error?.kind, .cancelled)
        }
        await waitUntil { held.cancelled == 1 }
        XCTAssertEqual(coalescing.count, 0)

        let next = try start(chain)
        await waitUntil { held.waiting == 1 }
        held.answer(.text("again"))
        let text = await next.text
        XCTAssertEqual(text, "again", "an exchange that was left cannot be joined")
    }

    func testTotalTimeout_isEachCallsOwn() async throws {
        let (coalescing, _, chain) = setUpChain()
        let hasty = try start(chain, timeouts: Timeouts(total: .seconds(2)))
        let patient = try start(chain)
        await waitUntil { coalescing.waiterCount == 2 && held.waiting == 1 }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(2))
        let late = await hasty.task.value.error
        XCTAssertEqual(late?.timeout, .total)
        held.answer(.text("in time"))
        let text = await patient.text
        XCTAssertEqual(text, "in time")
    }

    func testEvents_reachAllThatWait() async throws {
        let (coalescing, _, chain) = setUpChain(retry: .constant(.seconds(1), maxRetries: 1))
        let calls = try (0..<3).map { _ in try start(chain) }
        await waitUntil { coalescing.waiterCount == 3 && held.waiting == 1 }
        held.answer(.status(503))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await waitUntil { held.waiting == 1 }
        held.answer(.status(200))
        for call in calls {
            let result = await call.task.value
            XCTAssertEqual(result.value?.status, .ok)
            XCTAssertEqual(call.log.retries.map(\.wait), [.seconds(1)])
            XCTAssertEqual(call.context.attempts.map(\.status), [503, 200])
            XCTAssertEqual(call.context.timings.retryWait, .seconds(1))
        }
    }

    func testStorm_leavesNothingBehind() async throws {
        let coalescing = CoalescingInterceptor()
        let transport = MockTransport.answering { _ in
            for _ in 0..<3 { await Task.yield() }
            return .status(200)
        }
        let chain = InterceptorChain([coalescing], over: transport)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    guard let url = URL(string: "https://api.example/\(number % 5)") else { return }
                    let context = CallContext()
                    let task = Task {
                        await outcome { () async throws(NetworkError) -> HTTPResponse in
                            try await chain.send(HTTPRequest(url: url), context: context)
                        }
                    }
                    if number % 3 == 0 { await Task.yield() }
                    if number % 2 == 0 { task.cancel() }
                    let result = await task.value
                    if number % 2 == 1 { XCTAssertEqual(result.value?.status, .ok) }
                }
            }
        }
        XCTAssertEqual(coalescing.count, 0)
    }

    /// Does not notice that it is cancelled, and tells something when it is let go.
    private struct Stubborn: Interceptor {
        let gates: [Gate]
        let entered = Collected<Int>()
        let left = Collected<Int>()

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws(NetworkError)
            -> HTTPResponse
        {
            let number = entered.all.count
            entered.add(number)
            await Task.detached { await gates[number].wait() }.value
            context.emit(.cacheHit)
            left.add(number)
            return try await next(request)
        }
    }

    func testExchangeThatAllLeft_tellsNothingToTheNext() async throws {
        let coalescing = CoalescingInterceptor()
        let stubborn = Stubborn(gates: [Gate(), Gate()])
        let chain = InterceptorChain([coalescing, stubborn], over: MockTransport.answering { _ in .status(200) })
        let first = try start(chain)
        await waitUntil { stubborn.entered.all.count == 1 }
        first.task.cancel()
        _ = await first.task.value
        let second = try start(chain)
        await waitUntil { stubborn.entered.all.count == 2 }
        stubborn.gates[0].open()
        await waitUntil { stubborn.left.all.count == 1 }
        XCTAssertEqual(second.log.events.map(\.name), [])
        stubborn.gates[1].open()
        _ = await second.task.value
        XCTAssertEqual(second.log.events.map(\.name).filter { $0 == "cacheHit" }, ["cacheHit"])
    }
}

/// Holds each exchange of a mock until the test answers it.
private final class HeldReplies: Sendable {
    private struct Exchange {
        let id: Int
        let gate: Gate
    }

    private struct State {
        var waiting: [Exchange] = []
        var answers: [Int: MockResponse] = [:]
        var cancelled = 0
    }

    /// Guards who waits: exchanges come, are answered and are cancelled on different tasks.
    private let state = Mutex(State())

    var waiting: Int { state.withLock { $0.waiting.count } }
    var cancelled: Int { state.withLock { $0.cancelled } }

    /// Answers the oldest.
    func answer(_ response: MockResponse) {
        state.withLock { state -> Gate? in
            guard !state.waiting.isEmpty else { return nil }
            let exchange = state.waiting.removeFirst()
            state.answers[exchange.id] = response
            return exchange.gate
        }?.open()
    }

    func reply(_ request: RecordedRequest) async throws -> MockResponse {
        let gate = Gate()
        state.withLock { $0.waiting.append(Exchange(id: request.number, gate: gate)) }
        await gate.wait()
        return try state.withLock { state in
            if let answer = state.answers.removeValue(forKey: request.number) { return answer }
            // The gate lets through who is cancelled.
            state.waiting.removeAll { $0.id == request.number }
            state.cancelled += 1
            throw CancellationError()
        }
    }
}
