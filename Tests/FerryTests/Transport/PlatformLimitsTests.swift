#if canImport(FoundationNetworking)
    import Ferry
    import FerryTesting
    import Foundation
    import XCTest

    /// What FoundationNetworking cannot do, pinned as it is: `Docs/Linux.md` tells users of each.
    ///
    /// A failure here is good news. The toolchain has mended something: remove the row here, in
    /// `TransportConformanceTests.impossible` and in the guide.
    final class PlatformLimitsTests: XCTestCase {
        private var server: LoopbackServer!
        private var transport: URLSessionTransport!

        override func setUp() async throws {
            server = try await LoopbackServer.start()
            transport = URLSessionTransport()
        }

        override func tearDown() async throws {
            transport.shutdown()
            await server.stop()
        }

        private func send(_ text: String) async -> Result<HTTPResponse, NetworkError> {
            do throws(NetworkError) {
                guard let url = URL(string: text) else { throw NetworkError(.invalidURL, text) }
                return .success(try await transport.send(HTTPRequest(url: url), context: CallContext()))
            } catch {
                return .failure(error)
            }
        }

        private func send(path: String) async -> Result<HTTPResponse, NetworkError> {
            await send(server.baseURL.absoluteString + path)
        }

        private func kind(_ result: Result<HTTPResponse, NetworkError>) -> NetworkError.Kind? {
            if case .failure(let error) = result { error.kind } else { nil }
        }

        func testLegalHeads_areRefused() async throws {
            let heads = [
                "no space after the colon": "HTTP/1.1 200 OK\r\nX-Foo:bar\r\n",
                "a status line without reason and space": "HTTP/1.1 200\r\nX-Foo: bar\r\n",
                "Latin-1 bytes": "HTTP/1.1 200 OK\r\nX-Foo: caf\u{E9}\r\n",
            ]
            for (name, head) in heads {
                let wire = Data((head + "Content-Length: 2\r\n\r\nok").unicodeScalars.map { UInt8($0.value) })
                server.on(.get, "/h", .raw(wire))
                let result = await send(path: "/h")
                XCTAssertEqual(kind(result), .network, name)
            }
        }

        func testBodyOfARedirectWithoutLocation_isLost() async throws {
            server.on(.get, "/r", .text("moved").status(302))
            let response = try await send(path: "/r").get()
            let body = try await response.data()
            XCTAssertEqual(response.status, 302)
            XCTAssertEqual(response.headers["Content-Length"], "5")
            XCTAssertEqual(body.count, 0)
        }

        func testTruncatedGzipWithoutLength_looksComplete() async throws {
            let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* $0 &+ $0 >> 7) })
            let zipped = Gzip.stored(content)
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"
            server.on(.get, "/cut", .raw(Data(head.utf8) + zipped.prefix(zipped.count / 2)))
            let body = try await send(path: "/cut").get().data()
            XCTAssertLessThan(body.count, content.count)
        }

        func testIPv6Literals_areRefused() async {
            let result = await send("http://[::1]:\(server.port)/")
            XCTAssertEqual(kind(result), .invalidURL)
        }

        func testHeaderNames_comeBackCapitalisedAndSorted() async throws {
            server.on(
                .get, "/h", .text("ok").header("zebra-count", "1").header("x-lower", "2").header("ETAG", "\"v\""))
            let response = try await send(path: "/h").get()
            let names = response.headers.map(\.name)
            XCTAssertEqual(names, names.sorted())
            XCTAssertTrue(names.contains("Zebra-Count") && names.contains("x-lower"), "\(names)")
            XCTAssertEqual(response.headers["zebra-count"], "1", "look-ups ignore case")
        }

        func testHeaders_thatRepeatInDifferentSpellingsAreLost() async throws {
            server.on(.get, "/h", .text("ok").headers(["Set-Cookie": "a=1", "set-cookie": "b=2", "SET-COOKIE": "c=3"]))
            let response = try await send(path: "/h").get()
            XCTAssertEqual(response.headers.values(of: "Set-Cookie").count, 1)
            XCTAssertEqual(response.headers["Set-Cookie"]?.utf8.count, 3)
        }

        func testRequestHeadBeyondOneMebibyte_isRefused() async {
            let result = await send(path: "/x?q=" + String(repeating: "x", count: 1 << 20))
            XCTAssertEqual(kind(result), .headTooLarge)
            XCTAssertEqual(server.requestCount, 0)
        }

        func testDifferingContentLengths_areRefusedByFerry() async {
            server.on(
                .get, "/two", .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc"))
            let result = await send(path: "/two")
            XCTAssertEqual(kind(result), .malformedResponse)
        }
    }
#endif
