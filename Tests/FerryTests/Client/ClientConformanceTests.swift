import Ferry
import FerryTesting
import Foundation
import XCTest

/// Rows of `Fixtures/conformance` that need a whole client on real sockets, each named by its id.
final class ClientConformanceTests: ClientTestCase {
    // MARK: URLs, headers, requests

    func testURL09_aPathNeverCarriesTheTokenToAnotherHost() async throws {
        let row = try ConformanceCase.load("URL-09", area: "url")
        let other = try await LoopbackServer.start()
        let token = try XCTUnwrap(row.input["default_headers"]["Authorization"].string)
        let client = client { $0.headers["Authorization"] = token }
        let evil = ["//127.0.0.1:\(other.port)/x", "http://127.0.0.1:\(other.port)/x", "\\\\127.0.0.1:\(other.port)/x"]
        for path in row.input["paths"].strings + evil {
            let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, path)) }
            XCTAssertEqual(error?.kind, .invalidURL, path)
        }
        XCTAssertEqual(other.acceptedConnections, 0)
        XCTAssertEqual(server.acceptedConnections, 0)
        await other.stop()
    }

    func testQRY11_bodyOnGETIsRefusedBeforeIO() async throws {
        let row = try ConformanceCase.load("QRY-11", area: "request")
        let client = client()
        let method = HTTPMethod(try XCTUnwrap(row.input["method"].string))
        let call = NetworkCall(method, "/x", body: .json(["a": 1]))
        let error = await failure { () throws(NetworkError) in try await client.data(call) }
        XCTAssertEqual(error?.kind, .invalidRequest)
        XCTAssertEqual(server.acceptedConnections, row.expected["server_requests"].int)
    }

    func testHDR01_headersThatForgeOthersAreRefusedBeforeIO() async throws {
        let row = try ConformanceCase.load("HDR-01", area: "headers")
        let client = client()
        let name = try XCTUnwrap(row.input["name"].string)
        let headers =
            row.input["values"].strings.map { [name: $0] as HTTPHeaders }
            + row.input["bad_names"].strings.map { [$0: "v"] as HTTPHeaders }
        for headers in headers {
            let error = await failure { () throws(NetworkError) in
                try await client.data(NetworkCall(.get, "/", headers: headers))
            }
            XCTAssertEqual(error?.kind, .invalidHeader, "\(headers)")
        }
        XCTAssertEqual(server.acceptedConnections, 0)
    }

    func testHDR03_linesOfOneFieldAreMergedAsFarAsThePlatformShowsThem() async throws {
        let row = try ConformanceCase.load("HDR-03", area: "headers")
        let lines = row.input["raw_response_headers"].strings.joined(separator: "\r\n")
        server.on(.get, "/h", .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\(lines)\r\n\r\nok"))
        let response = try await client().response(NetworkCall(.get, "/h"), as: String.self)
        let link = try XCTUnwrap(response.headers["Link"])
        #if canImport(FoundationNetworking)
            // The fact: lines that are spelled differently become one key of a dictionary, and one of them is lost.
            // Pinned here and documented in Docs/Linux.md; FerryCurl shows both.
            let next = try XCTUnwrap(row.expected["next"].string)
            XCTAssertTrue(link.contains("<\(next)>") || link.contains("/p1>"), link)
        #else
            XCTAssertTrue(link.contains("/p1>") && link.contains("/p3>"), link)
        #endif
    }

    // MARK: Responses

    func testDEC01_204IsNoSyntaxError() async throws {
        server.on(nil, "/empty", .status(204))
        let client = client()
        let none: User? = try await client.get("/empty")
        XCTAssertNil(none)
        let _: Nothing = try await client.get("/empty")
        try await client.post("/empty")
        let error = await failure { () throws(NetworkError) -> User in try await client.get("/empty") }
        XCTAssertEqual(error?.kind, .emptyBody)
        XCTAssertEqual(error?.status, 204)
    }

    func testDEC03_headIsNotTruncated() async throws {
        let row = try ConformanceCase.load("DEC-03", area: "decode")
        let length = try XCTUnwrap(row.expected["content_length_header"].string)
        server.on(.head, "/h", .unframed("", headers: ["Content-Length": length]))
        let response = try await client().response(NetworkCall(.head, "/h"), as: Data.self)
        XCTAssertEqual(response.value.count, row.expected["body_bytes"].int)
        XCTAssertEqual(response.headers["Content-Length"], length)
    }

    func testDEC04_shortBodyIsALostConnection() async throws {
        let row = try ConformanceCase.load("DEC-04", area: "decode")
        server.on(.get, "/short", .raw(try XCTUnwrap(row.input["raw_response"].string)))
        let client = client()
        let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/short")) }
        XCTAssertEqual(error?.kind, .connectionLost)
        XCTAssertEqual(error?.isRetryable, true)
        XCTAssertEqual(error?.status, 200)
    }

    func testDEC06_errorPagesKeepTheirStatus() async throws {
        let row = try ConformanceCase.load("DEC-06", area: "error-mapping")
        let page = try XCTUnwrap(row.expected["body"].string)
        server.on(.get, "/502", .data(Data(page.utf8), contentType: .html).status(502))
        let client = client()
        let error = await failure { () throws(NetworkError) -> User in try await client.get("/502") }
        XCTAssertEqual(error?.kind, .server)
        XCTAssertEqual(error?.status, 502)
        XCTAssertEqual(error?.body.map { String(decoding: $0, as: UTF8.self) }, page)
    }

    func testERR01_transportFailuresAreToldApart() async throws {
        server.on(.get, "/empty", .closed)
        server.on(.get, "/reset", .text("hello").claiming(contentLength: 100).then(.reset))
        let client = client()
        let rows: [(URL, Set<NetworkError.Kind>)] = [
            (try XCTUnwrap(URL(string: "http://127.0.0.1:1/")), [.cannotConnect]),
            (try XCTUnwrap(URL(string: "http://nx.invalid/")), [.cannotFindHost]),
            (try url("/empty"), [.connectionLost]),
            (try url("/reset"), [.connectionLost]),
        ]
        for (url, kinds) in rows {
            let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, url: url)) }
            XCTAssertTrue(kinds.contains(error?.kind ?? .network), "\(url): \(error as Any)")
            XCTAssertEqual(error?.isRetryable, true)
        }
    }

    func testERR03_subSecondTimeoutsDoNotFireAtOnce() async throws {
        let row = try ConformanceCase.load("ERR-03", area: "timeout")
        let clock = ManualClock()
        let delay = try XCTUnwrap(row.input["server_delay"].number)
        let gate = Gate()
        server.on(.get, "/slow") { _ in
            await gate.wait()
            return .text("ok")
        }
        let timeout = Duration.seconds(try XCTUnwrap(row.input["timeout"].number))
        let client = client { $0.clock = clock }
        let call = NetworkCall(.get, "/slow").timeouts(
            Timeouts(head: timeout, idle: timeout, attempt: timeout, total: timeout))
        let task = Task { try await client.string(call) }
        _ = await server.waitForRequests(1)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(delay))
        gate.open()
        let text = try await task.value
        XCTAssertEqual(text, "ok")
    }

    // MARK: Mocks

    func testMCK01_mocksPassThroughTheWholeClient() async throws {
        let row = try ConformanceCase.load("MCK-01", area: "mock")
        let stub = MockResponse.json(
            try XCTUnwrap(row.input["stub"]["body"].string),
            status: HTTPStatus(try XCTUnwrap(row.input["stub"]["status"].int)))
        let errors = Collected<NetworkError>()
        let client = client {
            $0.mocking = .on(.empty)
            $0.retry = .constant(.zero, maxRetries: 2)
            $0.errorHandler = { errors.add($0) }
        }
        let error = await failure { () throws(NetworkError) in
            try await client.data(NetworkCall(.get, "/x").mocked(stub))
        }
        XCTAssertEqual(error?.kind, .server)
        XCTAssertEqual(error?.status, 500)
        XCTAssertEqual(error?.attempts.count, 3, "retries apply")
        XCTAssertEqual(errors.all.count, 1)
        XCTAssertEqual(server.acceptedConnections, 0)
    }

    func testMockMode_withoutAMockFailsLoudlyAndSendsNothing() async throws {
        server.fallback { _ in .text("real") }
        let client = client { $0.mocking = .on(.directory(Repository.fixtures.appending(path: "api"))) }
        let missing = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/x")) }
        XCTAssertEqual(missing?.kind, .mock)
        let wrong = await failure { () throws(NetworkError) in
            try await client.data(NetworkCall(.get, "/x").mocked(.fixture("users/none.json")))
        }
        XCTAssertEqual(wrong?.kind, .mock)
        XCTAssertEqual(wrong?.message.contains("users/none.json"), true)
        let user: JSON = try await client.request(NetworkCall(.get, "/x").mocked(.fixture("users/1.json")))
        XCTAssertNotNil(user["name"])
        XCTAssertEqual(server.acceptedConnections, 0)
    }

    func testMCK03_mocksHaveURLStatusAndHeaders() async throws {
        let row = try ConformanceCase.load("MCK-03", area: "mock")
        let stub = row.input["stub"]
        let client = NetworkClient(baseURL: try XCTUnwrap(row.input["url"].string.flatMap(URL.init(string:)))) {
            $0.mocking = .on(.memory(["a.json": Data("{}".utf8)]))
        }
        let mock = MockResponse.fixture(
            "a.json", status: HTTPStatus(try XCTUnwrap(stub["status"].int)),
            headers: ["etag": try XCTUnwrap(stub["headers"]["etag"].string)])
        let response = try await client.response(NetworkCall(.get, "").mocked(mock), as: JSON.self)
        XCTAssertEqual(response.url.absoluteString, row.expected["response_url"].string)
        XCTAssertEqual(response.status.code, row.expected["status"].int)
        XCTAssertEqual(response.headers["ETag"], row.expected["header_ETag"].string)
        XCTAssertEqual(response.source, .mock)
    }

    // MARK: Cancellation and retries

    func testCNC02_cancelledBeforeTheStartSendsNothing() async throws {
        let client = client()
        let start = Gate()
        let task = Task { () -> NetworkError? in
            await start.wait()
            return await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/x")) }
        }
        task.cancel()
        start.open()
        let error = await task.value
        XCTAssertEqual(error?.kind, .cancelled)
        XCTAssertEqual(server.acceptedConnections, 0)
    }

    func testRTY13_aBrokenBodyIsRepeatedForDataAndNeverForAStream() async throws {
        server.script(
            .get, "/b", [.unframed("Ba", headers: ["Content-Length": "7"]), .text("Bananas")])
        let client = client { $0.retry = .constant(.zero, maxRetries: 1) }
        let data = try await client.string(NetworkCall(.get, "/b"))
        XCTAssertEqual(data, "Bananas")
        server.script(
            .get, "/s", [.unframed("Ba", headers: ["Content-Length": "7"]), .text("Bananas")])
        let response = try await client.stream(NetworkCall(.get, "/s"))
        var got = Data()
        let error = await failure { () throws(NetworkError) in for try await chunk in response.body { got += chunk } }
        XCTAssertEqual(got, Data("Ba".utf8))
        XCTAssertEqual(error?.kind, .connectionLost)
    }

    func testRTY09_aSpentStreamIsNeverSentEmpty() async throws {
        server.script(.put, "/p", [.status(503), .text("ok")])
        let client = client { $0.retry = .constant(.zero, maxRetries: 1) }
        let chunks = [Data("payload-".utf8), Data("123".utf8)]
        let factory = BodyStream { AsyncStream<Data>.of(chunks) }
        _ = try await client.data(NetworkCall(.put, "/p", body: .stream(factory)))
        XCTAssertEqual(server.requests.map(\.text), ["payload-123", "payload-123"])
        server.script(.put, "/q", [.status(503), .text("ok")])
        let once = BodyStream(once: AsyncStream<Data>.of(chunks))
        let error = await failure { () throws(NetworkError) in
            try await client.data(NetworkCall(.put, "/q", body: .stream(once)))
        }
        XCTAssertEqual(error?.status, 503)
        XCTAssertEqual(error?.message.contains("cannot be replayed"), true)
        XCTAssertEqual(server.requests.map(\.text), ["payload-123", "payload-123", "payload-123"])
    }

    // MARK: Streams

    func testSTR03_anErrorStatusIsThrownWithItsBody() async throws {
        let row = try ConformanceCase.load("STR-03", area: "streams")
        let response = row.input["response"]
        let body = try XCTUnwrap(response["body"].string)
        server.on(
            .get, "/s",
            .json(body).status(HTTPStatus(try XCTUnwrap(response["status"].int))).header("Retry-After", "1"))
        let client = client()
        let error = await failure { () throws(NetworkError) in try await client.stream(NetworkCall(.get, "/s")) }
        XCTAssertEqual(error?.status, 429)
        XCTAssertEqual(error?.body, Data(body.utf8))
        XCTAssertEqual(error?.headers["retry-after"], "1")
    }

    func testStream_withoutContentHasNoWrongType() async throws {
        server.on(.get, "/s", .status(204).header("Content-Type", "text/html"))
        let response = try await client().stream(NetworkCall(.get, "/s").accepting(.types([.json])))
        let content = try await response.body.collect()
        XCTAssertEqual(content, Data())
    }

    func testStream_isReportedOnceWhenItEnds() async throws {
        server.on(.get, "/ok", .chunked(["a", "b"]))
        server.on(.get, "/cut", .unframed("a", headers: ["Content-Length": "9"]))
        let logs = Collected<CallLog>()
        let client = client { $0.logHandler = { logs.add($0) } }
        let whole = try await client.stream(NetworkCall(.get, "/ok"))
        XCTAssertEqual(logs.all.count, 0, "not before the stream ended")
        _ = try await whole.body.collect()
        let cut = try await client.stream(NetworkCall(.get, "/cut"))
        let error = await failure { () throws(NetworkError) in try await cut.body.collect() }
        XCTAssertEqual(error?.url, server.baseURL.appending(path: "/cut"), "thrown with what is known of the call")
        XCTAssertEqual(error?.attempts.count, 1)
        do { _ = try await client.stream(NetworkCall(.get, "/ok")) }
        XCTAssertEqual(logs.all.map { $0.error?.kind }, [nil, .connectionLost, .cancelled])
    }
}
