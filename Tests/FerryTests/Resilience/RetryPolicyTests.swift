import Ferry
import FerryTesting
import Foundation
import XCTest

final class RetryPolicyTests: XCTestCase {
    private func failure(
        _ method: HTTPMethod = .get, status: Int? = nil, kind: NetworkError.Kind = .connectionLost, retry: Int = 1,
        retryAfter: Duration? = nil, body: RequestBody = .none
    ) throws -> RetryFailure {
        let request = HTTPRequest(method: method, url: try .test(), body: body)
        var error = NetworkError(kind, "test")
        if let status {
            let head = HTTPResponse.Head(status: HTTPStatus(status), url: request.url)
            error = NetworkError(
                status >= 500 ? .server : status == 401 || status == 403 ? .authentication : .client, ""
            )
            .with { $0.response = head }
        }
        return RetryFailure(retry: retry, request: request, error: error, retryAfter: retryAfter)
    }

    private let plain = RetryPolicy.exponential(jitter: .none)

    func testDelay_isExactForEachPolicy() {
        let rows: [(String, RetryPolicy, [Duration])] = [
            ("default", .exponential(), [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2)]),
            (
                "the older series", .exponential(initial: .seconds(5), multiplier: 5, cap: .seconds(125)),
                [.seconds(5), .seconds(25), .seconds(125), .seconds(125)]
            ),
            ("constant", .constant(.seconds(45)), [.seconds(45), .seconds(45), .seconds(45)]),
            ("default constant", .constant(), [.seconds(1), .seconds(1)]),
            (
                "fraction", .exponential(initial: .seconds(1), multiplier: 1.5),
                [.seconds(1), .milliseconds(1500), .milliseconds(2250), .milliseconds(3375)]
            ),
            ("falling", .exponential(initial: .seconds(4), multiplier: 0.5), [.seconds(4), .seconds(2), .seconds(1)]),
            (
                "tenths stay exact", .exponential(initial: .milliseconds(100), multiplier: 3),
                [
                    .milliseconds(100), .milliseconds(300), .milliseconds(900), .milliseconds(2700),
                ]
            ),
            ("zero", .exponential(initial: .zero), [.zero, .zero]),
            ("below zero", .exponential(initial: .seconds(-1)), [.zero, .zero]),
            ("not a number", .exponential(initial: .seconds(1), multiplier: .nan), [.seconds(1), .seconds(1)]),
            ("infinite", .exponential(initial: .seconds(1), multiplier: .infinity), [.seconds(1), .seconds(30)]),
            ("long first wait", .exponential(initial: .seconds(60)), [.seconds(60), .seconds(60)]),
        ]
        for (name, policy, delays) in rows {
            for (index, delay) in delays.enumerated() {
                XCTAssertEqual(policy.delay(beforeRetry: index + 1), delay, "\(name), retry \(index + 1)")
            }
        }
        XCTAssertNil(RetryPolicy.custom { _ in .stop }.delay(beforeRetry: 1))
        XCTAssertEqual(plain.delay(beforeRetry: .min), .milliseconds(250))
        XCTAssertEqual(plain.delay(beforeRetry: .max), .seconds(30))
    }

    func testRTY07_delayNeverOverflows() throws {
        let row = try ConformanceCase.load("RTY-07", area: "retry")
        let policy = RetryPolicy.exponential(
            initial: .seconds(try XCTUnwrap(row.input["base"].number)),
            multiplier: try XCTUnwrap(row.input["factor"].number),
            cap: .seconds(try XCTUnwrap(row.input["max_delay"].number)), jitter: .none, maxRetries: .max)
        for (attempt, expected) in zip(row.input["attempts"].array, row.expected["delays"].array) {
            let retry = try XCTUnwrap(attempt.int) + 1
            let delay = Duration.seconds(try XCTUnwrap(expected.number))
            XCTAssertEqual(policy.delay(beforeRetry: retry), delay, "attempt \(attempt)")
            XCTAssertEqual(
                policy.verdict(on: try failure(retry: retry), remaining: nil), .retry(after: delay),
                "attempt \(attempt)")
        }
    }

    func testJitter_staysInItsBoundsAndUsesThemAll() {
        let delay = Duration.seconds(8)
        let bounds: [Jitter: ClosedRange<Duration>] = [
            .none: delay...delay, .equal: .seconds(4)...delay, .full: .zero...delay,
        ]
        for (jitter, range) in bounds {
            let source = JitterSource(SeededGenerator(seed: 7))
            let waits = (0..<1000).map { _ in jitter.spread(delay, by: source) }
            XCTAssertTrue(waits.allSatisfy(range.contains), "\(jitter)")
            let width = range.upperBound - range.lowerBound
            if width > .zero {
                XCTAssertTrue(waits.contains { $0 < range.lowerBound + width / 20 }, "\(jitter) reaches down")
                XCTAssertTrue(waits.contains { $0 > range.upperBound - width / 20 }, "\(jitter) reaches up")
            }
        }
        XCTAssertEqual(Jitter.full.spread(delay, by: JitterSource { 0.25 }), .seconds(2))
        XCTAssertEqual(Jitter.equal.spread(delay, by: JitterSource { 0.25 }), .seconds(5))
        XCTAssertEqual(Jitter.full.spread(delay, by: JitterSource { .nan }), .zero)
        XCTAssertEqual(Jitter.full.spread(delay, by: JitterSource { 7 }), delay)
    }

    func testJitter_isTheSameForTheSameSeed() throws {
        func waits(_ seed: UInt64) throws -> [RetryVerdict] {
            let policy = RetryPolicy.exponential(maxRetries: 5).generator(JitterSource(SeededGenerator(seed: seed)))
            return try (1...5).map { policy.verdict(on: try failure(retry: $0), remaining: nil) }
        }
        XCTAssertEqual(try waits(1), try waits(1))
        XCTAssertNotEqual(try waits(1), try waits(2))
    }

    func testVerdict_goesByTheTables() throws {
        let retried = [408, 425, 429, 500, 502, 503, 504]
        for status in 400..<600 {
            let verdict = plain.verdict(on: try failure(status: status), remaining: nil)
            let expected: RetryVerdict =
                retried.contains(status) ? .retry(after: .milliseconds(250)) : .stop(.notRetryable)
            XCTAssertEqual(verdict, expected, "\(status)")
        }
        let kinds: [(NetworkError.Kind, Bool)] = [
            (.cannotConnect, true), (.cannotFindHost, true), (.connectionLost, true), (.offline, true),
            (.timeout, true), (.tls, false), (.cancelled, false), (.invalidURL, false), (.invalidBody, false),
            (.decoding, false), (.malformedResponse, false), (.bodyTooLarge, false), (.redirect, false),
            (.network, false), (.mock, false), (.bodyNotReplayable, false),
        ]
        for (kind, isRetried) in kinds {
            let verdict = plain.verdict(on: try failure(kind: kind), remaining: nil)
            XCTAssertEqual(
                verdict, isRetried ? .retry(after: .milliseconds(250)) : .stop(.notRetryable), "\(kind)")
        }
        XCTAssertTrue(RetryPolicy.statusTable.allSatisfy { !$0.reason.isEmpty })
        XCTAssertTrue(RetryPolicy.failureTable.allSatisfy { !$0.reason.isEmpty })
    }

    func testVerdict_followsOtherTables() throws {
        let policy = plain.retryingStatuses([404]).retryingFailures([.tls])
        XCTAssertEqual(
            policy.verdict(on: try failure(status: 404), remaining: nil), .retry(after: .milliseconds(250)))
        XCTAssertEqual(policy.verdict(on: try failure(status: 503), remaining: nil), .stop(.notRetryable))
        XCTAssertEqual(policy.verdict(on: try failure(kind: .tls), remaining: nil), .retry(after: .milliseconds(250)))
        XCTAssertEqual(
            plain.retryingFailures([.cancelled]).verdict(on: try failure(kind: .cancelled), remaining: nil),
            .stop(.notRetryable), "a cancelled call is over")
    }

    func testVerdict_repeatsOnlyWhatIsSafe() throws {
        let safe: [HTTPMethod] = [.get, .head, .options, .trace, "QUERY", .put, .delete]
        for method in safe + [.post, .patch, "MKCOL"] {
            let verdict = plain.verdict(on: try failure(method, status: 503), remaining: nil)
            XCTAssertEqual(
                verdict, safe.contains(method) ? .retry(after: .milliseconds(250)) : .stop(.unsafe), "\(method)")
        }
        // RFC 9110 §9.2.2: the request was certainly not applied.
        for certain in [try failure(.post, kind: .cannotConnect), try failure(.post, kind: .cannotFindHost)] {
            XCTAssertEqual(plain.verdict(on: certain, remaining: nil), .retry(after: .milliseconds(250)))
        }
        XCTAssertEqual(
            plain.verdict(on: try failure(.post, status: 425), remaining: nil), .retry(after: .milliseconds(250)))
        for uncertain: NetworkError.Kind in [.connectionLost, .timeout, .offline] {
            XCTAssertEqual(plain.verdict(on: try failure(.post, kind: uncertain), remaining: nil), .stop(.unsafe))
        }
        XCTAssertEqual(
            plain.retryingUnsafeMethods().verdict(on: try failure(.patch, status: 503), remaining: nil),
            .retry(after: .milliseconds(250)))
    }

    func testVerdict_keepsToRetryAfterWithinItsLimit() throws {
        let rows: [(RetryPolicy, Duration?, RetryVerdict)] = [
            (plain, .seconds(30), .retry(after: .seconds(30))),
            (plain, .zero, .retry(after: .zero)),
            (plain, nil, .retry(after: .milliseconds(250))),
            (plain, .seconds(120), .retry(after: .seconds(120))),
            (plain, .seconds(121), .stop(.retryAfterTooLong)),
            (plain, .seconds(Int64.max), .stop(.retryAfterTooLong)),
            (plain.respectingRetryAfter(upTo: .seconds(600)), .seconds(600), .retry(after: .seconds(600))),
            (plain.ignoringRetryAfter(), .seconds(600), .retry(after: .milliseconds(250))),
        ]
        for (policy, retryAfter, expected) in rows {
            let failure = try failure(status: 503, retryAfter: retryAfter)
            XCTAssertEqual(policy.verdict(on: failure, remaining: nil), expected, "\(String(describing: retryAfter))")
        }
    }

    func testVerdict_neverWaitsUntilTheDeadlineOrBeyond() throws {
        let rows: [(Duration, RetryVerdict)] = [
            (.milliseconds(251), .retry(after: .milliseconds(250))), (.milliseconds(250), .stop(.deadline)),
            (.milliseconds(1), .stop(.deadline)), (.zero, .stop(.deadline)), (.seconds(-1), .stop(.deadline)),
        ]
        for (remaining, expected) in rows {
            XCTAssertEqual(plain.verdict(on: try failure(), remaining: remaining), expected, "\(remaining)")
        }
        XCTAssertEqual(
            plain.verdict(on: try failure(status: 503, retryAfter: .seconds(30)), remaining: .seconds(20)),
            .stop(.deadline))
        XCTAssertEqual(RetryPolicy.constant(.zero).verdict(on: try failure(), remaining: .zero), .stop(.deadline))
    }

    func testVerdict_countsRetriesAfterTheFirstAttempt() throws {
        XCTAssertEqual(RetryPolicy.never.verdict(on: try failure(), remaining: nil), .stop(.exhausted))
        let two = RetryPolicy.constant(.zero, maxRetries: 2)
        XCTAssertEqual(two.verdict(on: try failure(retry: 2), remaining: nil), .retry(after: .zero))
        XCTAssertEqual(two.verdict(on: try failure(retry: 3), remaining: nil), .stop(.exhausted))
        XCTAssertEqual(
            RetryPolicy.constant(.zero, maxRetries: -1).verdict(on: try failure(), remaining: nil), .stop(.exhausted))
    }

    func testCustom_decidesButNotAgainstSafety() throws {
        let policy = RetryPolicy.custom { failure in
            failure.status == 404 ? .retry(after: .seconds(failure.retry * 7)) : .stop
        }
        XCTAssertEqual(
            policy.verdict(on: try failure(status: 404, retry: 3), remaining: nil), .retry(after: .seconds(21)))
        XCTAssertEqual(policy.verdict(on: try failure(status: 503), remaining: nil), .stop(.notRetryable))
        XCTAssertEqual(policy.verdict(on: try failure(.post, status: 404), remaining: nil), .stop(.unsafe))
        XCTAssertEqual(policy.verdict(on: try failure(status: 404, retry: 11), remaining: nil), .stop(.exhausted))
        XCTAssertEqual(policy.verdict(on: try failure(status: 404), remaining: .seconds(7)), .stop(.deadline))
        let once = RequestBody.stream(BodyStream(once: AsyncStream<Data> { $0.finish() }))
        XCTAssertEqual(
            policy.verdict(on: try failure(.put, status: 404, body: once), remaining: nil), .stop(.bodyNotReplayable))
    }
}
