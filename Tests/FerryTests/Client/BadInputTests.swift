import Ferry
import FerryTesting
import Foundation
import XCTest

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What cannot be sent is refused with a specific error, and no connection is made.
final class BadInputTests: ClientTestCase {
    func testCalls_thatCannotBeSentMakeNoConnection() async throws {
        let directory = try temporaryDirectory()
        struct Unencodable: Encodable {
            func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
        }
        let url = { (text: String) throws in try XCTUnwrap(URL(string: text)) }
        let rows: [(name: String, call: NetworkCall, kind: NetworkError.Kind)] = [
            ("CR LF in the path", NetworkCall(.get, "/a\r\nX-Evil: 1"), .invalidURL),
            ("NUL in the path", NetworkCall(.get, "/a\u{0}b"), .invalidURL),
            ("network path", NetworkCall(.get, "//evil.example/x"), .invalidURL),
            ("absolute URL as path", NetworkCall(.get, "https://evil.example/x"), .invalidURL),
            ("climbing path", NetworkCall(.get, "/../../x"), .invalidURL),
            ("file URL", NetworkCall(.get, url: URL(filePath: "/etc/passwd")), .invalidURL),
            ("URL without host", NetworkCall(.get, url: try url("http:///x")), .invalidURL),
            ("mailto URL", NetworkCall(.get, url: try url("mailto:a@b")), .invalidURL),
            ("CR LF in a value", NetworkCall(.get, "/", headers: ["X": "a\r\nY: b"]), .invalidHeader),
            ("fold in a value", NetworkCall(.get, "/", headers: ["X": "a\r\n b"]), .invalidHeader),
            ("NUL in a value", NetworkCall(.get, "/", headers: ["X": "a\u{0}"]), .invalidHeader),
            ("space in a name", NetworkCall(.get, "/", headers: ["X Y": "a"]), .invalidHeader),
            ("colon in a name", NetworkCall(.get, "/", headers: ["X:Y": "a"]), .invalidHeader),
            ("empty name", NetworkCall(.get, "/", headers: ["": "a"]), .invalidHeader),
            ("CR LF in a name", NetworkCall(.get, "/", headers: ["X\r\nY": "a"]), .invalidHeader),
            ("given length", NetworkCall(.post, "/", headers: ["content-length": "3"]), .invalidHeader),
            ("given framing", NetworkCall(.post, "/", headers: ["Transfer-Encoding": "chunked"]), .invalidHeader),
            ("given host", NetworkCall(.get, "/", headers: ["host": "evil.example"]), .invalidHeader),
            ("method with space", NetworkCall("GET /evil", "/"), .invalidRequest),
            ("method with CR LF", NetworkCall("GET\r\n", "/"), .invalidRequest),
            ("empty method", NetworkCall("", "/"), .invalidRequest),
            ("body on GET", NetworkCall(.get, "/", body: .json(["a": 1])), .invalidRequest),
            ("body on HEAD", NetworkCall(.head, "/", body: .text("x")), .invalidRequest),
            ("value that does not encode", NetworkCall(.post, "/", body: .json(Unencodable())), .encoding),
            ("number that is none", NetworkCall(.post, "/", body: .json([Double.nan])), .encoding),
            ("query that does not encode", NetworkCall(.get, "/", query: ["a": Double.infinity]), .encoding),
            ("form of a scalar", NetworkCall(.post, "/", body: .form(7)), .encoding),
            ("missing file", NetworkCall(.post, "/", body: .file(directory.appending(path: "no"))), .invalidBody),
            ("directory as file", NetworkCall(.post, "/", body: .file(directory)), .invalidBody),
            ("device as file", NetworkCall(.post, "/", body: .file(URL(filePath: "/dev/zero"))), .invalidBody),
            ("no time", NetworkCall(.get, "/", timeout: .zero), .invalidRequest),
            ("negative time", NetworkCall(.get, "/").timeouts(Timeouts(idle: .seconds(-1))), .invalidRequest),
            ("negative body limit", NetworkCall(.get, "/").limits(Limits(bufferedBody: -1)), .invalidRequest),
            ("negative head limit", NetworkCall(.get, "/").limits(Limits(headerCount: -1)), .invalidRequest),
            ("negative memory", NetworkCall(.get, "/").limits(Limits(streamMemory: .min)), .invalidRequest),
            ("negative overflow", NetworkCall(.get, "/").limits(Limits(streamOverflow: -1)), .invalidRequest),
            ("malformed key path", NetworkCall(.get, "/").unwrapping("a..b"), .invalidRequest),
        ]
        let client = client()
        for row in rows {
            let error = await failure { () throws(NetworkError) in try await client.data(row.call) }
            XCTAssertEqual(error?.kind, row.kind, "\(row.name): \(error as Any)")
            XCTAssertFalse(String(describing: error).contains("evil: 1"), row.name)
            let streamed = await failure { () throws(NetworkError) in try await client.stream(row.call) }
            XCTAssertEqual(streamed?.kind, row.kind, "\(row.name), streamed: \(streamed as Any)")
        }
        XCTAssertEqual(server.acceptedConnections, 0)
    }

