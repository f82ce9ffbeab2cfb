import Ferry
import FerryTesting
import Foundation
import XCTest

/// Deadlines, on a clock that the test moves, and cancellation.
extension TransportConformanceTests {
    /// Starts an exchange on the manual clock; ends with its error, or nil where it succeeded.
    private func start(
        _ path: String, _ timeouts: Timeouts, delivery: Delivery = .buffered, reading: Bool = true
    ) throws -> Task<NetworkError?, Never> {
        let request = try request(.get, path)
        let context = CallContext(delivery: delivery, timeouts: timeouts, clock: clock)
        return Task { [transport] in
            guard let transport else { return nil }
            do throws(NetworkError) {
                let response = try await transport.send(request, context: context)
                _ = try await response.data()
                return nil
            } catch {
                return error
            }
        }
    }

    func testTimeouts_fireEachForItsOwnReason() async throws {
        server.on(.get, "/stall", .stalled)
        let rows: [(Timeouts, TimeoutKind)] = [
            (Timeouts(head: .milliseconds(200), idle: nil), .head),
            (Timeouts(idle: .milliseconds(200)), .idle),
            (Timeouts(idle: nil, attempt: .milliseconds(200)), .attempt),
            (Timeouts(idle: nil, total: .milliseconds(200)), .total),
        ]
        for (index, (timeouts, kind)) in rows.enumerated() {
            let task = try start("/stall", timeouts)
            _ = await server.waitForRequests(index + 1)
            await clock.waitForSleepers()
            clock.advance(by: .milliseconds(199))
            await clock.waitForSleepers()
            clock.advance(by: .milliseconds(1))
            let error = await task.value
            XCTAssertEqual(error?.kind, .timeout, "\(kind)")
            XCTAssertEqual(error?.timeout, kind)
        }
    }

    func testTimeouts_belowASecondDoNotFireEarly() async throws {
        let gate = Gate()
        server.on(.get, "/slow") { _ in
            await gate.wait()
            return .text("ok")
        }
        let task = try start("/slow", Timeouts(head: .milliseconds(500), idle: .milliseconds(500)))
        _ = await server.waitForRequests(1)
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(499))
        gate.open()
        let error = await task.value
        XCTAssertNil(error)
    }

    func testIdleTimeout_countsFromTheLastByte() async throws {
        let gates = (0..<3).map { _ in Gate() }
        server.on(.get, "/drip") { _ in
            .stream(contentLength: 3) { writer in
                for gate in gates {
                    await gate.wait()
                    try await writer.write("x")
                }
            }
        }
        let request = try request(.get, "/drip")
        let context = CallContext(delivery: .streamed, timeouts: Timeouts(idle: .seconds(10)), clock: clock)
        let sending = Task { [transport] in try await transport?.send(request, context: context) }
        _ = await server.waitForRequests(1)
        gates[0].open()
        guard case .stream(let stream)? = try await sending.value?.body else { return XCTFail("no stream") }
        var iterator = stream.makeAsyncIterator()
        _ = try await iterator.next()
        clock.advance(by: .seconds(9))
        gates[1].open()
        let second = try await iterator.next()
        XCTAssertEqual(second?.count, 1)
        clock.advance(by: .seconds(9))
        gates[2].open()
        let third = try await iterator.next()
        XCTAssertEqual(third?.count, 1, "18 s after the start, but 9 s after the last byte")
        let end = try await iterator.next()
        XCTAssertNil(end)
    }

    func testIdleTimeout_firesInTheMiddleOfABody() async throws {
        server.on(.get, "/half", .unframed("abc", headers: ["Content-Length": "9"], then: .keepOpen))
        let request = try request(.get, "/half")
        let context = CallContext(delivery: .streamed, timeouts: Timeouts(idle: .seconds(10)), clock: clock)
        let response = try await transport.send(request, context: context)
        guard case .stream(let stream) = response.body else { return XCTFail("no stream") }
        var iterator = stream.makeAsyncIterator()
        let first = try await iterator.next()
        XCTAssertEqual(first, Data("abc".utf8))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(10))
        do {
            let more = try await iterator.next()
            XCTFail("\(String(describing: more))")
        } catch {
            XCTAssertEqual((error as NetworkError).timeout, .idle)
        }
    }

    func testCancel_beforeTheStartSendsNothing() async throws {
        let request = try request(.get, "/x")
        let start = Gate()
        let task = Task { [transport] () -> NetworkError? in
            await start.wait()
            do throws(NetworkError) {
                _ = try await transport?.send(request, context: CallContext())
                return nil
            } catch {
                return error
            }
        }
        task.cancel()
        start.open()
        let error = await task.value
        XCTAssertEqual(error?.kind, .cancelled)
        XCTAssertEqual(server.acceptedConnections, 0)
    }

    func testCancel_isPromptAtEachStage() async throws {
        server.on(.get, "/stall", .stalled)
        server.on(.get, "/half", .unframed("abc", headers: ["Content-Length": "9"], then: .keepOpen))
        for (path, delivery) in [
            ("/stall", Delivery.buffered), ("/stall", .streamed), ("/half", .buffered), ("/half", .streamed),
        ] {
            let before = server.requestCount
            let task = try start(path, Timeouts(), delivery: delivery)
            _ = await server.waitForRequests(before + 1)
            task.cancel()
            let error = await task.value
            XCTAssertEqual(error?.kind, .cancelled, "\(path) \(delivery)")
        }
        // The transport gives the sockets back too.
        await server.waitForConnectionsClosed()
    }

    func testCancel_whileConnecting() async throws {
        server.onConnect { _ in .ignore }
        let task = try start("/x", Timeouts())
        await server.waitForConnections(1)
        task.cancel()
        let error = await task.value
        XCTAssertEqual(error?.kind, .cancelled)
    }

    func testCNC01_massCancelNeverDeadlocks() async throws {
        // 100 calls at once, cancelled at random moments, 20 times; a deadlock would hang the test.
        server.on(.get, "/ok", .text("ok"))
        server.on(.get, "/stall", .stalled)
        server.on(.get, "/moved", .redirect(to: "/ok"))
        server.on(.get, "/who", .status(401, headers: ["WWW-Authenticate": "Basic realm=\"a\""]))
        let closed = try XCTUnwrap(URL(string: "http://127.0.0.1:1/"))
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20 {
            let tasks = try (0..<100).map { index -> Task<NetworkError?, Never> in
                let path = ["/ok", "/stall", "/moved", "/who", ""][index % 5]
                var request = try request(.get, path)
                if path.isEmpty { request.url = closed }
                return Task { [transport, request] in
                    do throws(NetworkError) {
                        _ = try await transport?.send(request, context: CallContext())
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for _ in 0..<Int.random(in: 0...200, using: &generator) { await Task.yield() }
            for task in tasks.shuffled(using: &generator) { task.cancel() }
            for task in tasks {
                let error = await task.value
                XCTAssertTrue(
                    error == nil || error?.kind == .cancelled || error?.kind == .cannotConnect, "\(error as Any)")
            }
        }
    }
}
