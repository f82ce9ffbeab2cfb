import Ferry
import FerryTesting
import Foundation
import XCTest

final class MockScheduleTests: XCTestCase {
    private let schedule: [(after: Duration, data: Data)] = [
        (.zero, Data("ab".utf8)), (.seconds(1), Data()), (.seconds(2), Data("cd".utf8)), (.seconds(4), Data("e".utf8)),
    ]

    func testDelay_isByTheClockAndBeforeTheHead() async throws {
        let clock = ManualClock()
        let events = EventRecorder()
        async let pending = MockTest.respond(.json("{}").delayed(by: .seconds(3)), clock: clock, events: events)
        await clock.waitForSleepers()
        XCTAssertEqual(clock.nextDeadline, .seconds(3))
        XCTAssertEqual(events.words, [])
        clock.advance(by: .seconds(3))
        let response = try await pending
        XCTAssertEqual(response.status, .ok)
        XCTAssertEqual(clock.requestedSleeps, [.seconds(3)])
    }

    func testDelay_holdsForFailuresAndNegativeIsNone() async {
        let clock = ManualClock()
        let task = Task { try await MockTest.respond(.failure(.offline).delayed(by: .seconds(3)), clock: clock) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(3))
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertEqual(($0 as? NetworkError)?.kind, .offline) }
        let response = try? await MockTest.respond(.json("{}").delayed(by: .seconds(-3)), clock: clock)
        XCTAssertNotNil(response)
    }

    func testCancel_endsTheDelayAtOnce() async {
        let clock = ManualClock()
        let task = Task { try await MockTest.respond(.json("{}").delayed(by: .seconds(3)), clock: clock) }
        await clock.waitForSleepers()
        task.cancel()
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertEqual(($0 as? NetworkError)?.kind, .cancelled) }
        XCTAssertEqual(clock.sleeperCount, 0)
    }

    func testCancelledTask_getsNoResponse() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await MockTest.respond(.json("{}"))
        }
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertEqual(($0 as? NetworkError)?.kind, .cancelled) }
    }

    func testStream_givesHeadAtOnceAndChunksOnTheirTime() async throws {
        let clock = ManualClock()
        let response = try await MockTest.respond(
            .chunks(schedule), delivery: .streamed, clock: clock)
        guard case .stream(let stream) = response.body else { return XCTFail("Not a stream") }
        let task = Task {
            var chunks: [String] = []
            for try await chunk in stream { chunks.append(String(decoding: chunk, as: UTF8.self)) }
            return chunks
        }
        for _ in 1...3 {
            await clock.waitForSleepers()
            clock.advanceToNextDeadline()
        }
        let chunks = try await task.value
        XCTAssertEqual(chunks, ["ab", "cd", "e"])
        XCTAssertEqual(clock.requestedSleeps, [.seconds(1), .seconds(2), .seconds(4)])
    }

    func testStream_slowReaderFindsTheChunksWaiting() async throws {
        let clock = ManualClock()
        let response = try await MockTest.respond(.chunks(schedule), delivery: .streamed, clock: clock)
        clock.advance(by: .seconds(7))
        let data = try await response.data()
        XCTAssertEqual(data, Data("abcde".utf8))
        XCTAssertEqual(clock.requestedSleeps, [])
    }

    func testCancel_endsAStreamBetweenChunks() async throws {
        let clock = ManualClock()
        let response = try await MockTest.respond(.chunks(schedule), delivery: .streamed, clock: clock)
        let task = Task { try await response.data() }
        await clock.waitForSleepers()
        task.cancel()
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertEqual(($0 as? NetworkError)?.kind, .cancelled) }
    }

    func testDroppedSource_givesNothingMore() async {
        let context = CallContext(delivery: .streamed, clock: ManualClock())
        let source = MockByteSource(steps: [], total: 0, end: nil, context: context)
        source.cancel()
        do throws(NetworkError) {
            _ = try await source.next()
            XCTFail("Not cancelled")
        } catch {
            XCTAssertEqual(error.kind, .cancelled)
        }
    }

    func testDeliveries_giveTheSameBytesAndEvents() async throws {
        let name = "search/repositories.json"
        let data = try MockTest.fixtures.data(named: name)
        for size in [1, 7, data.count - 1, data.count, data.count + 1, .max] {
            let buffered = EventRecorder()
            let streamed = EventRecorder()
            let mock = MockResponse.fixture(name, chunks: .of(size))
            let whole = try await MockTest.respond(mock, events: buffered).data()
            let parts = try await MockTest.respond(mock, delivery: .streamed, events: streamed).data()
            XCTAssertEqual(whole, data, "\(size)")
            XCTAssertEqual(parts, data, "\(size)")
            XCTAssertEqual(buffered.words, streamed.words, "\(size)")
            XCTAssertEqual(buffered.words.last, "received \(data.count) of \(data.count) bytes")
            XCTAssertEqual(buffered.words.count, 1 + (data.count - 1) / min(size, data.count) + 1, "\(size)")
        }
    }

    func testChunking_spacesTheChunks() async throws {
        let clock = ManualClock()
        async let pending = MockTest.respond(
            .text("abcde", contentType: .eventStream).chunked(
                .of(2, every: .seconds(1))), clock: clock
        ).data()
        for _ in 1...2 {
            await clock.waitForSleepers()
            clock.advanceToNextDeadline()
        }
        let data = try await pending
        XCTAssertEqual(data, Data("abcde".utf8))
        XCTAssertEqual(clock.requestedSleeps, [.seconds(1), .seconds(1)])
    }

    func testCut_throwsAfterTheChunksThatCame() async throws {
        for (bytes, expected) in [(0, ""), (1, "a"), (2, "ab"), (3, "abc"), (6, "abcdef"), (9, "abcdef")] {
            let mock = MockResponse.text("abcdef").chunked(.of(2)).cut(afterBytes: bytes)
            let error = await MockTest.failure(mock)
            XCTAssertEqual(error?.kind, .connectionLost, "\(bytes)")
            XCTAssertEqual(error?.url, MockTest.url)
            XCTAssertEqual(error?.status, .ok, "a cut behind the head tells the head, as on a real connection")

            let response = try await MockTest.respond(mock, delivery: .streamed)
            XCTAssertEqual(response.headers["Content-Length"], bytes < 6 ? "6" : nil, "\(bytes)")
            guard case .stream(let stream) = response.body else { return XCTFail("Not a stream") }
            var came = ""
            do {
                for try await chunk in stream { came += String(decoding: chunk, as: UTF8.self) }
                XCTFail("\(bytes): ended as if it were complete")
            } catch {
                XCTAssertEqual(error.kind, .connectionLost)
            }
            XCTAssertEqual(came, expected)
        }
        let tls = await MockTest.failure(.json("{}").cut(failing: .malformedResponse))
        XCTAssertEqual(tls?.kind, .malformedResponse)
    }

    func testTimings_countBytesAndTimes() async throws {
        let clock = ManualClock()
        let context = CallContext(clock: clock)
        var request = HTTPRequest(method: .post, url: MockTest.url)
        request.body = .text("hello")
        context.beginAttempt(request)
        async let pending = MockedExchange.respond(
            to: request, with: .chunks([(.seconds(2), Data("abc".utf8))]).delayed(by: .seconds(1)), fixtures: .empty,
            context: context)
        for _ in 1...2 {
            await clock.waitForSleepers()
            clock.advanceToNextDeadline()
        }
        _ = try await pending
        XCTAssertEqual(context.timings.bytesSent, 5)
        XCTAssertEqual(context.timings.bytesReceived, 3)
        XCTAssertEqual(context.timings.head, .seconds(1))
        XCTAssertEqual(context.timings.body, .seconds(2))
    }
}
