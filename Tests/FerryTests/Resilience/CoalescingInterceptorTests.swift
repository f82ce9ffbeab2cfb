import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

final class CoalescingInterceptorTests: XCTestCase {
    private struct Call {
        let task: Task<Result<HTTPResponse, NetworkError>, Never>
        let context: CallContext
        let log: Collected<CallEvent>

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
        let log = Collected<CallEvent>()
        let context = CallContext(
            delivery: delivery, timeouts: timeouts, options: options, limits: limits, clock: clock,
            sink: { log.add($0) })
        let request = HTTPRequest(method: method, url: try .test(url), headers: headers, body: body)
        let task = Task {
            await outcome { () async throws(NetworkError) -> HTTPResponse in
                try await chain.send(request, context: context)
            }
        }
        return Call(task: task, context: context, log: log)
    }

    private func until(_ condition: () -> Bool, file: StaticString = #filePath, line: UInt = #line) async {
        for _ in 0..<1_000_000 where !condition() { await Task.yield() }
        XCTAssertTrue(condition(), "never came true", file: file, line: line)
    }

    private func setUpChain(isDefault: Bool = true) -> (CoalescingInterceptor, HeldTransport, InterceptorChain) {
        let coalescing = CoalescingInterceptor(isDefault: isDefault)
        let transport = HeldTransport()
        let chain = InterceptorChain([coalescing, RetryInterceptor(.never)], over: transport)
        return (coalescing, transport, chain)
    }

    func testIdenticalCalls_shareOneExchange() async throws {
        let (coalescing, transport, chain) = setUpChain()
        let calls = try (0..<10).map { _ in try start(chain) }
        await until { coalescing.waiterCount == 10 && transport.waiting == 1 }
        transport.answer(.status(200, body: "shared"))
        for call in calls {
            let text = await call.text
            XCTAssertEqual(text, "shared")
            XCTAssertEqual(call.context.attempts.map(\.status), [200])
            XCTAssertEqual(call.context.timings.attempts, 1)
        }
        XCTAssertEqual(transport.total, 1)
        XCTAssertEqual(coalescing.count, 0)

        let later = try start(chain)
        await until { transport.waiting == 1 }
        transport.answer(.status(200, body: "new"))
        let text = await later.text
        XCTAssertEqual(text, "new", "only exchanges in flight are shared")
    }

    func testFailure_isShared() async throws {
        let (coalescing, transport, chain) = setUpChain()
        let calls = try (0..<3).map { _ in try start(chain) }
        await until { coalescing.waiterCount == 3 && transport.waiting == 1 }
        transport.answer(.failure(.connectionLost))
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
        let (coalescing, transport, chain) = setUpChain()
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
        await until { transport.waiting == calls.count }
        XCTAssertEqual(coalescing.count, 11)
        for _ in calls { transport.answer(.status(200)) }
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
        await until { coalescing.waiterCount == 3 && transport.waiting == 1 }
        transport.answer(.status(200))
        for call in calls { _ = await call.task.value }
        XCTAssertEqual(transport.total, 1)
    }

    func testOff_unlessTheCallAsks() async throws {
        let (coalescing, transport, chain) = setUpChain(isDefault: false)
        let plain = try (0..<2).map { _ in try start(chain) }
        await until { transport.waiting == 2 }
        XCTAssertEqual(coalescing.count, 0)
        var options = CallOptions()
        options.coalesces = true
        let asking = try (0..<2).map { _ in try start(chain, options: options) }
        await until { coalescing.waiterCount == 2 && transport.waiting == 3 }
        for _ in 0..<3 { transport.answer(.status(200)) }
        for call in plain + asking { _ = await call.task.value }
    }

