import Ferry
import FerryTesting
import Foundation
import XCTest

/// What was recorded comes back as it was.
final class CassetteRoundTripTests: CassetteTestCase, @unchecked Sendable {  // Stores nothing itself.
    private struct Exchange {
        var request: HTTPRequest
        var response: MockResponse
    }

    /// What a caller sees of a response.
    private struct Seen: Equatable {
        var status: HTTPStatus
        var headers: [String]
        var body: Data

        init(_ response: HTTPResponse) async throws {
            status = response.status
            headers = response.headers.map { "\($0.name): \($0.value)" }
            body = try await response.data()
        }
    }

    private static let statuses: [HTTPStatus] = [200, 201, 204, 206, 299, 301, 304, 404, 418, 500, 599]
    private static let methods: [HTTPMethod] = [.get, .head, .post, .put, .delete, .patch, "QUERY"]
    private static let types = [
        "application/json", "text/plain", "text/plain; charset=utf-8", "text/html; charset=iso-8859-1", "image/png",
        "application/vnd.api+json; charset=UTF-16", "multipart/mixed; boundary=\"a b\"", "no type",
    ]
    private static let texts = [
        "", "a", "\r\n", "ü € 日本語 🇩🇪 e\u{301}", "\u{FEFF}with a mark", "nul \0 and \u{1F}", "\u{2028}\u{2029}",
        #"{"a": [1, 2.50, null], "b": {"c": "\"\\"}}"#, "</script>", String(repeating: "lines\n", count: 3_000),
    ]

    private func exchange(_ number: Int, _ random: inout SeededGenerator) throws -> Exchange {
        let url = try XCTUnwrap(URL(string: "https://api.example/\(number)/a%20b?q=%C3%BC&q=2&flag"))
        let method = Self.methods.randomElement(using: &random) ?? .get
        var request = HTTPRequest(method: method, url: url, headers: ["X-Número": "1"])
        request.headers = ["X-A": "ü", "x-a": "2"]
        if method.allowsBody, Bool.random(using: &random) { request.body = .data(body(&random)) }
        var headers: HTTPHeaders = ["X-Repeated": "1", "ETag": "\"é\""]
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            headers.append("X-Repeated", Self.texts[1...1].joined() + "\(Int.random(in: 0...9, using: &random))")
        }
        if let type = Self.types.randomElement(using: &random), type != "no type" { headers["Content-Type"] = type }
        if Int.random(in: 0...4, using: &random) == 0 { headers["Content-Encoding"] = "gzip" }
        let status = Self.statuses.randomElement(using: &random) ?? .ok
        let bytes = body(&random)
        let response =
            Bool.random(using: &random)
            ? MockResponse.data(bytes, status: status, headers: headers)
            : .chunks(
                [(.milliseconds(5), bytes.prefix(3)), (.milliseconds(7), Data(bytes.dropFirst(3)))], status: status,
                headers: headers)
        return Exchange(request: request, response: response)
    }

    private func body(_ random: inout SeededGenerator) -> Data {
        switch Int.random(in: 0...3, using: &random) {
        case 0: Data()
        case 1:
            Data((0..<Int.random(in: 1...2000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
        default: Data((Self.texts.randomElement(using: &random) ?? "").utf8)
        }
    }

    func testRandomExchanges_comeBackAsTheyWere() async throws {
        var random = SeededGenerator(seed: 8)
        let exchanges = try (0..<60).map { try exchange($0, &random) }
        let mock = MockTransport()
        for (number, exchange) in exchanges.enumerated() { mock.on(nil, "/\(number)/*", exchange.response) }
        for delivery in [Delivery.buffered, .streamed] {
            let clock = ManualClock(advancesItself: true)
            let context = { CallContext(delivery: delivery, clock: clock) }
            let recorder = RecordingTransport(to: file, over: mock, redaction: .none)
            var live: [Seen] = []
            for exchange in exchanges {
                live.append(try await Seen(recorder.send(exchange.request, context: context())))
            }
            for keepsTimings in [false, true] {
                let replay = try replay(
                    matching: .with {
                        $0.comparesBody = true; $0.comparedHeaders = ["X-A"]
                    }, isStrict: true, keepsTimings: keepsTimings, redaction: .none)
                for (number, exchange) in exchanges.enumerated() {
                    let replayed = try await Seen(replay.send(exchange.request, context: context()))
                    XCTAssertEqual(replayed, live[number], "\(number) \(delivery) \(exchange.request)")
                }
                replay.verify()
            }
        }
        XCTAssertEqual(issues, [])
    }

    func testLargeBinaryBodies_comeBackAsTheyWere() async throws {
        var random = SeededGenerator(seed: 1)
        var content = Data()
        while content.count < 2 << 20 { withUnsafeBytes(of: random.next()) { content.append(contentsOf: $0) } }
        let mock = MockTransport.answering { .data($0.body, contentType: .octetStream) }
        let sent = NetworkCall(.put, "/large", body: .data(content))
        let live = try await client(RecordingTransport(to: file, over: mock)).data(sent)
        let replayed = try await client(replay(matching: .with { $0.comparesBody = true })).data(sent)
        XCTAssertEqual(live, content)
        XCTAssertEqual(replayed, content)
    }

    func testRecordingOfARealServer_comesBackAsItWas() async throws {
        let server = try await LoopbackServer.start()
        server.on(.get, "/chunked", .chunked(["a", "b"]).header("X-A", "1").header("Set-Cookie", "theme=dark"))
        server.on(.get, "/gzip", .gzip(Data(String(repeating: "zip", count: 100).utf8)))
        server.on(.get, "/redirect", .redirect(to: "/chunked"))
        let recorder = RecordingTransport(to: file)
        let calls = ["/chunked", "/gzip", "/redirect", "/missing"].map { NetworkCall(.get, $0) }
        func run(_ transport: some Transport) async throws -> [[String]] {
            let client = NetworkClient(baseURL: server.baseURL) {
                $0.transport = transport
                $0.validation = .any
            }
            var seen: [[String]] = []
            for call in calls {
                let response = try await client.response(call, as: Data.self)
                // Credentials are not in the recording: see Redaction.
                let fields = response.headers.filter { $0.name.lowercased() != "set-cookie" }
                    .map { "\($0.name.lowercased()): \($0.value)" }.sorted()
                seen.append(["\(response.status)", String(decoding: response.body, as: UTF8.self)] + fields)
            }
            return seen
        }
        let live = try await run(recorder)
        recorder.shutdown()
        await server.stop()
        let replayed = try await run(replay())
        XCTAssertEqual(replayed, live)
        XCTAssertEqual(issues, [])
    }
}
