#if os(Linux)
    import Ferry
    import FerryTesting
    import Foundation
    import Synchronization
    import XCTest

    @testable import FerryCurl

    /// What the transport over libcurl does beyond the contract.
    final class CurlTransportTests: CurlTestCase {
        // MARK: Strictness

        func testFraming_thatContradictsItselfIsRefused() async throws {
            server.on(
                .get, "/both",
                .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))
            let client = curl()
            let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/both")) }
            XCTAssertEqual(error?.kind, .malformedResponse)
        }

        /// libcurl 7.83 to 8.1.0 writes to freed memory there, where the handle has made a transfer before.
        func testFoldedLine_thatIsTheFirstOfAHeadIsRefused() async throws {
            server.on(.get, "/ok", .text("ok").header("X-Before", "some field that may be gone by then"))
            server.on(.get, "/fold", .raw("HTTP/1.1 200 OK\r\n X-A: a\r\nContent-Length: 2\r\n\r\nok"))
            let client = curl()
            for _ in 0..<50 {
                let text = try await client.string(NetworkCall(.get, "/ok"))
                XCTAssertEqual(text, "ok")
                let error = await failure { () throws(NetworkError) in
                    try await client.data(NetworkCall(.get, "/fold"))
                }
                XCTAssertEqual(error?.kind, .malformedResponse)
            }
        }

        func testLines_withoutAColonAreMalformed() async throws {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            let responses = [
                head + "2\r\nok\r\n0\r\nnonsense\r\n\r\n", head + "0x2\r\nok\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 2\r\n\r\nok",
            ]
            let client = curl()
            for response in responses {
                server.on(.get, "/line", .raw(response))
                let error = await failure { () throws(NetworkError) in
                    try await client.data(NetworkCall(.get, "/line"))
                }
                XCTAssertEqual(error?.kind, .malformedResponse, response)
            }
        }

        func testTransferCodings_otherThanChunkedAreRefused() async throws {
            let client = curl()
            for coding in ["gzip", "gzip, chunked", "xchunked", "chunked, chunked", "chunked\r\nTransfer-Encoding: x"] {
                let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n"
                server.on(.get, "/coded", .raw(head + "2\r\nok\r\n0\r\n\r\n"))
                let error = await failure { () throws(NetworkError) in
                    try await client.data(NetworkCall(.get, "/coded"))
                }
                XCTAssertEqual(error?.kind, .malformedResponse, coding)
            }
            server.on(.get, "/coded", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"))
            let text = try await client.string(NetworkCall(.get, "/coded"))
            XCTAssertEqual(text, "ok")
        }

        func testRequestHead_beyondWhatLibcurlSendsIsNamed() async throws {
            let call = NetworkCall(.get, "/long").header("X-Long", String(repeating: "x", count: 1 << 20))
            let error = await failure { () throws(NetworkError) in try await curl().data(call) }
            XCTAssertEqual(error?.kind, .headTooLarge)
            XCTAssertTrue(error?.message.contains("request's head") == true, error?.message ?? "")
        }

        func testTrailers_areKept() async throws {
            server.on(.get, "/t", .chunked(["ab", "c"], trailers: ["X-Sum": "1", "x-end": "2"]))
            let client = curl()
            let response = try await client.response(NetworkCall(.get, "/t"), as: String.self)
            XCTAssertEqual(response.value, "abc")
            XCTAssertEqual(response.head.trailers.map(\.name), ["X-Sum", "x-end"])
            XCTAssertNil(response.head.headers["X-Sum"])
            let body = try await client.stream(NetworkCall(.get, "/t")).body
            let data = try await body.collect()
            XCTAssertEqual(data, Data("abc".utf8))
            XCTAssertEqual(body.trailers["x-sum"], "1")
        }

        func testStream_thatIsCompressedIsDecodedInBoundedMemory() async throws {
            let content = Data(repeating: 0x61, count: 8 << 20)
            server.on(.get, "/z", .gzip(content))
            let response = try await client {
                $0.transport = .curl()
                $0.limits.streamMemory = 64 << 10
            }.stream(NetworkCall(.get, "/z"))
            var got = 0
            for try await chunk in response.body {
                XCTAssertTrue(chunk.allSatisfy { $0 == 0x61 })
                XCTAssertLessThan(chunk.count, 1 << 20)
                got += chunk.count
            }
            XCTAssertEqual(got, content.count)
        }

        /// A consumer that waits already asks for nothing more: a transfer that pauses then would pause for ever.
        func testStream_withoutRoomForAnythingIsDeliveredAllTheSame() async throws {
            let content = Data(repeating: 0x61, count: 1 << 20)
            server.on(.get, "/s", .data(content))
            server.on(.get, "/z", .gzip(content))
            for path in ["/s", "/z"] {
                let stream = try await client {
                    $0.transport = .curl()
                    $0.limits.streamMemory = 0
                }.stream(NetworkCall(.get, path)).body
                let count = await within(.seconds(20), path) { "\(try await stream.collect().count)" }
                XCTAssertEqual(count, "\(content.count)")
            }
        }

        /// What libcurl kept for a paused transfer is refused when it is handed out: the transfer ends then and does not
        /// wait for the server, which sends no more.
        func testStream_thatTurnsOutBrokenBehindAPauseFailsAtOnce() async throws {
            // The checksum is wrong.
            let gzip = Gzip.stored(Data(repeating: 0x61, count: 40 << 10))
            let coded = gzip.dropLast(8) + Data(repeating: 0xFF, count: 8)
            let response = LoopbackResponse.stream { writer in
                try await writer.write(coded)
                await writer.waitForDisconnect()
            }
            server.on(.get, "/z", response.header("Content-Encoding", "gzip"))
            let stream = try await client {
                $0.transport = .curl()
                $0.limits.streamMemory = 8 << 10
            }.stream(NetworkCall(.get, "/z")).body
            let kind = await within(.seconds(20), "the stream") {
                await failure { () throws(NetworkError) in try await stream.collect() }?.kind.rawValue ?? "none"
            }
            XCTAssertEqual(kind, NetworkError.Kind.malformedResponse.rawValue)
        }

        // MARK: Places

        func testUnixSocket_whosePathIsTooLongIsRefused() {
            var settings = CurlTransport.Settings()
            settings.unixSocket = "/" + String(repeating: "x", count: 107)
            XCTAssertThrowsError(try CurlTransport(settings)) {
                XCTAssertEqual(($0 as? NetworkError)?.kind, .invalidRequest)
            }
        }

        func testPlaces() async throws {
            server.on(.get, "/a") { .text($0.headers["Host"] ?? "") }
            let port = server.port
            let mapped = NetworkClient(baseURL: try XCTUnwrap(URL(string: "http://api.example.test:\(port)"))) {
                var settings = CurlTransport.Settings()
                settings.resolve = ["api.example.test:\(port)": ["127.0.0.1"]]
                $0.transport = .curl(settings)
            }
            let host = try await mapped.string(NetworkCall(.get, "/a"))
            XCTAssertEqual(host, "api.example.test:\(port)")
            // Through the server as a proxy: the target is absolute.
            server.fallback { .text($0.target) }
            let proxied = NetworkClient(baseURL: try XCTUnwrap(URL(string: "http://far.example.test"))) {
                var settings = CurlTransport.Settings()
                settings.proxy = .url("http://127.0.0.1:\(port)", exceptions: ["127.0.0.1"])
                $0.transport = .curl(settings)
            }
            let target = try await proxied.string(NetworkCall(.get, "/p?q=1"))
            XCTAssertEqual(target, "http://far.example.test/p?q=1")
            let direct = try await proxied.string(NetworkCall(.get, url: server.baseURL.appending(path: "p")))
            XCTAssertEqual(direct, "/p")
            let six = try XCTUnwrap(URL(string: "http://[::1]:1/"))
            let client = curl()
            let refused = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, url: six))
            }
            XCTAssertTrue(refused?.kind == .cannotConnect || refused?.kind == .offline, "\(refused as Any)")
        }

        func testConnectTimeout_isItsOwn() async throws {
            // A listener that accepts nothing: 192.0.2.0/24 is for documentation and leads nowhere (RFC 5737).
            let nowhere = try XCTUnwrap(URL(string: "http://192.0.2.1:81/"))
            let client = curl { $0.connectTimeout = .milliseconds(50) }
            let error = await failure { () throws(NetworkError) in
                try await client.data(NetworkCall(.get, url: nowhere))
            }
            // Where there is no route at all, that is said at once.
            guard error?.kind == .timeout else {
                return XCTAssertTrue([.offline, .cannotConnect].contains(error?.kind), "\(error as Any)")
            }
            XCTAssertEqual(error?.timeout, .connect)
        }

        // MARK: Pins without TLS

        func testPIN04_pinnedHostsAreRefusedBeforeAByteIsSent() async throws {
            let row = try ConformanceCase.load("PIN-04", area: "pinning")
            XCTAssertEqual(row.input["request"].string, "https://pin.example.test")
            let pin = "sha256/d7+j4X1RqlW68D7zOezzyLh5LaXCJlAltn8kdWZk6G4="
            let plain = client { $0.pins = ["127.0.0.1": [pin]] }
            let error = await failure { () throws(NetworkError) in try await plain.data(NetworkCall(.get, "/")) }
            XCTAssertEqual(error?.kind, .unsupported)
            XCTAssertTrue(error?.message.contains("FerryCurl") ?? false, "\(error as Any)")
            let overHTTP = client {
                $0.transport = .curl()
                $0.pins = ["127.0.0.1": [pin]]
            }
            let refused = await failure { () throws(NetworkError) in try await overHTTP.data(NetworkCall(.get, "/")) }
            XCTAssertEqual(refused?.kind, .unsupported, "plain http has no key")
            XCTAssertEqual(server.acceptedConnections, 0)
            server.on(.get, "/a", .text("ok"))
            let other = client { $0.pins = ["pin.example.test": [pin]] }
            let text = try await other.string(NetworkCall(.get, "/a"))
            XCTAssertEqual(text, "ok", "other hosts are not pinned")
        }

        // MARK: Settings

        func testSettings_thatMakeNoSenseAreErrorsOfCreation() {
            let rows: [(NetworkError.Kind, (inout CurlTransport.Settings) -> Void)] = [
                (.invalidRequest, { $0.resolve = ["no port": ["127.0.0.1"]] }),
                (.invalidRequest, { $0.resolve = ["a:80": ["name.test"]] }),
                (.invalidRequest, { $0.idleConnections = -1 }),
                (.invalidRequest, { $0.connectionsPerHost = -1 }),
                (.invalidRequest, { $0.tls.authorities = .file(URL(filePath: "/nowhere.pem")) }),
                (
                    .invalidRequest,
                    {
                        $0.tls.clientCertificate = .files(
                            certificate: URL(filePath: "/nowhere.pem"), key: URL(filePath: "/nowhere.key"))
                    }
                ),
            ]
            for (kind, change) in rows {
                var settings = CurlTransport.Settings()
                change(&settings)
                XCTAssertThrowsError(try CurlTransport(settings)) { error in
                    XCTAssertEqual((error as? NetworkError)?.kind, kind)
                }
            }
        }

        func testSettings_atTheirEnds() async throws {
            server.on(.get, "/ok", .text("ok"))
            let patient = curl { $0.connectTimeout = .seconds(Int64.max) }
            for _ in 0..<2 { _ = try await patient.data(NetworkCall(.get, "/ok")) }
            XCTAssertEqual(server.acceptedConnections, 1)
            let thrifty = curl { $0.idleConnections = 0 }
            for _ in 0..<2 { _ = try await thrifty.data(NetworkCall(.get, "/ok")) }
            XCTAssertEqual(server.acceptedConnections, 3, "none is kept")
        }

        func testCurl_reportsItsDefectWithEachCall() async {
            let client = curl { $0.resolve = ["no port": []] }
            for _ in 0..<2 {
                let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/")) }
                XCTAssertEqual(error?.kind, .invalidRequest)
            }
        }

        // MARK: Ends

        func testShutdown_leavesNothing() async throws {
            server.on(.get, "/ok", .text("ok"))
            server.on(.get, "/stall", .stalled)
            func round() async throws {
                let transport = try CurlTransport()
                let client = client {
                    $0.transport = transport
                    $0.throttle = .none
                }
                let before = server.requestCount
                let stalled = (0..<8).map { _ in
                    Task { () -> NetworkError? in
                        await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/stall")) }
                    }
                }
                _ = await server.waitForRequests(before + 8)
                _ = try await client.data(NetworkCall(.get, "/ok"))
                XCTAssertTrue(threadNames().contains("ferry-curl"))
                transport.shutdown()
                transport.shutdown()
                for task in stalled {
                    let error = await task.value
                    XCTAssertEqual(error?.kind, .cancelled)
                }
                XCTAssertFalse(threadNames().contains("ferry-curl"))
                let late = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/ok")) }
                XCTAssertEqual(late?.kind, .cancelled)
                await server.waitForConnectionsClosed()
            }
            try await round()
            let before = LeakCheck()
            for _ in 0..<5 { try await round() }
            XCTAssertLessThanOrEqual(try XCTUnwrap(LeakCheck().descriptors), try XCTUnwrap(before.descriptors))
        }

        func testShutdown_waitsForTheThreadWhoeverCallsItFirst() async throws {
            for _ in 0..<50 {
                let thread = try CurlThread(CurlTransport.Settings(), try CurlLibrary.open())
                await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<3 {
                        group.addTask {
                            thread.stop()
                            return thread.mailbox.post(.finish)
                        }
                    }
                    for await isOpen in group { XCTAssertFalse(isOpen, "the loop takes commands still") }
                }
            }
        }

        /// A call that has the turn is in a callback while its body is read; the thread waits for it then.
        func testShutdown_fromAnEventHandlerDoesNotWaitForItself() async throws {
            server.on(.get, "/ok", .text("ok"))
            server.on(.put, "/up", .text("ok"))
            for _ in 0..<20 {
                let transport = try CurlTransport()
                let client = client {
                    $0.transport = transport
                    $0.eventMonitors = [SentMonitor { transport.shutdown() }]
                }
                _ = try await client.data(NetworkCall(.get, "/ok"))
                let call = NetworkCall(.put, "/up", body: .data(Data(count: 1 << 20)))
                let error = await failure { () throws(NetworkError) in try await client.data(call) }
                XCTAssertEqual(error?.kind, .cancelled)
                let late = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/ok")) }
                XCTAssertEqual(late?.kind, .cancelled)
            }
            await server.waitForConnectionsClosed()
        }

        func testCall_sendsOnItsOwnThreadWhereItsTurnIsFree() async throws {
            server.on(.get, "/ok", .text("ok"))
            server.on(.put, "/up", .text("ok"))
            let names = Mutex<Set<String>>([])
            let client = client {
                $0.transport = .curl()
                $0.eventMonitors = [SentMonitor { names.withLock { _ = $0.insert(threadName()) } }]
            }
            // Now and then the thread has the turn still; not each time.
            for _ in 0..<200 where !names.withLock({ $0.contains { $0 != "ferry-curl" } }) {
                _ = try await client.data(NetworkCall(.put, "/up", body: .data(Data(count: 100 << 10))))
            }
            XCTAssertTrue(names.withLock { $0.contains { $0 != "ferry-curl" } })
        }

        func testDrop_letsAStreamEnd() async throws {
            let gate = Gate()
            server.on(.get, "/s") { _ in
                .stream(contentLength: 6) { writer in
                    try await writer.write("abc")
                    await gate.wait()
                    try await writer.write("def")
                }
            }
            var client: NetworkClient? = curl()
            guard let stream = try await client?.stream(NetworkCall(.get, "/s")).body else {
                return XCTFail("no stream")
            }
            client = nil
            gate.open()
            let data = try await stream.collect()
            XCTAssertEqual(data, Data("abcdef".utf8))
        }

        private func threadNames() -> [String] {
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            return tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
                .map { $0.trimmingCharacters(in: .newlines) }
        }
    }

    private func threadName() -> String {
        let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        return name?.trimmingCharacters(in: .newlines) ?? "unknown"
    }

    /// Calls back when bytes of a body were sent.
    private struct SentMonitor: EventMonitor {
        let action: @Sendable () -> Void

        func sent(_ call: CallContext.ID, _ progress: TransferProgress) { action() }
    }
#endif
