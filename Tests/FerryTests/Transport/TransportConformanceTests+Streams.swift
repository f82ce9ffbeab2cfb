import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

extension TransportConformanceTests {
    private func stream(_ path: String, limits: Limits = Limits()) async throws -> ByteStream {
        let response = try await transport.send(
            request(.get, path), context: CallContext(delivery: .streamed, limits: limits))
        guard case .stream(let stream) = response.body else { throw NetworkError(.network, "no stream") }
        return stream
    }

    func testStream_headComesBeforeTheBodyAndChunksAsTheyAreSent() async throws {
        let gates = (0..<2).map { _ in Gate() }
        server.on(.get, "/s") { _ in
            .stream { writer in
                for (index, gate) in gates.enumerated() {
                    await gate.wait()
                    try await writer.write("part \(index)")
                }
            }
        }
        // Without an open gate there is no byte of the body yet: this returns with the head alone.
        let stream = try await stream("/s")
        var iterator = stream.makeAsyncIterator()
        for (index, gate) in gates.enumerated() {
            gate.open()
            let chunk = try await iterator.next()
            XCTAssertEqual(chunk, Data("part \(index)".utf8))
        }
        let end = try await iterator.next()
        XCTAssertNil(end)
    }

    func testSTR01_leavingTheLoopStopsTheTransfer() async throws {
        let gone = Gate()
        server.on(.get, "/endless") { _ in
            .stream { writer in
                defer { gone.open() }
                while true { try await writer.write(Data(count: 1024)) }
            }
        }
        try await readThreeChunks("/endless")
        await gone.wait()
        await server.waitForConnectionsClosed()
    }

    private func readThreeChunks(_ path: String) async throws {
        var count = 0
        for try await chunk in try await stream(path) {
            XCTAssertFalse(chunk.isEmpty)
            count += 1
            if count == 3 { break }
        }
    }

    func testStream_thatIsNeverReadStopsTheTransferWhenItGoes() async throws {
        let gone = Gate()
        server.on(.get, "/endless") { _ in
            .stream { writer in
                defer { gone.open() }
                while true { try await writer.write(Data(count: 1024)) }
            }
        }
        do { _ = try await stream("/endless") }
        await gone.wait()
    }

    func testStream_thatIsCutThrowsBehindWhatCame() async throws {
        server.on(.get, "/cut", .unframed("abc", headers: ["Content-Length": "9"]))
        server.on(.get, "/chunks", .missingLastChunk(["ab", "c"]))
        for path in ["/cut", "/chunks"] {
            var iterator = try await stream(path).makeAsyncIterator()
            var got = Data()
            var failure: NetworkError?
            do {
                while let chunk = try await iterator.next() { got.append(chunk) }
            } catch {
                failure = error
            }
            XCTAssertEqual(got, Data("abc".utf8), path)
            XCTAssertEqual(failure?.kind, .connectionLost, path)
            let after = try await iterator.next()
            XCTAssertNil(after, "finished after its error")
        }
    }

    func testStream_canBeReadOnce() async throws {
        server.on(.get, "/x", .text("once"))
        let stream = try await stream("/x")
        let all = try await stream.collect()
        XCTAssertEqual(all, Data("once".utf8))
        do {
            _ = try await stream.collect()
            XCTFail("read twice")
        } catch {
            XCTAssertEqual((error as NetworkError).kind, .streamConsumed)
        }
    }

    func testStream_slowConsumerGetsEveryByteFromMemoryAndFile() async throws {
        guard !Self.stopsTheServer else { return try await checkThatASlowConsumerStopsTheServer() }
        let size = 3 << 20
        let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 17 &+ $0 >> 8) })
        let sent = Gate()
        server.on(.get, "/big") { _ in
            .stream(contentLength: size) { writer in
                defer { sent.open() }
                try await writer.write(content)
            }
        }
        let stream = try await stream("/big", limits: Limits(streamMemory: 64 << 10))
        // Nothing is taken until the server has sent everything.
        await sent.wait()
        let all = try await stream.collect()
        XCTAssertEqual(all.count, size)
        XCTAssertEqual(all, content)
    }

    /// What is ahead of the consumer waits at the server, but for the buffers of two sockets and `streamMemory`.
    private func checkThatASlowConsumerStopsTheServer() async throws {
        let size = 64 << 20
        let sent = Atomic<Int>(0)
        let isAhead = Gate()
        server.on(.get, "/big") { _ in
            .stream(contentLength: size) { writer in
                let piece = Data((0..<(256 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 17 &+ $0 >> 8) })
                for _ in 0..<(size / piece.count) {
                    try await writer.write(piece)
                    if sent.add(piece.count, ordering: .relaxed).newValue >= 1 << 20 { isAhead.open() }
                }
            }
        }
        var chunks = try await stream("/big", limits: Limits(streamMemory: 64 << 10)).makeAsyncIterator()
        await isAhead.wait()
        var got = 0
        while let chunk = try await chunks.next() {
            let isRight = chunk.enumerated().allSatisfy { index, byte in
                let place = (got + index) % (256 << 10)
                return byte == UInt8(truncatingIfNeeded: place &* 17 &+ place >> 8)
            }
            XCTAssertTrue(isRight, "after \(got) bytes")
            got += chunk.count
            XCTAssertLessThan(sent.load(ordering: .relaxed) - got, 24 << 20, "the server runs ahead")
        }
        XCTAssertEqual(got, size)
    }

    func testStream_overflowIsAClearError() async throws {
        server.on(.get, "/big") { _ in
            .stream { writer in while true { try await writer.write(Data(count: 64 << 10)) } }
        }
        let stream = try await stream("/big", limits: Limits(streamMemory: 64 << 10, streamOverflow: 1 << 20))
        guard !Self.stopsTheServer else {
            // Nothing overflows where the server waits.
            var got = 0
            for try await chunk in stream {
                got += chunk.count
                if got > 16 << 20 { break }
            }
            return XCTAssertGreaterThan(got, 16 << 20)
        }
        await server.waitForConnectionsClosed()
        do {
            let all = try await stream.collect()
            XCTFail("\(all.count) bytes")
        } catch {
            XCTAssertEqual((error as NetworkError).kind, .bodyTooLarge)
            XCTAssertTrue((error as NetworkError).message.contains("streamOverflow"))
        }
    }

    func testStream_cancelledConsumerThrowsCancelled() async throws {
        server.on(.get, "/half", .unframed("abc", headers: ["Content-Length": "9"], then: .keepOpen))
        let stream = try await stream("/half")
        let first = Gate()
        let task = Task { () -> NetworkError? in
            do throws(NetworkError) {
                for try await _ in stream { first.open() }
                return nil
            } catch {
                return error
            }
        }
        await first.wait()
        task.cancel()
        let error = await task.value
        XCTAssertEqual(error?.kind, .cancelled)
        await server.waitForConnectionsClosed()
    }
}
