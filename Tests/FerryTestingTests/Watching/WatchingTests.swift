import Ferry
import FerryTesting
import Foundation
import XCTest

final class WatchingTests: MockTestCase, @unchecked Sendable {  // Stores nothing itself.
    func testEventRecorder_dumpsACallInWords() async throws {
        let recorder = EventRecorder()
        let mock = transport()
        mock.on(.post, "/a", .json("[1]", status: 201))
        let url = try XCTUnwrap(URL(string: "https://api.example/a?token=hush"))
        let context = CallContext(clock: ManualClock(), sink: recorder.sink)
        _ = try await mock.send(HTTPRequest(method: .post, url: url, body: .text("hey")), context: context)
        XCTAssertEqual(
            recorder.dump,
            """
            1. sent 3 of 3 bytes
            2. head: 201 Created [Content-Type, Content-Length]
            3. received 3 of 3 bytes
            """)
        recorder.removeAll()
        XCTAssertEqual(recorder.words, [])
    }

    func testEventRecorder_isAMonitorOfAClient() async throws {
        let recorder = EventRecorder()
        let gate = Gate()
        let mock = transport()
        mock.on(.get, "/flaky", .status(503), .text("up"))
        mock.on(.get, "/slow") { _ in
            await gate.wait()
            return .text("late")
        }
        let client = try client(mock) {
            $0.eventMonitors = [recorder]
            $0.retry = .constant(.seconds(1), maxRetries: 1)
            $0.clock = ManualClock(advancesItself: true)
            $0.timeouts = Timeouts(idle: nil)
        }
        _ = try await client.data(NetworkCall(.get, "/flaky"))
        XCTAssertEqual(recorder.attempts, [1, 2])
        XCTAssertEqual(recorder.retries.map(\.wait), [.seconds(1)])
        XCTAssertEqual(recorder.retries.map(\.reason.status), [503])
        XCTAssertEqual(recorder.runningCalls, 0)
        async let late = client.string(NetworkCall(.get, "/slow"))
        await waitUntil("the call has begun") { recorder.runningCalls == 1 }
        gate.open()
        _ = try await late
        XCTAssertEqual(recorder.runningCalls, 0)
    }

    func testLeakCheck_seesObjectsThatATaskHolds() async {
        final class Held: Sendable {}
        let gate = Gate()
        var held: Held? = Held()
        let check = LeakCheck(watching: held)
        let task = Task { [held] in
            await gate.wait()
            withExtendedLifetime(held) {}
        }
        held = nil
        XCTAssertEqual(check.growth(100), ["Held, which something still holds, perhaps a task"])
        gate.open()
        await task.value
        await check.assertNone(tolerance: 100)
    }

    func testLeakCheck_seesDescriptors() async throws {
        let check = LeakCheck()
        guard let before = check.descriptors else { throw XCTSkip("The system does not tell its descriptors") }
        let handles = (0..<64).compactMap { _ in FileHandle(forReadingAtPath: "/dev/null") }
        XCTAssertGreaterThan(try XCTUnwrap(LeakCheck().descriptors), before + 32)
        for handle in handles { try handle.close() }
        await check.assertNone(tolerance: 8)
    }
}
