import FerryTesting
import Foundation
import XCTest

@testable import Ferry

/// Uploads on real sockets: framing, memory, temporary files, progress, and bodies that change or fail on the way.
final class UploadTests: ClientTestCase {
    private var directory: URL!

    override func setUp() async throws {
        try await super.setUp()
        directory = try temporaryDirectory()
    }

    override func tearDown() async throws {
        try await super.tearDown()
        XCTAssertEqual(try Self.spools(), [], "a temporary file is left behind")
    }

    /// Temporary files of this process's uploads.
    private static func spools() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
            .filter { $0.hasPrefix("ferry-upload-\(ProcessInfo.processInfo.processIdentifier)-") }
    }

    /// A file of zeros that takes no room.
    private func sparseFile(_ size: UInt64, _ name: String = "large") throws -> URL {
        let url = try directory.write(Data(), name)
        try FileHandle(forWritingTo: url).truncate(atOffset: size)
        return url
    }

    private func form(_ file: URL) -> MultipartForm {
        var form = MultipartForm(boundary: "B")
        form.append("title", "A large file")
        form.append("file", file: file)
        return form
    }

    // MARK: Framing

    /// Guards the way in which streams get their framing: what libcurl writes is seen here byte by byte.
    func testStreamedBodies_areFramedOnceAndExactly() async throws {
        server.on(.post, "/up", .text("ok"))
        let file = try directory.write(Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) }), "f.bin")
        let content = try Data(contentsOf: file)
        var form = form(file)
        form.append("log", stream: BodyStream(length: 4) { AsyncStream<Data>.of([Data("line".utf8)]) })
        let encoded = try await BodyEncoder().encode(.multipart(form)).bytes()
        let stream = BodyStream { AsyncStream<Data>.of([content, Data("!".utf8)]) }
        for (body, expected) in [
            (RequestBody.file(file), content), (.multipart(form), encoded), (.stream(stream), content + Data("!".utf8)),
            (.multipart(MultipartForm(boundary: "B")), Data("--B--\r\n".utf8)),
        ] {
            try await client().request(NetworkCall(.post, "/up", body: body))
            let seen = try XCTUnwrap(server.requests.last)
            XCTAssertEqual(seen.framing, .contentLength(expected.count), "\(body)")
            XCTAssertEqual(seen.headers.values(of: "Content-Length"), ["\(expected.count)"])
            for field in ["Transfer-Encoding", "Expect", "Trailer", "TE"] {
                XCTAssertEqual(seen.headers.values(of: field), [], "\(body)")
            }
            XCTAssertTrue(seen.body == expected, "\(body)")
        }
        XCTAssertEqual(server.rejections, [])
    }

    func testStreamedBody_ofNoBytesHasALengthOfZero() async throws {
        server.on(.post, "/up", .text("ok"))
        let empty = try directory.write(Data(), "empty")
        for body: RequestBody in [.file(empty), .stream(BodyStream(length: 0) { AsyncStream<Data>.of([]) })] {
            try await client().request(NetworkCall(.post, "/up", body: body))
            XCTAssertEqual(server.requests.last?.framing, .contentLength(0), "\(body)")
        }
    }

    func testMultipart_hasItsContentType() async throws {
        server.on(.post, "/up", .text("ok"))
        let client = client { $0.headers["Content-Type"] = "application/json" }
        let call = NetworkCall(.post, "/up", body: .multipart(MultipartForm(["a": 1], boundary: "B")))
        for (given, sent) in [
            (nil, "multipart/form-data; boundary=B"), ("multipart/form-data", "multipart/form-data; boundary=B"),
            ("multipart/related; type=\"a/b\"", "multipart/related; type=\"a/b\"; boundary=B"),
            ("multipart/form-data; boundary=B", "multipart/form-data; boundary=B"),
        ] as [(String?, String)] {
            try await client.request(call.header("Content-Type", given))
            XCTAssertEqual(server.requests.last?.headers["Content-Type"], sent)
        }
        for bad in ["application/json", "multipart/form-data; boundary=C", "x"] {
            let error = await failure { () throws(NetworkError) in
                try await client.request(call.header("Content-Type", bad))
            }
            XCTAssertEqual(error?.kind, .invalidHeader, bad)
        }
    }

    func testApi_takesAMultipartBody() async throws {
        struct Upload: Api {
            typealias Response = User
            var name: String
            var method: HTTPMethod { .post }
            var path: String { "/users" }
            var body: RequestBody {
                .multipart {
                    $0.append("name", name)
                    $0.append("photo", data: Data([1, 2]), fileName: "p.png")
                }
            }
        }
        server.on(.post, "/users", .json(#"{"id": 7, "name": "Ada"}"#))
        let user = try await client().upload(Upload(name: "Ada")) { _ in }
        XCTAssertEqual(user, User(id: 7, name: "Ada"))
        XCTAssertTrue(server.requests[0].body.contains(Data("\r\nContent-Type: image/png\r\n".utf8)))
    }

    // MARK: Sent again

    func testRedirectAndRetry_sendTheWholeBodyAgain() async throws {
        let file = try directory.write(Data(repeating: 7, count: 300_000), "f")
        let encoded = try await BodyEncoder().encode(.multipart(form(file))).bytes()
        server.on(.put, "/a", .redirect(to: "/b", status: .temporaryRedirect))
        server.script(.put, "/b", [.status(503), .text("done")])
        let client = client { $0.retry = .constant(.milliseconds(1), maxRetries: 2) }
        let text: String = try await client.upload(NetworkCall(.put, "/a", body: .multipart(form(file)))) { _ in }
        XCTAssertEqual(text, "done")
        XCTAssertEqual(server.requests.map(\.path), ["/a", "/b", "/b"])
        XCTAssertTrue(server.requests.allSatisfy { $0.body == encoded })
    }

    #if canImport(FoundationNetworking)
        /// libcurl sends a request again that a kept connection lost, and asks for the body from its beginning.
        func testReusedConnection_thatIsClosedGetsTheWholeBodyOnAnother() async throws {
            let file = try directory.write(Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }), "f")
            let expected = try Data(contentsOf: file)
            server.script(.put, "/up", [.text("ok"), .closed, .text("again")])
            let client = client {
                $0.transport = URLSessionTransport(settings: .init(reusesConnectionsForBodies: true))
                $0.timeouts.total = .seconds(20)
            }
            let events = Collected<CallEvent>()
            for _ in 0..<2 {
                let call = NetworkCall(.put, "/up", body: .file(file))
                _ = try await client.make(call, sink: { events.add($0) }) { $0.body }
            }
            XCTAssertEqual(server.requests.map(\.connection), [1, 1, 2])
            XCTAssertTrue(server.requests.allSatisfy { $0.body == expected })
            XCTAssertFalse(
                events.all.contains { if case .sent(let progress) = $0 { progress.total != 300_000 } else { false } })
        }
    #endif

    // MARK: Bodies that are not what they were

    func testFile_thatShrinksWhileSentFailsTheCall() async throws {
        let file = try sparseFile(64 << 20)
        for body: RequestBody in [.file(file), .multipart(form(file))] {
            try FileHandle(forWritingTo: file).truncate(atOffset: 64 << 20)
            let hasBegun = Gate()
            let goOn = Gate()
            server.onStreaming(.post, "/up") { _, body in
                var pieces = body.makeAsyncIterator()
                _ = try await pieces.next()
                hasBegun.open()
                await goOn.wait()
                while try await pieces.next() != nil {}
                return .text("ok")
            }
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
        let hasBegun = Gate()
        let goOn = Gate()
        server.onStreaming(.post, "/up") { _, body in
            var pieces = body.makeAsyncIterator()
            _ = try await pieces.next()
            hasBegun.open()
            await goOn.wait()
            while try await pieces.next() != nil {}
            return .text("ok")
        }
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

    // MARK: Memory and temporary files

    func testMPT08_largeUploadsTakeLittleMemoryAndLeaveNoFile() async throws {
        let row = try ConformanceCase.load("MPT-08", area: "multipart")
        let file = try sparseFile(UInt64(try XCTUnwrap(row.input["file_MiB"].int)) << 20)
        let limit = try XCTUnwrap(row.expected["rss_growth_MiB_below"].number)
        let outcomes = row.input["outcomes"].strings
        XCTAssertEqual(outcomes, ["200", "500", "cancelled", "connection refused"])
        server.onStreaming(.post, "/200") { _, body in .text("\(try await body.drain())") }
        server.onStreaming(.post, "/500") { _, body in
            try await body.drain()
            return .status(500)
        }
        let hasBegun = Gate()
        server.onStreaming(.post, "/cancelled") { request, body in
            var pieces = body.makeAsyncIterator()
            _ = try await pieces.next()
            hasBegun.open()
            await request.waitForDisconnect()
            return .text("late")
        }
        let client = client()
        let before = Self.temporaryFiles()
        let form = form(file)
        let length = try BodyEncoder().encode(.multipart(form)).length
        let growth = try await ResidentMemory.growth {
            let text = try await client.string(NetworkCall(.post, "/200", body: .multipart(form)))
            XCTAssertEqual(text, length.map { "\($0)" })
            let failed = await failure { () throws(NetworkError) in
                try await client.request(NetworkCall(.post, "/500", body: .multipart(form)))
            }
            XCTAssertEqual(failed?.status, 500)
            let task = Task {
                await failure { () throws(NetworkError) in
                    try await client.request(NetworkCall(.post, "/cancelled", body: .multipart(form)))
                }
            }
            await hasBegun.wait()
            task.cancel()
            let cancelled = await task.value
            XCTAssertEqual(cancelled?.kind, .cancelled)
        }
        await server.stop()
        let refused = await failure { () throws(NetworkError) in
            try await client.request(NetworkCall(.post, "/200", body: .multipart(form)))
        }
        XCTAssertEqual(refused?.kind, .cannotConnect)
        if let growth { XCTAssertLessThan(growth, limit, "MiB of growth") }
        XCTAssertEqual(Self.temporaryFiles().subtracting(before).count, row.expected["temp_files_left"].int)
    }

    /// Everything of Ferry's in the temporary directory but what tests made.
    private static func temporaryFiles() -> Set<String> {
        let directory = FileManager.default.temporaryDirectory.path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return Set(names.filter { $0.hasPrefix("ferry-") && !$0.hasPrefix("ferry-tests-") })
    }

    func testAnswer_beforeTheBodyIsSentIsTheOutcome() async throws {
        let file = try sparseFile(200 << 20)
        server.onStreaming(.post, "/up") { _, _ in .status(413) }
        let error = await failure { () throws(NetworkError) in
            try await client().request(NetworkCall(.post, "/up", body: .multipart(form(file))))
        }
        XCTAssertTrue(error?.status == 413 || error?.kind == .connectionLost, "\(String(describing: error))")
    }

    // MARK: Progress

    func testPRG03_progressIsTrueForEachAttempt() async throws {
        let row = try ConformanceCase.load("PRG-03", area: "progress")
        let size = try XCTUnwrap(row.input["body_bytes"].int)
        let statuses = row.input["responses"].array.compactMap { $0.int.map { HTTPStatus($0) } }
        let file = try directory.write(Data(repeating: 1, count: size), "f")
        let stream = BodyStream { AsyncStream<Data>.of([Data(repeating: 1, count: size)]) }
        for body: RequestBody in [.data(Data(repeating: 1, count: size)), .file(file), .stream(stream)] {
            server.script(.put, "/up", statuses.map { .status($0) })
            let events = Collected<CallEvent>()
            let client = client { $0.retry = .constant(.milliseconds(1), maxRetries: 1) }
            _ = try await client.make(NetworkCall(.put, "/up", body: body), sink: { events.add($0) }) { $0.body }
            var attempts: [[TransferProgress]] = []
            for event in events.all {
                switch event {
                case .attempt: attempts.append([])
                case .sent(let progress): attempts[attempts.count - 1].append(progress)
                default: break
                }
            }
            XCTAssertEqual(attempts.count, statuses.count)
            for attempt in attempts {
                XCTAssertEqual(attempt.first?.completed, 0, "\(body)")
                XCTAssertEqual(attempt.map(\.completed), attempt.map(\.completed).sorted())
                XCTAssertTrue(attempt.allSatisfy { $0.total == Int64(size) }, "\(body)")
                XCTAssertEqual(attempt.last?.completed, row.expected["last"]["sent"].int.map(Int64.init), "\(body)")
            }
        }
    }

    func testProgress_isWhatWentOut() async throws {
        let file = try sparseFile(64 << 20)
        let total = try XCTUnwrap(BodyEncoder().encode(.multipart(form(file))).length)
        let told = Collected<TransferProgress>()
        let hasBegun = Gate()
        let goOn = Gate()
        server.onStreaming(.post, "/up") { _, body in
            var pieces = body.makeAsyncIterator()
            _ = try await pieces.next()
            hasBegun.open()
            await goOn.wait()
            while try await pieces.next() != nil {}
            return .json(#"{"id": 1, "name": "x"}"#)
        }
        let client = client()
        let call = NetworkCall(.post, "/up", body: .multipart(form(file)))
        async let user: User = client.upload(call) { told.add($0) }
        await hasBegun.wait()
        // The server took a piece of the body; buffers of both ends hold a few MiB, and not the whole file.
        XCTAssertFalse(told.all.contains { $0.completed == total }, "ran ahead")
        goOn.open()
        let value = try await user
        XCTAssertEqual(value, User(id: 1, name: "x"))
        XCTAssertEqual(told.all.first, TransferProgress(completed: 0, total: total))
        XCTAssertEqual(told.all.last, TransferProgress(completed: total, total: total))
        XCTAssertEqual(told.all.last?.fraction, 1)
    }

    func testProgress_neverGoesBackwardsAcrossAttempts() async throws {
        server.script(.put, "/up", [.status(503), .status(503), .json(#"{"id": 1, "name": "x"}"#)])
        let client = client { $0.retry = .constant(.milliseconds(1), maxRetries: 2) }
        let told = Collected<TransferProgress>()
        let call = NetworkCall(.put, "/up", body: .data(Data(repeating: 1, count: 300_000)))
        let _: User = try await client.upload(call) { told.add($0) }
        XCTAssertEqual(server.requestCount, 3)
        let counts = told.all.map(\.completed)
        XCTAssertEqual(counts, counts.sorted())
        XCTAssertEqual(counts.count, Set(counts).count, "reported twice")
        XCTAssertEqual(counts.last, 300_000)
    }

    func testMeter_reportsAtMostOnceAnInterval() {
        let clock = ManualClock()
        let told = Collected<Int64>()
        let meter = UploadMeter(clock: clock) { told.add($0.completed) }
        func sent(_ completed: Int64) { meter.take(.sent(TransferProgress(completed: completed, total: 100))) }
        sent(0)
        sent(10)
        clock.advance(by: .milliseconds(99))
        sent(20)
        clock.advance(by: .milliseconds(1))
        sent(30)
        sent(0)
        clock.advance(by: .seconds(1))
        sent(5)
        sent(40)
        sent(100)
        meter.take(.cacheHit)
        XCTAssertEqual(told.all, [0, 30, 40, 100])
    }
}