    func testCancel_ofOneLeavesTheOthers() async throws {
        let (coalescing, transport, chain) = setUpChain()
        let first = try start(chain)
        await until { transport.waiting == 1 }
        let second = try start(chain)
        await until { coalescing.waiterCount == 2 }
        first.task.cancel()
        let cancelled = await first.task.value.error
        XCTAssertEqual(cancelled?.kind, .cancelled, "the first to come is no different from the others")
        XCTAssertEqual(coalescing.waiterCount, 1)
        transport.answer(.status(200, body: "on"))
        let text = await second.text
        XCTAssertEqual(text, "on")
        XCTAssertEqual(transport.cancelled, 0)
    }

    func testCancel_ofTheLastCancelsTheExchange() async throws {
        let (coalescing, transport, chain) = setUpChain()
        let calls = try (0..<2).map { _ in try start(chain) }
        await until { coalescing.waiterCount == 2 && transport.waiting == 1 }
        for call in calls { call.task.cancel() }
        for call in calls {
            let error = await call.task.value.error
            XCTAssertEqual(error?.kind, .cancelled)
        }
        await until { transport.cancelled == 1 }
        XCTAssertEqual(coalescing.count, 0)

        let next = try start(chain)
        await until { transport.waiting == 1 }
        transport.answer(.status(200, body: "again"))
        let text = await next.text
        XCTAssertEqual(text, "again", "an exchange that was left cannot be joined")
    }

    func testTotalTimeout_isEachCallsOwn() async throws {
        let (coalescing, transport, chain) = setUpChain()
        let hasty = try start(chain, timeouts: Timeouts(total: .seconds(2)))
        let patient = try start(chain)
        await until { coalescing.waiterCount == 2 && transport.waiting == 1 }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(2))
        let late = await hasty.task.value.error
        XCTAssertEqual(late?.timeout, .total)
        transport.answer(.status(200, body: "in time"))
        let text = await patient.text
        XCTAssertEqual(text, "in time")
    }

    func testEvents_reachAllThatWait() async throws {
        let coalescing = CoalescingInterceptor()
        let transport = HeldTransport()
        let policy = RetryPolicy.constant(.seconds(1), maxRetries: 1)
        let chain = InterceptorChain([coalescing, RetryInterceptor(policy)], over: transport)
        let calls = try (0..<3).map { _ in try start(chain) }
        await until { coalescing.waiterCount == 3 && transport.waiting == 1 }
        transport.answer(.status(503))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await until { transport.waiting == 1 }
        transport.answer(.status(200))
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
        let transport = HeldTransport(answersItself: true)
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
}

/// Holds each exchange until the test answers it.
private final class HeldTransport: Transport {
    private struct State {
        var waiting: [(id: Int, url: URL, continuation: CheckedContinuation<StepTransport.Step?, Never>)] = []
        var cancelledEarly: Set<Int> = []
        var total = 0
        var cancelled = 0
    }

    private let state = Mutex(State())
    private let answersItself: Bool

    init(answersItself: Bool = false) { self.answersItself = answersItself }

    var waiting: Int { state.withLock { $0.waiting.count } }
    var total: Int { state.withLock { $0.total } }
    var cancelled: Int { state.withLock { $0.cancelled } }

    /// Answers the oldest.
    func answer(_ step: StepTransport.Step) {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }?.continuation.resume(returning: step)
    }

    func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        if answersItself {
            for _ in 0..<3 { await Task.yield() }
            if Task.isCancelled { throw .cancelled }
            return HTTPResponse(head: HTTPResponse.Head(status: .ok, url: request.url))
        }
        let id = state.withLock { state in
            state.total += 1
            return state.total
        }
        let step = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelledEarly.contains(id) { return true }
                    state.waiting.append((id, request.url, continuation))
                    return false
                }
                if isCancelled { continuation.resume(returning: nil) }
            }
        } onCancel: {
            let continuation = state.withLock { state -> CheckedContinuation<StepTransport.Step?, Never>? in
                state.cancelled += 1
                guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
                    state.cancelledEarly.insert(id)
                    return nil
                }
                return state.waiting.remove(at: index).continuation
            }
            continuation?.resume(returning: nil)
        }
        guard let step else { throw .cancelled }
        return try await StepTransport([step]).send(request, context: context)
    }
}
