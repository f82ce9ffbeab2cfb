#if os(Linux)
    import Ferry
    import FerryTesting
    import Foundation
    import Synchronization
    import XCTest

    @testable import FerryCurl

    /// Request bodies over libcurl: sent while they are produced, and sent again where a connection is dead.
    final class CurlUploadTests: CurlTestCase {
        func testStream_isSentWhileItIsProduced() async throws {
            let size = 4 << 20
            let arrived = Gate()
            server.onStreaming(.post, "/up") { _, body in
                var count = 0
                for try await chunk in body {
                    count += chunk.count
                    if count > 1 << 20 { arrived.open() }
                }
                return .text("\(count)")
            }
            let body = BodyStream(length: Int64(size)) {
                AsyncStream<Data> { continuation in
                    Task {
                        for index in 0..<(size >> 16) {
                            // The second half is made only once the server has seen of the first.
                            if index == size >> 17 { await arrived.wait() }
                            continuation.yield(Data(repeating: UInt8(index & 0xFF), count: 1 << 16))
                        }
                        continuation.finish()
                    }
                }
            }
            let client = curl()
            let answer = try await client.string(NetworkCall(.post, "/up", body: .stream(body)))
            XCTAssertEqual(answer, "\(size)")
        }

        func testStream_ofAnotherLengthThanDeclaredIsAnErrorAlsoWhileItIsSent() async throws {
            server.onStreaming(.post, "/up") { _, body in .text("\(try await body.drain())") }
            for count in [7, 9] {
                let body = BodyStream(length: 8 << 20) {
                    AsyncStream<Data>.of(Array(repeating: Data(count: 1 << 20), count: count))
                }
                let client = curl()
                let error = await failure { () throws(NetworkError) in
                    try await client.string(NetworkCall(.post, "/up", body: .stream(body)))
                }
                XCTAssertEqual(error?.kind, .invalidBody, "\(count) MiB of 8")
            }
        }

        /// The server closes the kept connection on receipt: libcurl sends the body again on a new one.
        func testBodies_onAConnectionThatTheServerClosesSucceedOrFailAtOnce() async throws {
            server.on(.get, "/a", .text("ok"))
            server.on(.post, "/b") { request in
                request.numberOnConnection > 1 ? .closed : .text("\(request.body.count)")
            }
            let client = curl()
            let large = Data(repeating: 7, count: 300_000)
            let stream = BodyStream(length: 300_000) { AsyncStream<Data>.of([large]) }
            for body: RequestBody in [.text("x"), .data(large), .stream(stream)] {
                _ = try await client.data(NetworkCall(.get, "/a"))
                do throws(NetworkError) {
                    let answer = try await client.string(NetworkCall(.post, "/b", body: body))
                    XCTAssertEqual(answer, "\(body.content.count)")
                } catch {
                    XCTAssertEqual(error.kind, .connectionLost)
                }
            }
        }

        /// However many kept connections are dead: the second time is on a new one.
        func testRequest_isSentTwiceAtMost() async throws {
            server.on(.post, "/never", .closed)
            server.on(.post, "/new") { request in request.numberOnConnection > 1 ? .closed : .text("ok") }
            let client = client {
                $0.transport = .curl()
                $0.throttle = .none
            }
            for path in ["/never", "/new"] {
                let gate = Gate()
                server.on(.get, "/warm") { _ in
                    await gate.wait()
                    return .text("ok")
                }
                let before = server.requestCount
                let warm = (0..<5).map { _ in Task { try await client.string(NetworkCall(.get, "/warm")) } }
                _ = await server.waitForRequests(before + 5)
                gate.open()
                for task in warm { _ = try await task.value }
                var kind: NetworkError.Kind?
                do throws(NetworkError) {
                    try await client.post(path, body: .text("x"))
                } catch {
                    kind = error.kind
                }
                XCTAssertEqual(kind, path == "/never" ? .connectionLost : nil)
                XCTAssertEqual(server.requests.filter { $0.path == path }.count, 2, path)
            }
        }

        /// Until its first bytes are there, or all where its length is not known, no exchange exists that could be ended.
        func testBody_thatNeverComesIsEndedByTimeoutsAndShutdown() async throws {
            for isKnown in [true, false] {
                func call(_ gate: Gate? = nil) -> NetworkCall {
                    let make: @Sendable () -> SilentBody = {
                        gate?.open()
                        return SilentBody()
                    }
                    let stream = isKnown ? BodyStream(length: 9, make) : BodyStream(make)
                    return NetworkCall(.put, "/up", body: .stream(stream))
                }
                for timeouts in [Timeouts(attempt: .milliseconds(50)), Timeouts(total: .milliseconds(50))] {
                    var late = call()
                    late.timeouts = timeouts
                    let error = await failure { [late] () throws(NetworkError) in try await curl().data(late) }
                    XCTAssertEqual(error?.kind, .timeout)
                    XCTAssertEqual(error?.timeout, timeouts.total == nil ? .attempt : .total)
                }
                for transport in [try CurlTransport(), URLSessionTransport()] as [any Transport] {
                    let client = client { $0.transport = transport }
                    let isOpened = Gate()
                    let request = call(isOpened)
                    let task = Task { () -> NetworkError? in
                        await failure { () throws(NetworkError) in try await client.data(request) }
                    }
                    await isOpened.wait()
                    transport.shutdown()
                    let error = await task.value
                    XCTAssertEqual(error?.kind, .cancelled)
                }
            }
        }
    }

    extension RequestBody.Content {
        /// Bytes, where they are known.
        fileprivate var count: Int64 {
            switch self {
            case .data(let data): Int64(data.count)
            case .stream(let stream): stream.length ?? 0
            default: 0
            }
        }
    }

    /// A body of which no byte ever comes.
    private struct SilentBody: AsyncSequence, Sendable {
        struct AsyncIterator: AsyncIteratorProtocol {
            mutating func next() async throws -> Data? {
                // Never opened: the cancel alone ends the wait.
                await Gate().wait()
                throw CancellationError()
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }
#endif
