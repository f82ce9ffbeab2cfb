import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

final class CompositionTests: XCTestCase {
    private struct Word: Api {
        typealias Response = String
        var path: String
        init(_ path: String) { self.path = path }
    }

    private struct Size: Api {
        typealias Response = Int
        var path: String
        func decode(_ content: ResponseContent) throws(NetworkError) -> Int { content.body.count }
    }

    /// Answers with the path, once its gate is open; notes what begins and what is cancelled.
    private final class Server: Sendable {
        private let gates: [String: Gate]
        private let log = Mutex<(running: Int, most: Int, begun: [String], cancelled: Set<String>)>((0, 0, [], []))

        init(gates: [String: Gate] = [:]) { self.gates = gates }

        var most: Int { log.withLock { $0.most } }
        var begun: [String] { log.withLock { $0.begun } }
        var cancelled: Set<String> { log.withLock { $0.cancelled } }

        var transport: MockTransport {
            MockTransport.answering { [self] request in
                let path = request.url.path()
                log.withLock {
                    $0.running += 1
                    $0.most = max($0.most, $0.running)
                    $0.begun.append(path)
                }
                defer { log.withLock { $0.running -= 1 } }
                await gates[path]?.wait()
                if Task.isCancelled {
                    log.withLock { _ = $0.cancelled.insert(path) }
                    throw NetworkError.cancelled
                }
                return path.hasPrefix("/fail") ? .status(500) : .text(path)
            }
        }
    }

    func testAll_givesTypedValuesInOrder_andRunsTheCallsAtOnce() async throws {
        let barrier = Barrier(3)
        let transport = MockTransport.answering { request in
            await barrier.pass()
            return .text(request.url.path())
        }
        let client = try NetworkClient.scripted(transport)
        let (a, b, c) = try await client.all(Word("/a"), Size(path: "/four"), Word("/c"))
        XCTAssertEqual(a, "/a")
        XCTAssertEqual(b, 5)
        XCTAssertEqual(c, "/c")
    }

    func testAll_throwsTheFirstFailureAndCancelsTheRest() async throws {
        let server = Server(gates: ["/slow": Gate(), "/slower": Gate()])
        let client = try NetworkClient.scripted(server.transport)
        do throws(NetworkError) {
            _ = try await client.all(Word("/slow"), Word("/fail"), Size(path: "/slower"))
            XCTFail("No error")
        } catch {
            XCTAssertEqual(error.status, 500)
            XCTAssertEqual(error.url?.path(), "/fail")
        }
        // They have ended by the time of the throw; one that was cancelled before it was sent never began.
        XCTAssertEqual(server.cancelled, Set(server.begun).subtracting(["/fail"]))
    }

    func testAll_isCancelledWithItsTask() async throws {
        let server = Server(gates: ["/a": Gate(), "/b": Gate()])
        let client = try NetworkClient.scripted(server.transport)
        let task = Task { () async -> NetworkError? in
            do throws(NetworkError) {
                _ = try await client.all(Word("/a"), Word("/b"))
                return nil
            } catch {
                return error
            }
        }
        await waitUntil { server.begun.count == 2 }
        task.cancel()
        let error = await task.value
        XCTAssertEqual(error?.kind, .cancelled)
        XCTAssertEqual(server.cancelled, ["/a", "/b"])
    }

    func testResults_inInputOrder_neverMoreAtATimeThanAllowed() async throws {
        let server = Server()
        let client = try NetworkClient.scripted(server.transport)
        let apis = (0..<50).map { Word($0.isMultiple(of: 7) ? "/fail\($0)" : "/\($0)") }
        var indexes: [Int] = []
        var failures = 0
        for await element in client.results(of: apis, maxConcurrency: 4) {
            indexes.append(element.index)
            switch element.result {
            case .success(let path): XCTAssertEqual(path, "/\(element.index)")
            case .failure(let error):
                XCTAssertEqual(error.status, 500)
                failures += 1
            }
        }
        XCTAssertEqual(indexes, Array(0..<50))
        XCTAssertEqual(failures, 8)
        XCTAssertLessThanOrEqual(server.most, 4)
        let all = await client.results(of: apis, order: .completion).all()
        XCTAssertEqual(all.compactMap(\.value).count, 42)
        XCTAssertEqual(all[1].value, "/1")
        XCTAssertEqual(all[7].error?.status, 500)
    }

