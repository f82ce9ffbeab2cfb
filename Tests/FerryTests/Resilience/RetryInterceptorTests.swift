import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

final class RetryInterceptorTests: XCTestCase {
    private let plain = RetryPolicy.exponential(initial: .milliseconds(500), jitter: .none)

    private func send(
        _ transport: MockTransport, _ method: HTTPMethod = .get, headers: HTTPHeaders = [:], body: RequestBody = .none,
        policy: RetryPolicy? = nil, delivery: Delivery = .buffered, timeouts: Timeouts = Timeouts(),
        options: CallOptions = CallOptions(), clock: ManualClock = ManualClock(advancesItself: true),
        log: EventRecorder = EventRecorder()
    ) async throws -> (result: Result<HTTPResponse, NetworkError>, context: CallContext) {
        let context = CallContext(
            delivery: delivery, timeouts: timeouts, options: options, clock: clock,
            sink: log.sink)
        let chain = InterceptorChain([RetryInterceptor(policy ?? plain)], over: transport)
        let request = HTTPRequest(method: method, url: try .test(), headers: headers, body: body)
        let result = await outcome { () async throws(NetworkError) -> HTTPResponse in
            try await chain.send(request, context: context)
        }
        return (result, context)
    }

    private func text(_ result: Result<HTTPResponse, NetworkError>) async throws -> String {
        String(decoding: try await result.get().data(), as: UTF8.self)
    }

    // MARK: conformance

    private func steps(_ responses: JSONValue) throws -> [MockResponse] {
        try responses.array.map { response in
            let fields = response["headers"].object.compactMap { name, value in
                value.string.map { HTTPHeaders.Field(name: name, value: $0) }
            }
            return .status(
                HTTPStatus(try XCTUnwrap(response["status"].int ?? response.int)), headers: HTTPHeaders(fields))
        }
    }

    func testRTY01_retryAfterDateIsKept() async throws {
        let row = try ConformanceCase.load("RTY-01", area: "retry")
        let transport = MockTransport.answering(inTurn: try steps(row.input["responses"]))
        let clock = ManualClock(advancesItself: true)
        let (result, context) = try await send(transport, clock: clock)
        XCTAssertEqual(try result.get().status, .ok)
        XCTAssertEqual(clock.requestedSleeps, [.seconds(try XCTUnwrap(row.expected["wait_seconds"].int))])
        XCTAssertEqual(transport.requests.count, row.expected["requests"].int)
        XCTAssertEqual(context.timings.retryWait, .seconds(30))
    }

    func testRTY03_pastDateMeansNow() async throws {
        let row = try ConformanceCase.load("RTY-03", area: "retry")
        let value = try XCTUnwrap(row.input["value"].string)
        let transport = MockTransport.answering(inTurn: .status(503, headers: ["Retry-After": value]), .status(200))
        let clock = ManualClock(advancesItself: true)
        let policy = RetryPolicy.constant(.seconds(try XCTUnwrap(row.input["base_backoff"].int)))
        _ = try await send(transport, policy: policy, clock: clock).result.get()
        XCTAssertEqual(clock.requestedSleeps, [.seconds(try XCTUnwrap(row.expected["wait_seconds"].int))])
    }

    func testRTY04_malformedRetryAfterIsIgnored() async throws {
        let row = try ConformanceCase.load("RTY-04", area: "retry")
        let base = Duration.seconds(try XCTUnwrap(row.input["base_backoff"].number))
        for (value, wait) in zip(row.input["values"].strings, row.expected["wait_seconds"].array) {
            let transport = MockTransport.answering(inTurn: .status(503, headers: ["Retry-After": value]), .status(200))
            let clock = ManualClock(advancesItself: true)
            let policy = RetryPolicy.exponential(initial: base, jitter: .none)
            _ = try await send(transport, policy: policy, clock: clock).result.get()
            XCTAssertEqual(clock.requestedSleeps, [.seconds(try XCTUnwrap(wait.number))], value.debugDescription)
        }
    }

