import FerryTesting
import Foundation
import XCTest

@testable import Ferry

/// Uploads on real sockets: framing, memory, and what is sent again.
final class UploadTests: UploadTestCase {
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
            let events = EventRecorder()
            for _ in 0..<2 {
                let call = NetworkCall(.put, "/up", body: .file(file))
                _ = try await client.make(call, sink: events.sink) { $0.body }
            }
            XCTAssertEqual(server.requests.map(\.connection), [1, 1, 2])
            XCTAssertTrue(server.requests.allSatisfy { $0.body == expected })
            XCTAssertFalse(
                events.events.contains { if case .sent(let progress) = $0 { progress.total != 300_000 } else { false } }
            )
        }
    #endif

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
}
