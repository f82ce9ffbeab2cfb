import Ferry
import FerryTesting
import Foundation
import XCTest

/// Everything but progress, by name.
private func names(_ events: CallEvents) async -> [String] {
    var names: [String] = []
    for await event in events where !event.isProgress { names.append(event.name) }
    return names
}

/// What readers learn of a call while it runs.
final class CallEventsTests: ClientTestCase {
    private struct GetUser: Api {
        typealias Response = User
        var path: String { "/user" }
    }

    // MARK: Order

    func testEvents_tellACallFromQueuedToFinished() async throws {
        server.on(.get, "/user", .json(#"{"id": 1, "name": "Ada"}"#))
        let seen = await names(client().events(NetworkCall(.get, "/user")))
        XCTAssertEqual(seen, ["queued", "attempt 1", "head 200", "finished"])
    }

    func testEvents_tellRetriesWithTheirWaitsAndRedirects() async throws {
        server.script(.get, "/flaky", [.status(503), .redirect(to: "/user")])
        server.on(.get, "/user", .json("{}"))
        let clock = ManualClock(advancesItself: true)
        let client = client {
            $0.clock = clock
            $0.timeouts = Timeouts(idle: nil)
            $0.retry = .constant(.seconds(7), maxRetries: 1)
        }
        var waits: [Duration] = []
        var names: [String] = []
        for await event in client.events(NetworkCall(.get, "/flaky")) where !event.isProgress {
            names.append(event.name)
            if case .retry(let wait, let reason) = event {
                waits.append(wait)
                XCTAssertEqual(reason.status, 503)
            }
        }
        XCTAssertEqual(
            names,
            [
                "queued", "attempt 1", "head 503", "retry", "attempt 2", "head 302", "redirected", "attempt 3",
                "head 200", "finished",
            ])
        XCTAssertEqual(waits, [.seconds(7)])
    }

    func testEvents_endOnceWhateverGoesWrong() async throws {
        server.on(.get, "/404", .status(404))
        let calls = [
            NetworkCall(.get, "/404"), NetworkCall(.get, "no\nURL"), NetworkCall(.get, "/", timeout: .zero),
            NetworkCall(.get, url: try XCTUnwrap(URL(string: "http://127.0.0.1:1/"))),
        ]
        for call in calls {
            for includingData in [true, false] {
                let seen = await names(client().events(call, includingData: includingData))
                XCTAssertEqual(seen.first, "queued", "\(call)")
                XCTAssertEqual(seen.last, "finished", "\(call)")
                XCTAssertEqual(seen.filter { $0 == "finished" }.count, 1, "\(call)")
                XCTAssertEqual(seen.filter { $0.hasPrefix("data") }, [], "\(call)")
            }
        }
    }

    func testEvents_haveTheValueAtTheEnd() async throws {
        server.on(.get, "/user", .json(#"{"id": 1, "name": "Ada"}"#))
        var names: [String] = []
        var value: User?
        for await event in client().events(GetUser()) {
            switch event {
            case .event(let event): if !event.isProgress { names.append(event.name) }
            case .finished(let result): value = try result.get().value
            }
        }
        XCTAssertEqual(names, ["queued", "attempt 1", "head 200"])
        XCTAssertEqual(value, User(id: 1, name: "Ada"))
    }

    func testEvents_haveTheErrorAtTheEnd() async throws {
        server.on(.get, "/user", .json("[]"))
        var kinds: [NetworkError.Kind] = []
        for await event in client().events(NetworkCall(.get, "/user"), as: User.self) {
            guard case .finished(.failure(let error)) = event else { continue }
            kinds.append(error.kind)
        }
        XCTAssertEqual(kinds, [.decoding])
    }

    // MARK: Data

    func testEvents_includeTheDataWhereAskedTo() async throws {
        let text = String(repeating: "0123456789", count: 20_000)
        server.on(.get, "/text", .text(text))
        var content = Data()
        var last: String?
        for await event in client().events(NetworkCall(.get, "/text"), includingData: true) {
            if case .data(let chunk) = event { content.append(chunk) }
            last = event.name
        }
        XCTAssertEqual(String(decoding: content, as: UTF8.self), text)
        XCTAssertEqual(last, "finished")
    }

    func testEvents_ofACutStreamEndWithItsError() async throws {
        server.on(.get, "/cut", .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"))
        var content = Data()
        var outcome: NetworkError.Kind?
        for await event in client().events(NetworkCall(.get, "/cut"), includingData: true) {
            if case .data(let chunk) = event { content.append(chunk) }
            if case .finished(.failure(let error, _)) = event { outcome = error.kind }
        }
        XCTAssertEqual(String(decoding: content, as: UTF8.self), "half")
        XCTAssertEqual(outcome, .connectionLost)
    }

    func testEvents_leavingTheLoopEndsTheCall() async throws {
        for includingData in [true, false] {
            let isOver = Gate()
            server.on(
                .get, "/endless",
                .stream { writer in
                    // The client may be gone before the first byte, and writing then throws.
                    defer { isOver.open() }
                    try await writer.write("x")
                    await writer.waitForDisconnect()
                })
            for await event in client().events(NetworkCall(.get, "/endless"), includingData: includingData) {
                if case .head = event { break }
            }
            let end = await within(.seconds(10), "the transfer") {
                await isOver.wait()
                return "over"
            }
            XCTAssertEqual(end, "over")
        }
    }

    // MARK: Tasks

    func testTask_isStartedByHand() async throws {
        server.on(.get, "/user", .json(#"{"id": 1, "name": "Ada"}"#))
        let task = client().task(GetUser())
        XCTAssertEqual(task.state, .waiting)
        XCTAssertEqual(server.requestCount, 0)
        task.start()
        task.start()
        XCTAssertNotEqual(task.state, .waiting)
        let user = try await task.value
        XCTAssertEqual(user.name, "Ada")
        XCTAssertEqual(task.state, .finished)
        XCTAssertEqual(server.requestCount, 1)
    }

    func testTask_everyReaderSeesEverything() async throws {
        server.on(.get, "/user", .json(#"{"id": 1, "name": "Ada"}"#))
        let task = client().task(GetUser())
        async let early = names(task.events)
        task.start()
        _ = try await task.response
        let late = await names(task.events)
        let expected = ["queued", "attempt 1", "head 200", "finished"]
        let first = await early
        XCTAssertEqual(first, expected)
        XCTAssertEqual(late, expected)
    }

    func testTask_isCancelled() async throws {
        server.on(.get, "/user", .stream { await $0.waitForDisconnect() })
        let task = client().start(GetUser())
        await server.waitForRequests(1)
        task.cancel()
        let error = await failure { () throws(NetworkError) in try await task.value }
        XCTAssertEqual(error?.kind, .cancelled)
        let seen = await names(task.events)
        XCTAssertEqual(seen.last, "finished")
        XCTAssertEqual(task.state, .finished)
    }

    func testTask_cancelledBeforeItsStartSendsNothing() async throws {
        let task = client().task(GetUser())
        task.cancel()
        let error = await failure { () throws(NetworkError) in try await task.value }
        XCTAssertEqual(error?.kind, .cancelled)
        let seen = await names(task.events)
        XCTAssertEqual(seen, ["queued", "finished"])
        XCTAssertEqual(server.acceptedConnections, 0)
    }

    func testTask_outlivesAWaiterThatIsCancelled() async throws {
        let gate = Gate()
        server.on(.get, "/user") { _ in
            await gate.wait()
            return .json(#"{"id": 1, "name": "Ada"}"#)
        }
        let task = client().start(GetUser())
        let waiter = Task { await failure { () throws(NetworkError) in try await task.value } }
        await server.waitForRequests(1)
        waiter.cancel()
        let error = await waiter.value
        XCTAssertEqual(error?.kind, .cancelled)
        gate.open()
        let user = try await task.value
        XCTAssertEqual(user.id, 1)
    }

    func testTask_hasTheNumberOfItsLog() async throws {
        server.on(.get, "/user", .json(#"{"id": 1, "name": "Ada"}"#))
        let logs = Collected<CallContext.ID>()
        let task = client { $0.logHandler = { logs.add($0.id) } }.task(GetUser())
        _ = try await task.value
        XCTAssertEqual(logs.all, [task.id])
    }

    // MARK: Progress

    func testPRG01_aCompressedLengthIsNoTotal() async throws {
        let row = try ConformanceCase.load("PRG-01", area: "progress")
        let count = Int64(try XCTUnwrap(row.expected["completed_at_end"].int))
        let text = (0..<Int(count)).map { "\($0 % 10)" }.joined()
        server.on(.get, "/gzip", .gzip(Data(text.utf8)))
        var progress: [TransferProgress] = []
        for await event in client().events(NetworkCall(.get, "/gzip")) {
            if case .progress(let one) = event { progress.append(one) }
        }
        XCTAssertEqual(progress.last?.completed, count)
        for one in progress {
            XCTAssertNil(one.total)
            XCTAssertNil(one.fraction)
        }
    }

    func testProgress_endsAtTheTotal() async throws {
        server.on(.get, "/big", .data(Data(count: 1 << 20)))
        var progress: [TransferProgress] = []
        for await event in client().events(NetworkCall(.get, "/big")) {
            if case .progress(let one) = event { progress.append(one) }
        }
        XCTAssertEqual(progress.last, TransferProgress(completed: 1 << 20, total: 1 << 20))
        XCTAssertEqual(progress.map(\.completed), progress.map(\.completed).sorted())
    }

    func testPRG03_uploadProgressStartsAnewWithEachAttempt() async throws {
        let row = try ConformanceCase.load("PRG-03", area: "progress")
        let count = Int64(try XCTUnwrap(row.input["body_bytes"].int))
        server.script(.put, "/up", row.input["responses"].array.map { .status(HTTPStatus($0.int ?? 0)) })
        let client = client { $0.retry = .constant(.milliseconds(1), maxRetries: 1) }
        var attempts: [[TransferProgress]] = []
        let task = client.task(NetworkCall(.put, "/up", body: .data(Data(count: Int(count)))), as: Nothing.self)
        async let value = task.value
        for await event in task.events {
            if case .attempt = event { attempts.append([]) }
            if case .sent(let progress) = event { attempts[attempts.count - 1].append(progress) }
        }
        _ = try await value
        XCTAssertEqual(attempts.count, 2)
        for progress in attempts {
            let completed = progress.map(\.completed)
            XCTAssertEqual(completed, completed.sorted())
            XCTAssertEqual(completed.first.map { Int($0) }, row.expected["second_attempt_restarts_at"].int)
            for one in progress { XCTAssertTrue((0...1).contains(one.fraction ?? 0)) }
        }
        XCTAssertEqual(attempts.last?.last, TransferProgress(completed: count, total: count))
    }
}