    func testRTY06_onlyIdempotentRequestsAreRepeated() async throws {
        let row = try ConformanceCase.load("RTY-06", area: "retry")
        let limit = try XCTUnwrap(row.input["retry_limit"].int)
        for (input, expected) in zip(row.input["cases"].array, row.expected["requests"].array) {
            let headers = HTTPHeaders(
                input["headers"].object.compactMap { name, value in
                    value.string.map { HTTPHeaders.Field(name: name, value: $0) }
                })
            let replies: [MockResponse] = [.status(503), .status(503), .status(200)]
            let transport = MockTransport.answering(inTurn: Array(replies.prefix(try XCTUnwrap(expected.int))))
            let method = HTTPMethod(try XCTUnwrap(input["method"].string))
            let result = try await send(
                transport, method, headers: headers, body: .text("x"),
                policy: .constant(.zero, maxRetries: limit)
            ).result
            XCTAssertEqual(transport.requests.count, expected.int, "\(method)")
            XCTAssertEqual(try result.get().status, expected.int == 1 ? 503 : 200)
            if let key = headers["Idempotency-Key"] {
                XCTAssertEqual(transport.requests.compactMap { $0.headers["Idempotency-Key"] }, [key, key, key])
            }
        }
    }

    func testRTY09_aSpentBodyIsNeverSentEmpty() async throws {
        let row = try ConformanceCase.load("RTY-09", area: "retry")
        let responses = try steps(row.input["responses"])
        let payload = Data("payload-123".utf8)

        let replayed = MockTransport.answering(inTurn: responses)
        let factory = BodyStream { AsyncStream<Data>(chunks: [payload]) }
        let second = try await send(replayed, .put, body: .stream(factory)).result.get()
        XCTAssertEqual(second.status, .ok)
        XCTAssertEqual(replayed.requests.map(\.text), ["payload-123", "payload-123"])

        let single = MockTransport.answering(inTurn: Array(responses.prefix(1)))
        let once = RequestBody.stream(BodyStream(once: AsyncStream<Data>(chunks: [payload])))
        let (result, context) = try await send(single, .put, body: once)
        XCTAssertEqual(single.requests.map(\.text), ["payload-123"])
        XCTAssertEqual(try result.get().status, .serviceUnavailable, "the original failure stands")
        XCTAssertEqual(context.retryRefusal, "not retried: the request body cannot be replayed")

        let lost = MockTransport.answering(inTurn: .failure(.connectionLost))
        let again = RequestBody.stream(BodyStream(once: AsyncStream<Data>(chunks: [payload])))
        let error = try await send(lost, .put, body: again).result.error
        XCTAssertEqual(error?.kind, .connectionLost)
        XCTAssertEqual(
            error?.message, "The mock fails with connectionLost (not retried: the request body cannot be replayed)")
    }

    func testRTY10_cancelDuringTheWaitIsImmediate() async throws {
        let clock = ManualClock()
        let transport = MockTransport.answering(inTurn: .status(503))
        let context = CallContext(clock: clock)
        let chain = InterceptorChain([RetryInterceptor(.constant(.seconds(3600)))], over: transport)
        let request = HTTPRequest(url: try .test())
        let task = Task {
            await outcome { () async throws(NetworkError) in try await chain.send(request, context: context) }
        }
        await clock.waitForSleepers()
        task.cancel()
        let error = await task.value.error
        XCTAssertEqual(error?.kind, .cancelled)
        XCTAssertEqual(error?.attempts.map(\.status), [503])
        XCTAssertEqual(clock.now, .zero)
        XCTAssertEqual(clock.sleeperCount, 0)
        XCTAssertEqual(transport.requests.count, 1)
    }

