import Ferry
import FerryTesting
import Foundation
import XCTest

/// The rows of `cache.jsonl`, on whole calls.
final class CacheConformanceTests: ClientTestCase {
    private let clock = ManualClock()

    private func load(_ id: String) throws -> ConformanceCase { try ConformanceCase.load(id, area: "cache") }

    private func client(
        _ cache: ResponseCache = ResponseCache(),
        _ answer: @escaping MockRoute.Reply
    ) -> (NetworkClient, MockTransport) {
        let transport = MockTransport.answering(answer)
        let client = NetworkClient(baseURL: server.baseURL) {
            $0.cache = cache
            $0.transport = transport
            $0.clock = clock
        }
        return (client, transport)
    }

    private func headers(_ value: JSONValue) -> HTTPHeaders {
        HTTPHeaders(value.object.map { HTTPHeaders.Field(name: $0.key, value: $0.value.string ?? "") })
    }

    private let call = NetworkCall(.get, "/item")

    func testCCH01_noStoreNeverReachesTheDisk() async throws {
        let row = try load("CCH-01")
        let body = try XCTUnwrap(row.input["body"].string)
        let fields = headers(row.input["headers"])
        let directory = try temporaryDirectory()
        let (client, transport) = client(ResponseCache(store: .disk(directory))) { _ in
            .text(body, headers: fields)
        }
        for _ in 0..<2 {
            let text = try await client.string(call)
            XCTAssertEqual(text, body)
        }
        XCTAssertEqual(transport.requests.count, row.expected["second_request_goes_to_network"].bool == true ? 2 : 1)
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path())
        let isOnDisk = names.contains { name in
            let content = try? Data(contentsOf: directory.appending(path: name))
            return content?.range(of: Data(body.utf8)) != nil
        }
        XCTAssertEqual(isOnDisk, row.expected["disk_contains_SECRET-123"].bool)
    }

    func testCCH03_a304RenewsFreshnessAndStaysInside() async throws {
        let row = try load("CCH-03")
        let (first, second) = (row.input["t0"], row.input["t2"])
        let body = first["body"].string ?? ""
        let answers = [
            MockResponse.text(body, headers: headers(first["headers"])),
            .status(304, headers: headers(second["headers"])),
        ]
        let count = Collected<Int>()
        let (client, transport) = client { _ in
            count.add(1)
            guard count.all.count <= answers.count else { throw NetworkError(.mock, "not expected") }
            return answers[count.all.count - 1]
        }
        var responses: [Response<String>] = []
        for wait in [0, 2, 3] {
            clock.advance(by: .seconds(wait))
            responses.append(try await client.response(call, as: String.self))
        }
        XCTAssertEqual(responses.map(\.status.code), row.expected["statuses"].array.compactMap(\.int))
        XCTAssertEqual(responses.map(\.value), row.expected["bodies"].strings)
        XCTAssertEqual(transport.requests.count, row.expected["network_requests"].int)
        for (name, value) in row.expected["third_has_header"].object {
            XCTAssertEqual(responses.last?.headers[name], value.string)
        }
        XCTAssertEqual(responses.map(\.source), [.mock, .cacheValidated, .cacheFresh])
        XCTAssertEqual(responses.last?.age, .seconds(3))
        XCTAssertEqual(transport.requests.last?.headers["If-None-Match"], first["headers"]["ETag"].string)
    }

    func testCCH04_a304OfAnotherValidatorIsAskedAgain() async throws {
        let row = try load("CCH-04")
        let stored = row.input["stored"]
        let old = MockResponse.text(
            stored["body"].string ?? "", headers: ["ETag": stored["ETag"].string ?? "", "Cache-Control": "max-age=0"])
        let conditional = MockResponse.status(304, headers: headers(row.input["conditional_answer"]["headers"]))
        let answer = row.input["unconditional_answer"]
        let new = MockResponse.text(answer["body"].string ?? "", headers: headers(answer["headers"]))
        let isStored = Collected<Bool>()
        let (client, transport) = client { request in
            if isStored.all.isEmpty { return old }
            return request.headers.contains("If-None-Match") ? conditional : new
        }
        _ = try await client.string(call)
        isStored.add(true)
        clock.advance(by: .seconds(1))
        let response = try await client.response(call, as: String.self)
        XCTAssertEqual(response.value, row.expected["caller_gets"].string)
        XCTAssertEqual(response.source, .mock)
        XCTAssertEqual(transport.requests.count - 1, row.expected["network_requests"].int)
    }

    func testCCH06_varySelects() async throws {
        let row = try load("CCH-06")
        let fields = headers(row.input["headers"])
        let (client, transport) = client { request in
            .text("in \(request.headers["Accept-Language"] ?? "none")", headers: fields)
        }
        var bodies: [String] = []
        for language in row.input["requests"].strings {
            let value = language.hasPrefix("(") ? nil : language
            bodies.append(try await client.string(call.header("Accept-Language", value)))
        }
        XCTAssertEqual(bodies, ["in en", "in fr", "in en", "in none"])
        XCTAssertEqual(transport.requests.count, 3, row.expected["network_requests"].string ?? "")

        let star = headers(row.input["star"]).merging(["Cache-Control": "max-age=60"])
        let (other, starred) = self.client { _ in .status(200, headers: star) }
        for _ in 0..<2 { try await other.request(call) }
        XCTAssertEqual(starred.requests.count == 2, row.expected["star_never_reused"].bool)
    }

    func testCCH07_staleOnlyWhereItIsAllowed() async throws {
        let row = try load("CCH-07")
        let stored = row.input["stored"].string ?? ""
        let results = row.expected["results"].strings
        for (index, directive) in row.input["directives"].strings.enumerated() {
            let control = directive.hasPrefix("(") ? stored : "\(stored), \(directive)"
            let isDown = Collected<Bool>()
            let (client, transport) = client { _ in
                if isDown.all.isEmpty { return .text("stale body", headers: ["Cache-Control": control]) }
                throw NetworkError(.cannotConnect, "refused")
            }
            _ = try await client.string(call)
            isDown.add(true)
            clock.advance(by: .seconds(3))
            let isError = results[index].hasPrefix("error")
            if isError {
                let error = await failure { () async throws(NetworkError) in try await client.string(call) }
                XCTAssertEqual(error?.kind, .cannotConnect, directive)
            } else {
                let response = try await client.response(call, as: String.self)
                XCTAssertEqual(response.value, results[index])
                XCTAssertEqual(response.source, .cacheStale)
                XCTAssertEqual(response.age, .seconds(3))
            }
            XCTAssertEqual(transport.requests.count, 2, directive)
            guard index == 2 else { continue }
            let allowed = try await client.string(call.header("Cache-Control", "max-stale"))
            XCTAssertEqual(allowed, "stale body", "a stale-allowed mode")
        }
    }

    func testCCH09_truncatedAnswersAreNotStored() async throws {
        let row = try load("CCH-09")
        let response = row.input["response"]
        server.script(
            .get, "/item",
            [
                LoopbackResponse.text(response["body"].string ?? "").headers(headers(response["headers"])).then(.close),
                .text(row.expected["second"].string.map { String($0.prefix(10)) } ?? "")
                    .header("Cache-Control", "max-age=3600"),
            ])
        let client = client { $0.cache = ResponseCache() }
        let error = await failure { () async throws(NetworkError) in try await client.string(call) }
        XCTAssertEqual(error?.kind, .connectionLost, row.expected["first"].string ?? "")
        let second = try await client.response(call, as: String.self)
        XCTAssertEqual("\(second.value) from \(second.source)", row.expected["second"].string)
    }

    func testCCH10_cacheOnlyNeverAsksTheNetwork() async throws {
        let row = try load("CCH-10")
        XCTAssertEqual(row.input["mode"].string, CacheMode.cacheOnly.rawValue)
        let (client, transport) = client { _ in .text("stored body") }
        let offline = call.cache(.cacheOnly)
        let error = await failure { () async throws(NetworkError) in try await client.string(offline) }
        XCTAssertEqual(error?.kind, .cacheMiss)
        XCTAssertEqual(transport.requests.count, 0)
        _ = try await client.string(call)
        let text = try await client.string(offline)
        XCTAssertEqual(text, "stored body")
        XCTAssertEqual(transport.requests.count, 1)
        let uncached = NetworkClient(baseURL: server.baseURL)
        let miss = await failure { () async throws(NetworkError) in try await uncached.string(offline) }
        XCTAssertEqual(miss?.kind, .cacheMiss, "also without a cache")
        XCTAssertEqual(server.requestCount, 0)
    }
}