    func testResults_inCompletionOrder() async throws {
        let gates = ["/0": Gate(), "/1": Gate(), "/2": Gate()]
        let server = Server(gates: gates)
        let client = try NetworkClient.scripted(server.transport)
        var results = client.results(of: ["/0", "/1", "/2"].map(Word.init), order: .completion).makeAsyncIterator()
        var order: [Int?] = []
        for path in ["/2", "/0", "/1"] {
            gates[path]?.open()
            order.append(await results.next()?.index)
        }
        XCTAssertEqual(order, [2, 0, 1])
        let end = await results.next()
        XCTAssertNil(end)
    }

    func testResults_leavingTheLoopCancelsWhatRuns_andStartsNothingMore() async throws {
        let server = Server(gates: ["/1": Gate(), "/2": Gate(), "/3": Gate()])
        let client = try NetworkClient.scripted(server.transport)
        for await element in client.results(of: ["/0", "/1", "/2", "/3", "/4"].map(Word.init), maxConcurrency: 3) {
            XCTAssertEqual(element.index, 0)
            break
        }
        await waitUntil { server.cancelled.count == server.begun.count - 1 }
        XCTAssertFalse(server.begun.contains("/4"))
        XCTAssertFalse(server.begun.contains("/3"))
    }

    func testResults_inACancelledTaskAreAllGiven() async throws {
        let server = Server(gates: ["/0": Gate(), "/1": Gate(), "/2": Gate()])
        let client = try NetworkClient.scripted(server.transport)
        let task = Task { await client.results(of: ["/0", "/1", "/2"].map(Word.init), maxConcurrency: 2).all() }
        await waitUntil { server.begun.count == 2 }
        task.cancel()
        let kinds = await task.value.map { $0.error?.kind }
        XCTAssertEqual(kinds, [.cancelled, .cancelled, .cancelled])
    }

    func testScope_cancelsItsCallsWhenItGoes() async throws {
        let server = Server(gates: ["/a": Gate()])
        let client = try NetworkClient.scripted(server.transport)
        let seen = Mutex<NetworkError.Kind?>(nil)
        var scope: CallScope? = CallScope()
        let task = scope?.task {
            let kind = await client.text(NetworkCall(.get, "/a")).error?.kind
            seen.withLock { $0 = kind }
        }
        await waitUntil { server.begun == ["/a"] }
        XCTAssertEqual(scope?.count, 1)
        scope = nil
        await task?.value
        XCTAssertEqual(seen.withLock { $0 }, .cancelled)
    }

    func testScope_runGivesTheValue_andCancelEndsIt() async throws {
        let server = Server(gates: ["/b": Gate()])
        let client = try NetworkClient.scripted(server.transport)
        let scope = CallScope()
        let value = try await scope.run { () async throws(NetworkError) in try await client.request(Word("/a")) }
        XCTAssertEqual(value, "/a")
        XCTAssertEqual(scope.count, 0)
        let running = Task {
            await outcome { () async throws(NetworkError) in
                try await scope.run { () async throws(NetworkError) in try await client.request(Word("/b")) }
            }
        }
        await waitUntil { server.begun.contains("/b") }
        scope.cancel()
        let ended = await running.value
        XCTAssertEqual(ended.error?.kind, .cancelled)
        XCTAssertTrue(scope.isCancelled)
        let late = await outcome { () async throws(NetworkError) in
            try await scope.run { () async throws(NetworkError) in try await client.request(Word("/c")) }
        }
        XCTAssertEqual(late.error?.kind, .cancelled)
        XCTAssertFalse(server.begun.contains("/c"))
    }
}