    func testRTY11_retriesEndAndTheNextCallStartsAnew() async throws {
        let row = try ConformanceCase.load("RTY-11", area: "retry")
        let limit = try XCTUnwrap(row.input["retry_limit"].int)
        let policy = RetryPolicy.exponential(jitter: .none, maxRetries: limit)
        for expected in row.expected["requests_per_call"].array {
            let transport = MockTransport.answering(inTurn: (0...limit).map { .text("reason \($0)", status: 500) })
            let (result, context) = try await send(transport, policy: policy)
            XCTAssertEqual(transport.requests.count, expected.int)
            XCTAssertEqual(try result.get().status, 500)
            let body = try await text(result)
            XCTAssertEqual(body, "reason \(limit)")
            XCTAssertEqual(context.attempts.map(\.status), [500, 500, 500])
            XCTAssertEqual(context.attempts.map(\.number), [1, 2, 3])
            XCTAssertEqual(
                context.attempts.map(\.start), [.zero, .milliseconds(250), .milliseconds(750)])
        }
    }

    func testRTY13_bytesAreNeverHandedOutTwice() async throws {
        let row = try ConformanceCase.load("RTY-13", area: "retry")
        let script: [MockResponse] = [.text("Bananas").cut(afterBytes: 2), .text("Bananas")]
        let whole = try await text(send(MockTransport.answering(inTurn: script)).result)
        XCTAssertEqual(whole, row.expected["data"].string)

        let transport = MockTransport.answering(inTurn: Array(script.prefix(1)))
        let response = try await send(transport, delivery: .streamed).result.get()
        guard case .stream(let stream) = response.body else { return XCTFail("not a stream") }
        var read = ""
        do {
            for try await chunk in stream { read += String(decoding: chunk, as: UTF8.self) }
            XCTFail("a cut stream ended as if it were whole")
        } catch {
            XCTAssertEqual(error.kind, .connectionLost)
        }
        XCTAssertEqual(read, "Ba")
        XCTAssertEqual(transport.requests.count, 1)
    }

    // MARK: the engine

    func testStream_isRetriedUntilItsHeadWasAccepted() async throws {
        let transport = MockTransport.answering(
            inTurn: .text("busy", status: 503), .failure(.connectionLost), .text("ok"))
        let body = try await text(send(transport, delivery: .streamed).result)
        XCTAssertEqual(body, "ok")
    }

    func testFailure_carriesTheHistoryAndTellsEachRetry() async throws {
        let log = EventRecorder()
        let transport = MockTransport.answering(
            inTurn: .status(503), .failure(error: .timedOut(.idle, after: nil)), .failure(.connectionLost),
            .failure(.offline))
        let (result, context) = try await send(transport, log: log)
        XCTAssertEqual(result.error?.kind, .offline)
        XCTAssertEqual(result.error?.attempts.map(\.status), [503, nil, nil, nil])
        XCTAssertEqual(result.error?.attempts.map(\.failure), [nil, .timeout, .connectionLost, .offline])
        XCTAssertEqual(result.error?.method, .get)
        XCTAssertEqual(log.attempts, [1, 2, 3, 4])
        XCTAssertEqual(log.retries.map(\.wait), [.milliseconds(500), .seconds(1), .seconds(2)])
        XCTAssertEqual(log.retries.map(\.reason.kind), [.server, .timeout, .connectionLost])
        XCTAssertEqual(context.timings.retryWait, .milliseconds(3500))
    }

    func testNever_stillCountsItsAttempt() async throws {
        let transport = MockTransport.answering(inTurn: .failure(.connectionLost))
        let (result, context) = try await send(transport, policy: .never)
        XCTAssertEqual(result.error?.attempts.count, 1)
        XCTAssertEqual(context.attemptCount, 1)
    }

    func testOption_winsOverTheClient() async throws {
        var options = CallOptions()
        options.retry = .never
        let (result, context) = try await send(MockTransport.answering(inTurn: .status(503)), options: options)
        XCTAssertEqual(try result.get().status, 503)
        XCTAssertEqual(context.attemptCount, 1)
    }

