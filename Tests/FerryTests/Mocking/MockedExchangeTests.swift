import Ferry
import FerryTesting
import Foundation
import XCTest

final class MockedExchangeTests: XCTestCase {
    func testMCK01_stubbedStatusIsAResponseLikeARealOne() async throws {
        let row = try ConformanceCase.load("MCK-01", area: "mock")
        let status = try XCTUnwrap(row.input["stub"]["status"].int)
        let body = try XCTUnwrap(row.input["stub"]["body"].string)
        for delivery in [Delivery.buffered, .streamed] {
            let events = EventRecorder()
            let response = try await MockTest.respond(
                .json(body, status: HTTPStatus(status)), delivery: delivery, events: events)
            XCTAssertEqual(response.status.code, status)
            let data = try await response.data()
            XCTAssertEqual(data, Data(body.utf8))
            XCTAssertEqual(
                events.words,
                [
                    "head: \(HTTPStatus(status)) [Content-Type, Content-Length]",
                    "received \(body.utf8.count) of \(body.utf8.count) bytes",
                ])
        }
    }

    func testMCK03_answerHasURLStatusAndHeaders() async throws {
        let row = try ConformanceCase.load("MCK-03", area: "mock")
        let stub = row.input["stub"]
        let url = try XCTUnwrap(row.input["url"].string.flatMap { URL(string: $0) })
        let name = try XCTUnwrap(stub["fixture"].string)
        let headers = HTTPHeaders(stub["headers"].object.map { .init(name: $0.key, value: $0.value.string ?? "") })
        let response = try await MockTest.respond(
            .fixture(name, status: HTTPStatus(try XCTUnwrap(stub["status"].int)), headers: headers),
            to: HTTPRequest(url: url), fixtures: .memory([name: Data("{}".utf8)]))
        XCTAssertEqual(response.head.url.absoluteString, row.expected["response_url"].string)
        XCTAssertEqual(response.status.code, row.expected["status"].int)
        XCTAssertEqual(response.headers["ETag"], row.expected["header_ETag"].string)
        XCTAssertEqual(response.headers["Content-Type"], "application/json")
        XCTAssertEqual(response.headers["Content-Length"], "2")
        XCTAssertEqual(response.source, .mock)
    }

    func testFactories_giveStatusTypeAndBytes() async throws {
        let rows: [(mock: MockResponse, status: Int, type: String?, length: String?, body: String)] = [
            (.json("[1]"), 200, "application/json", "3", "[1]"),
            (.json(encoding: ["a": 1], status: 201), 201, "application/json", "7", "{\"a\":1}"),
            (.text("é"), 200, "text/plain; charset=utf-8", "2", "é"),
            (.text("x", contentType: .html), 200, "text/html", "1", "x"),
            (.data(Data("ab".utf8)), 200, "application/octet-stream", "2", "ab"),
            (
                .json("{}").header("content-type", "application/problem+json"), 200, "application/problem+json", "2",
                "{}"
            ),
            (.empty(), 204, nil, nil, ""),
            (.empty(.ok), 200, nil, "0", ""),
            (.status(404), 404, nil, "0", ""),
            (.json("{}", status: 204), 204, nil, nil, ""),
            (.json("{}", status: 304, headers: ["Content-Length": "900"]), 304, nil, "900", ""),
            (.chunks([(.zero, Data("a".utf8)), (.zero, Data("b".utf8))]), 200, "application/octet-stream", nil, "ab"),
            (.json("[1]", headers: ["Content-Encoding": "gzip"]), 200, "application/json", nil, "[1]"),
            (.json("[1]", headers: ["content-length": "3"]).status(500), 500, "application/json", "3", "[1]"),
            (.fixture("errors/bad-gateway.html", status: 502), 502, "text/html; charset=utf-8", "180", ""),
        ]
        for row in rows {
            let response = try await MockTest.respond(row.mock)
            let note = "\(row.mock)"
            XCTAssertEqual(response.status.code, row.status, note)
            XCTAssertEqual(response.headers["Content-Type"], row.type, note)
            let data = try await response.data()
            if case .fixture = row.mock.content {
                XCTAssertEqual(response.headers["Content-Length"], "\(data.count)", note)
            } else {
                XCTAssertEqual(response.headers["Content-Length"], row.length, note)
                XCTAssertEqual(data, Data(row.body.utf8), note)
            }
        }
    }