    func testBaseURLs_thatCannotBeUsedFailEachCall() async throws {
        for text in ["ftp://a.example", "a.example/x", "file:///x", "http://", "mailto:a@b"] {
            let client = NetworkClient(baseURL: URL(string: text))
            let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/x")) }
            XCTAssertEqual(error?.kind, .invalidURL, text)
        }
    }

    func testInterceptors_cannotSendWhatACallCannot() async throws {
        struct Change: Interceptor {
            let change: @Sendable (inout HTTPRequest) -> Void

            func intercept(
                _ request: HTTPRequest, context: CallContext, next: Next
            ) async throws(NetworkError) -> HTTPResponse {
                var request = request
                change(&request)
                return try await next(request)
            }
        }
        let rows: [(NetworkError.Kind, @Sendable (inout HTTPRequest) -> Void)] = [
            (.invalidHeader, { $0.headers["X-A"] = "a\r\nX-B: b" }), (.invalidHeader, { $0.headers["Host"] = "b" }),
            (.invalidHeader, { $0.headers["Content-Length"] = "3" }),
            (.invalidRequest, { $0.method = "GET /x HTTP/1.1" }),
            (.invalidURL, { $0.url = URL(filePath: "/etc/passwd") }), (.invalidRequest, { $0.body = .text("x") }),
        ]
        for (kind, change) in rows {
            let client = client { $0.interceptors = [Change(change: change)] }
            let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/x")) }
            XCTAssertEqual(error?.kind, kind)
        }
        XCTAssertEqual(server.acceptedConnections, 0)
    }

    func testHugeTimeouts_areNoLimit() async throws {
        server.on(.get, "/x", .text("ok"))
        let huge = Duration.seconds(Int64.max)
        let timeouts = Timeouts(head: huge, idle: huge, attempt: huge, total: huge)
        let text = try await client().string(NetworkCall(.get, "/x").timeouts(timeouts))
        XCTAssertEqual(text, "ok")
        _ = try client().urlRequest(for: NetworkCall(.get, "/x").timeouts(timeouts))
        // Just below what no deadline can express, so that a sleeper really waits for it.
        let almost = Timeouts(idle: .seconds(Int64.max - 600))
        let same = try await client().string(NetworkCall(.get, "/x").timeouts(almost))
        XCTAssertEqual(same, "ok")
        let sleeper = Task { try await SystemClock().sleep(until: .seconds(Int64.max)) }
        sleeper.cancel()
        let outcome = await sleeper.result
        XCTAssertThrowsError(try outcome.get())
    }

    func testSessionConfiguration_thatWouldTrapIsRefusedOrRepaired() async throws {
        server.on(.get, "/x", .text("ok"))
        for bad in [TimeInterval.nan, .infinity, -1, 1e300, 0.1] {
            let text = try await client {
                $0.session.timeoutIntervalForRequest = bad
                $0.session.timeoutIntervalForResource = bad
            }.string(NetworkCall(.get, "/x"))
            XCTAssertEqual(text, "ok")
        }
        for headers: [AnyHashable: Any] in [["X-A": 7], [7: "x"], ["X-A": "a\r\nb"], ["X A": "a"], ["host": "a"]] {
            let configuration = NetworkClient.Configuration(baseURL: server.baseURL)
            configuration.session.httpAdditionalHeaders = headers
            let client = NetworkClient(configuration: configuration)
            let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/x")) }
            XCTAssertEqual(error?.kind, .invalidHeader)
        }
    }
}