    func testTotalTimeout_isNeverRetriedAndNeverWaitedOut() async throws {
        let over = try await send(MockTransport.answering(inTurn: .failure(error: .timedOut(.total, after: nil))))
        XCTAssertEqual(over.context.attemptCount, 1)

        // 0.5 s and 1 s fit into 3 s; the next 2 s do not.
        let clock = ManualClock(advancesItself: true)
        let transport = MockTransport.answering(inTurn: .status(503), .status(503), .status(502))
        let (result, _) = try await send(transport, timeouts: Timeouts(total: .seconds(3)), clock: clock)
        XCTAssertEqual(try result.get().status, .badGateway, "the last result stands")
        XCTAssertEqual(clock.now, .milliseconds(1500))

        // Time spent in exchanges counts too.
        let slowClock = ManualClock(advancesItself: true)
        let slow = MockTransport.answering { _ in
            slowClock.advance(by: .milliseconds(1200))
            return .status(503)
        }
        _ = try await send(slow, timeouts: Timeouts(total: .seconds(3)), clock: slowClock)
        XCTAssertEqual(slow.requests.count, 2)
        XCTAssertEqual(slowClock.requestedSleeps, [.milliseconds(500)])
    }

    func testRetryAfter_beyondTheLimitEndsTheCallAtOnce() async throws {
        let clock = ManualClock(advancesItself: true)
        let transport = MockTransport.answering(inTurn: .status(429, headers: ["Retry-After": "86400"]))
        let (result, _) = try await send(transport, clock: clock)
        XCTAssertEqual(try result.get().status, .tooManyRequests)
        XCTAssertEqual(clock.requestedSleeps, [])
    }

    func testIdempotencyKey_isOneForAllAttemptsAndHopsOfACall() async throws {
        var options = CallOptions()
        options.idempotencyKey = .generated
        let transport = MockTransport.answering(
            inTurn: .status(503), .failure(.connectionLost), .status(308), .status(503), .status(201),
        )
        let context = CallContext(options: options, clock: ManualClock(advancesItself: true))
        let chain = InterceptorChain([RetryInterceptor(plain)], over: transport)
        let request = HTTPRequest(method: .post, url: try .test(), body: .text("order"))
        _ = try await chain.send(request, context: context)
        _ = try await chain.send(request, context: context)
        let keys = transport.requests.compactMap { $0.headers["Idempotency-Key"] }
        XCTAssertEqual(keys.count, 5)
        XCTAssertEqual(Set(keys).count, 1)
        XCTAssertNotNil(keys.first.flatMap { UUID(uuidString: $0) })
        XCTAssertEqual(transport.requests.map(\.text), Array(repeating: "order", count: 5))

        let other = MockTransport.answering(inTurn: .status(201))
        _ = try await send(other, .post, options: options)
        XCTAssertNotEqual(other.requests.first?.headers["Idempotency-Key"], keys.first)
    }

    func testIdempotencyKey_canBeGivenAndStaysOffSafeRequests() async throws {
        var options = CallOptions()
        options.idempotencyKey = .fixed("order-7")
        let post = MockTransport.answering(inTurn: .status(503), .status(200))
        _ = try await send(post, .post, options: options)
        XCTAssertEqual(post.requests.map { $0.headers["Idempotency-Key"] }, ["order-7", "order-7"])

        let given = MockTransport.answering(inTurn: .status(200))
        _ = try await send(given, .post, headers: ["idempotency-key": "mine"], options: options)
        XCTAssertEqual(given.requests.first?.headers["Idempotency-Key"], "mine")

        let get = MockTransport.answering(inTurn: .status(200))
        _ = try await send(get, options: options)
        XCTAssertNil(get.requests.first?.headers["Idempotency-Key"])

        for bad in ["", " ", "a\r\nX: 1", "a\0"] {
            options.idempotencyKey = .fixed(bad)
            let refused = try await send(MockTransport(), .post, options: options).result.error
            XCTAssertEqual(refused?.kind, .invalidHeader, bad.debugDescription)
        }
    }