    func testCategory_hasAStatusOfThatCategory() async throws {
        for category in HTTPStatus.Category.allCases where category != .informational {
            let response = try await MockTest.respond(.category(category))
            XCTAssertEqual(response.status.category, category)
        }
        let error = await MockTest.failure(.category(.informational))
        XCTAssertEqual(error?.kind, .mock)
    }

    func testHead_hasFieldsOfTheBodyAndNoBody() async throws {
        for delivery in [Delivery.buffered, .streamed] {
            let events = EventRecorder()
            let response = try await MockTest.respond(
                .fixture("users/1.json"), to: HTTPRequest(method: .head, url: MockTest.url), delivery: delivery,
                events: events)
            XCTAssertEqual(
                response.headers["Content-Length"], "\(try MockTest.fixtures.data(named: "users/1.json").count)")
            let data = try await response.data()
            XCTAssertEqual(data, Data())
            XCTAssertEqual(events.words, ["head: 200 OK [Content-Type, Content-Length]"])
        }
    }

    func testContradictoryMock_isALoudError() async {
        struct Broken: Encodable, Sendable {
            func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
        }
        let rows: [(mock: MockResponse, words: String)] = [
            (.fixture("missing.json"), "does not exist"),
            (.fixture("missing.json", status: 204), "does not exist"),
            (.fixture("../README.md"), "is refused"),
            (.status(101), "no final status"),
            (.status(0), "no final status"),
            (.status(1000), "no final status"),
            (.json("{}").header("X-A", "a\r\nB: c"), "malformed"),
            (.json("{}").header("X A", "a"), "malformed"),
            (.json("{}").header("Content-Length", "3"), "2 bytes"),
            (.json("{}").header("Content-Length", "two"), "2 bytes"),
            (.chunks([(.zero, Data("a".utf8))], headers: ["Content-Length": "2"]), "1 bytes"),
            (.json(encoding: Broken()), "cannot be encoded"),
            (.json("{}").chunked(.of(0)), "size of 0"),
        ]
        for row in rows {
            let error = await MockTest.failure(row.mock)
            XCTAssertEqual(error?.kind, .mock, row.words)
            XCTAssertTrue(error?.message.contains(row.words) ?? false, error?.message ?? row.words)
            XCTAssertEqual(error?.url, MockTest.url, row.words)
            XCTAssertFalse("\(error as Any)".contains("s3cret"), row.words)
        }
    }

    func testFailure_hasItsKindAndNamesTheRequest() async {
        let kinds: [NetworkError.Kind] = [
            .cannotConnect, .cannotFindHost, .connectionLost, .offline, .malformedResponse, .network, .tls, .timeout,
            .cancelled, NetworkError.Kind(rawValue: "mine"),
        ]
        for kind in kinds {
            let events = EventRecorder()
            do throws(NetworkError) {
                _ = try await MockTest.respond(.failure(kind), events: events)
                XCTFail("\(kind)")
            } catch {
                XCTAssertEqual(error.kind, kind)
                XCTAssertEqual(error.url, MockTest.url)
                XCTAssertEqual(error.timeout, kind == .timeout ? .idle : nil)
                XCTAssertEqual(events.words, [])
            }
        }
        let given = await MockTest.failure(.failure(error: NetworkError(.tls, "expired")))
        XCTAssertEqual(given?.message, "expired")
    }

    func testDescription_showsNoContent() {
        for mock in [MockResponse.json("{\"token\":\"s3cret\"}", headers: ["X-Key": "s3cret"]), .text("s3cret")] {
            XCTAssertFalse(
                "\(mock) \(String(reflecting: mock)) \(Mirror(reflecting: mock).children)".contains("s3cret"))
            var dumped = ""
            dump(mock, to: &dumped)
            XCTAssertFalse(dumped.contains("s3cret"))
        }
    }
}
