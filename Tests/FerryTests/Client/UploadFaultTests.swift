import FerryTesting
import Foundation
import XCTest

@testable import Ferry

/// Bodies of uploads that are not what they were, on real sockets.
final class UploadFaultTests: UploadTestCase {
    func testFile_thatShrinksWhileSentFailsTheCall() async throws {
        let file = try sparseFile(64 << 20)
        for body: RequestBody in [.file(file), .multipart(form(file))] {
            try FileHandle(forWritingTo: file).truncate(atOffset: 64 << 20)
            let (hasBegun, goOn) = holdUpload()
            let client = client { $0.timeouts.total = .seconds(30) }
            async let error = failure { () throws(NetworkError) in
                try await client.request(NetworkCall(.post, "/up", body: body))
            }
            await hasBegun.wait()
            try FileHandle(forWritingTo: file).truncate(atOffset: 1 << 20)
            goOn.open()
            let kind = await error?.kind
            XCTAssertEqual(kind, .invalidBody, "\(body)")
        }
    }

    func testFile_thatGrowsOrVanishesWhileSentIsSentAsAnnounced() async throws {
        let file = try sparseFile(64 << 20)
        let hasBegun = Gate()
        let goOn = Gate()
        server.onStreaming(.post, "/up") { _, body in
            var pieces = body.makeAsyncIterator()
            var count = try await pieces.next()?.count ?? 0
            hasBegun.open()
            await goOn.wait()
            while let piece = try await pieces.next() { count += piece.count }
            return .text("\(count)")
        }
        let client = client { $0.timeouts.total = .seconds(30) }
        async let count = client.string(NetworkCall(.post, "/up", body: .file(file)))
        await hasBegun.wait()
        try FileHandle(forWritingTo: file).truncate(atOffset: 80 << 20)
        try FileManager.default.removeItem(at: file)
        goOn.open()
        let text = try await count
        XCTAssertEqual(text, "\(64 << 20)")
    }

    func testFile_thatIsGoneWhenItsPartIsReachedFailsTheCall() async throws {
        let first = try sparseFile(64 << 20, "first")
        let second = try directory.write(Data("second".utf8), "second")
        var form = form(first)
        form.append("second", file: second)
        let (hasBegun, goOn) = holdUpload()
        let client = client { $0.timeouts.total = .seconds(30) }
        let call = NetworkCall(.post, "/up", body: .multipart(form))
        async let error = failure { () throws(NetworkError) in try await client.request(call) }
        await hasBegun.wait()
        try FileManager.default.removeItem(at: second)
        goOn.open()
        let thrown = await error
        XCTAssertEqual(thrown?.kind, .invalidBody)
        XCTAssertTrue(thrown?.message.contains("second") == true)
    }

    func testMPT09_lengthsThatAreNotTrueAndMissingFilesFail() async throws {
        let row = try ConformanceCase.load("MPT-09", area: "multipart")
        XCTAssertEqual(row.input["cases"].array.count, 3)
        server.on(.post, "/up", .text("ok"))
        for given in [7, 12, 0] {
            let stream = BodyStream(length: 10) { AsyncStream<Data>.of([Data(repeating: 1, count: given)]) }
            var form = MultipartForm()
            form.append("s", stream: stream, fileName: "s.bin")
            for body: RequestBody in [.stream(stream), .multipart(form)] {
                let client = client()
                let kind = await within(.seconds(2), "an upload of \(given) bytes") {
                    do throws(NetworkError) {
                        try await client.request(NetworkCall(.post, "/up", body: body))
                        return "success"
                    } catch {
                        return error.kind.rawValue
                    }
                }
                XCTAssertEqual(kind, "invalidBody", "\(given)")
            }
        }
        let missing = directory.appending(path: "missing")
        for body: RequestBody in [.file(missing), .multipart(form(missing))] {
            let error = await failure { () throws(NetworkError) in
                try await client().request(NetworkCall(.post, "/up", body: body))
            }
            XCTAssertEqual(error?.kind, .invalidBody)
        }
        XCTAssertEqual(server.acceptedConnections, 0, "a connection was opened")
    }

    func testStream_thatNeverEndsIsCutByTheTimeout() async throws {
        let client = client()
        let (endless, continuation) = AsyncStream<Data>.makeStream()
        defer { continuation.finish() }
        let body = RequestBody.stream(BodyStream(once: endless, length: 10))
        for (timeouts, kind) in [
            (Timeouts(attempt: .milliseconds(50)), TimeoutKind.attempt), (Timeouts(total: .milliseconds(50)), .total),
        ] {
            let stream = BodyStream { AsyncStream<Data> { _ in } }
            let call = NetworkCall(.post, "/up", body: .stream(stream)).timeouts(timeouts)
            let error = await failure { () throws(NetworkError) in try await client.request(call) }
            XCTAssertEqual(error?.kind, .timeout)
            XCTAssertEqual(error?.timeout, kind)
        }
        let task = Task {
            await failure { () throws(NetworkError) in
                try await client.request(NetworkCall(.post, "/up", body: body))
            }
        }
        task.cancel()
        let error = await task.value
        XCTAssertEqual(error?.kind, .cancelled)
    }
}