    func testRetries_areCountedOverAllHopsOfACall() async throws {
        let transport = MockTransport.answering(
            inTurn: .status(503), .status(503), .status(302), .status(503), .status(503))
        let context = CallContext(clock: ManualClock(advancesItself: true))
        let chain = InterceptorChain([RetryInterceptor(.constant(maxRetries: 3))], over: transport)
        let first = try await chain.send(HTTPRequest(url: try .test()), context: context)
        let second = try await chain.send(HTTPRequest(url: try .test("https://other.example/")), context: context)
        XCTAssertEqual([first.status, second.status], [302, 503])
        XCTAssertEqual(context.attempts.map(\.number), [1, 2, 3, 4, 5])
    }

    func testBudget_endsRetriesInAnOutageAndComesBack() async throws {
        let clock = ManualClock(advancesItself: true)
        let policy = RetryPolicy.constant(.zero, maxRetries: 3).budget(RetryBudget(refill: .seconds(10)))
        var requests = 0
        for _ in 0..<100 {
            let transport = MockTransport.answering { _ in .status(503) }
            _ = try await send(transport, policy: policy, clock: clock)
            requests += transport.requests.count
        }
        // 10 at first, and a tenth of 100 calls but for what the full bucket could not take.
        XCTAssertTrue((118...120).contains(requests), "\(requests)")
        clock.advance(by: .seconds(20))
        let transport = MockTransport.answering(inTurn: .status(503), .status(503), .status(200))
        let later = try await send(transport, policy: policy, clock: clock).result.get()
        XCTAssertEqual(later.status, .ok)
    }

    func testBudget_getsItsShareOnceACall() async throws {
        let budget = RetryBudget(perCall: 1, capacity: 1, refill: nil)
        let transport = MockTransport()
        transport.on(.get, "/items", .status(503), .redirect(to: "/there"))
        transport.on(.get, "/there", .status(503))
        let client = NetworkClient(baseURL: try .test("https://api.example")) {
            $0.retry = .constant(.zero, maxRetries: 5).budget(budget)
            $0.transport = transport
        }
        let error = await failure { () async throws(NetworkError) in
            try await client.string(NetworkCall(.get, "/items"))
        }
        XCTAssertEqual(error?.status, 503)
        XCTAssertEqual(transport.requests.count, 3, "a redirect brings no second token")
    }

    func testReachability_replacesTheBackoffWhenOffline() async throws {
        let clock = ManualClock()
        let policy = plain.waitingUntilReachable(upTo: .seconds(60)) { () async throws(CancellationError) in }
        let transport = MockTransport.answering(inTurn: .failure(.offline), .status(200))
        let (result, _) = try await send(transport, policy: policy, clock: clock)
        XCTAssertEqual(try result.get().status, .ok)
        XCTAssertEqual(clock.now, .zero)
    }

    func testReachability_endsWithTheErrorWhereTheNetworkStaysAway() async throws {
        let clock = ManualClock(advancesItself: true)
        let forever = ManualClock()
        let policy = plain.waitingUntilReachable(upTo: .seconds(60)) { () async throws(CancellationError) in
            try await forever.sleep(for: .seconds(1))
        }
        let transport = MockTransport.answering(inTurn: .failure(.offline))
        let (result, _) = try await send(transport, policy: policy, clock: clock)
        XCTAssertEqual(result.error?.kind, .offline)
        XCTAssertEqual(clock.now, .seconds(60))
        XCTAssertEqual(forever.sleeperCount, 0, "the wait was cancelled")
    }

    func testReachability_waitIsCancellable() async throws {
        let clock = ManualClock()
        let network = ManualClock()
        let policy = plain.waitingUntilReachable { () async throws(CancellationError) in
            try await network.sleep(for: .seconds(1))
        }
        let transport = MockTransport.answering(inTurn: .failure(.offline))
        let chain = InterceptorChain([RetryInterceptor(policy)], over: transport)
        let context = CallContext(clock: clock)
        let request = HTTPRequest(url: try .test())
        let task = Task {
            await outcome { () async throws(NetworkError) in try await chain.send(request, context: context) }
        }
        await network.waitForSleepers()
        task.cancel()
        let error = await task.value.error
        XCTAssertEqual(error?.kind, .cancelled)
    }
}

extension AsyncStream where Element == Data {
    fileprivate init(chunks: [Data]) {
        self.init { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
    }
}
