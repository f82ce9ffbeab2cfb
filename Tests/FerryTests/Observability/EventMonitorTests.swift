import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// Who watches a client sees every call, complete and in order.
final class EventMonitorTests: ClientTestCase {
    func testMonitors_seeEachHookInOrder() async throws {
        server.script(.get, "/p", [.status(503), .text("abc")])
        let (first, second) = (Hooks(), Hooks())
        let client = client {
            $0.retry = .constant(.zero, maxRetries: 1)
            $0.eventMonitors = [CompositeMonitor([first, second])]
        }
        _ = try await client.data(NetworkCall(.get, "/p"))
        XCTAssertEqual(
            first.names.filter { $0 != "body" },
            ["queued", "attempt 1", "head 503", "retry", "attempt 2", "head 200", "finished"])
        XCTAssertEqual(first.names, second.names)
    }

    func testActivity_isBalancedHoweverCallsEnd() async throws {
        server.on(.get, "/ok", .text("abc"))
        server.on(.get, "/bad", .status(500))
        let seen = Counts()
        let activity = ActivityCounter { count in seen.append(count) }
        let gate = Gate()
        server.on(.get, "/slow") { _ in
            await gate.wait()
            return .status(200)
        }
        let client = client { $0.eventMonitors = [activity] }
        _ = try await client.data(NetworkCall(.get, "/ok"))
        _ = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/bad")) }
        var malformed = NetworkCall(.get, "/ok")
        malformed.timeouts = Timeouts(total: .seconds(-1))
        _ = await failure { [malformed] () throws(NetworkError) in try await client.data(malformed) }
        let stream = try await client.stream(NetworkCall(.get, "/ok"))
        XCTAssertEqual(activity.count, 1)
        for try await _ in stream.body {}
        let slow = Task { try? await client.data(NetworkCall(.get, "/slow")) }
        _ = await server.waitForRequests(4)
        XCTAssertTrue(activity.isActive)
        slow.cancel()
        _ = await slow.value
        gate.open()
        XCTAssertEqual(activity.count, 0)
        XCTAssertEqual(seen.all, [1, 0, 1, 0, 1, 0, 1, 0, 1, 0])
    }

    func testAllEvents_comeFromEveryCallAndEndWithTheClient() async throws {
        server.on(.get, "/p", .status(204))
        let client = client()
        let events = client.allEvents()
        _ = try await client.data(NetworkCall(.get, "/p"))
        _ = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/none")) }
        await client.shutdown()
        var names: [[String]] = []
        var call: CallContext.ID?
        for await event in events {
            if event.call != call { names.append([]) }
            call = event.call
            names[names.count - 1].append(event.event.name)
        }
        XCTAssertEqual(names.map { $0.first }, ["queued", "queued"])
        XCTAssertEqual(names.map { $0.last }, ["finished", "finished"])
        XCTAssertEqual(events.dropped, 0)
    }

    func testPinMismatch_isToldToEverybodyAndRefusesNothing() async throws {
        server.on(.get, "/p", .text("abc"))
        let hooks = Hooks()
        let entries = Entries()
        let client = client {
            $0.pins = ["127.0.0.1": ["sha256/d7+j4X1RqlW68D7zOezzyLh5LaXCJlAltn8kdWZk6G4="]]
            $0.pins.mode = .report
            $0.eventMonitors = [hooks]
            $0.logger = CallLogger(level: .warning, sink: entries.sink)
        }
        let text = try await client.string(NetworkCall(.get, "/p"))
        XCTAssertEqual(text, "abc")
        XCTAssertTrue(hooks.names.contains("pin mismatch 127.0.0.1"), "\(hooks.names)")
        XCTAssertEqual(entries.all.map(\.message), ["pin mismatch"])
        XCTAssertTrue(entries.text.contains("host=127.0.0.1"), entries.text)
    }

    func testAllEvents_dropTheOldestAndCountThem() async throws {
        let client = client { $0.mocking = .on() }
        let events = client.allEvents(limit: 2)
        for _ in 0..<5 {
            _ = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/none")) }
        }
        await client.shutdown()
        var read: [ClientEvent] = []
        for await event in events { read.append(event) }
        XCTAssertEqual(read.count, 2)
        XCTAssertEqual(read.map(\.dropped), [events.dropped, 0])
        XCTAssertGreaterThanOrEqual(events.dropped, 8)
        XCTAssertEqual(read.last?.event.name, "finished")
    }
}

/// Numbers, collected.
private final class Counts: Sendable {
    /// Guards the numbers: they come on any thread.
    private let counts = Mutex<[Int]>([])

    var all: [Int] { counts.withLock { $0 } }
    func append(_ count: Int) { counts.withLock { $0.append(count) } }
}

/// Notes each hook.
private final class Hooks: EventMonitor {
    /// Guards the names: hooks are called on any thread.
    private let seen = Mutex<[String]>([])

    var names: [String] { seen.withLock { $0 } }
    private func note(_ name: String) { seen.withLock { $0.append(name) } }

    func callQueued(_ call: CallContext.ID) { note("queued") }
    func attemptStarted(_ call: CallContext.ID, number: Int, _ request: HTTPRequest) { note("attempt \(number)") }
    func headReceived(_ call: CallContext.ID, _ head: HTTPResponse.Head) { note("head \(head.status.code)") }
    func bodyReceived(_ call: CallContext.ID, _ progress: TransferProgress) { note("body") }
    func retryScheduled(_ call: CallContext.ID, after wait: Duration, _ reason: NetworkError) { note("retry") }
    func pinMismatched(_ call: CallContext.ID, _ mismatch: PinMismatch) { note("pin mismatch \(mismatch.host)") }
    func callFinished(_ call: CallContext.ID, _ outcome: CallOutcome) { note("finished") }
}
