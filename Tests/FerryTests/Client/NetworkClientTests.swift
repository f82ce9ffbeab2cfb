import Ferry
import FerryTesting
import Foundation
import XCTest

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

final class NetworkClientTests: ClientTestCase {
    private struct GetUser: Api {
        typealias Response = User
        var id: Int
        var path: String { "/users/\(id)" }
        var headers: HTTPHeaders { ["X-Trace": "7"] }
    }

    private struct Search: Api {
        typealias Response = [User]
        var text: String
        var path: String { "/search" }
        var query: Parameters { ["q": text, "per_page": 50] }
        var responseKeyPath: JSONKeyPath? { "data.items" }
    }

    private struct Rename: Api {
        typealias Response = Void
        var path: String { "/users/1" }
        var method: HTTPMethod { .patch }
        var body: RequestBody { .json(["name": "Ann"]) }
    }

    func testRequest_isTypedByTheApi() async throws {
        server.on(.get, "/users/{id}", .json(#"{"id": 1, "name": "Ann"}"#))
        server.on(.get, "/search", .json(#"{"data": {"items": [{"id": 2, "name": "Bo"}]}}"#))
        server.on(.patch, "/users/1", .text("whatever"))
        let client = client()
        let user = try await client.request(GetUser(id: 1))
        XCTAssertEqual(user, User(id: 1, name: "Ann"))
        XCTAssertEqual(server.requests.last?.headers["x-trace"], "7")
        let found = try await client.request(Search(text: "a b"))
        XCTAssertEqual(found, [User(id: 2, name: "Bo")])
        XCTAssertEqual(server.requests.last?.target, "/search?q=a%20b&per_page=50")
        try await client.request(Rename())
        XCTAssertEqual(server.requests.last?.text, #"{"name":"Ann"}"#)
        XCTAssertEqual(server.requests.last?.headers["Content-Type"], "application/json")
    }

    func testPathTemplate_ofAnApiEscapesItsValues() async throws {
        struct GetMeta: Api {
            typealias Response = String
            var name: String
            var path: String { "/files/\(name)/meta" }
            var pathTemplate: PathTemplate? { "/files/\(name)/meta" }
        }
        server.on(.get, "/files/{name}/meta", .text("x"))
        let client = client()
        _ = try await client.request(GetMeta(name: "a/b c?"))
        XCTAssertEqual(server.requests.map(\.target), ["/files/a%2Fb%20c%3F/meta"])
        for name in ["", ".", ".."] {
            let error = await failure { () throws(NetworkError) in try await client.request(GetMeta(name: name)) }
            XCTAssertEqual(error?.kind, .invalidURL, name)
            let streamed = await failure { () throws(NetworkError) in try await client.stream(GetMeta(name: name)) }
            XCTAssertEqual(streamed?.kind, .invalidURL, name)
        }
        XCTAssertEqual(server.requestCount, 1)
    }

    func testVerbs_goByPathAndByURL() async throws {
        server.fallback { request in .json("{\"id\": 1, \"name\": \"\(request.method)\"}") }
        let client = client()
        let url = server.baseURL.appending(path: "/x")
        let got: User = try await client.get("/x")
        let gotByURL: User = try await client.get(url: url)
        let posted: User = try await client.post("/x", body: .json(got))
        let put: User = try await client.put("/x", body: .form(["a": "b"]))
        let patched: User = try await client.patch("/x", body: .json(got))
        let deleted: User = try await client.delete("/x")
        XCTAssertEqual(
            [got, gotByURL, posted, put, patched, deleted].map(\.name),
            ["GET", "GET", "POST", "PUT", "PATCH", "DELETE"])
        try await client.post("/x")
        try await client.delete(url: url)
        let head = try await client.head("/x")
        XCTAssertEqual(head.status, 200)
        XCTAssertEqual(server.requests.map(\.method.rawValue).suffix(3), ["POST", "DELETE", "HEAD"])
    }

    func testDataStringJSON_giveTheContent() async throws {
        server.on(.get, "/x", .json(#"{"a": [1, "ä"]}"#))
        let client = client()
        let call = NetworkCall(.get, "/x")
        let data = try await client.data(call)
        let string = try await client.string(call)
        let json = try await client.json(call)
        XCTAssertEqual(data, Data(#"{"a": [1, "ä"]}"#.utf8))
        XCTAssertEqual(string, #"{"a": [1, "ä"]}"#)
        XCTAssertEqual(json, ["a": [1, "ä"]])
    }

    func testResponse_carriesWhatIsKnownOfTheCall() async throws {
        server.on(.get, "/old", .redirect(to: "/new"))
        server.on(.get, "/new", .json(#"{"id": 1, "name": "Ann"}"#).header("ETag", "\"v1\""))
        let response = try await client().response(NetworkCall(.get, "/old"), as: User.self)
        XCTAssertEqual(response.value.name, "Ann")
        XCTAssertEqual(response.status, 200)
        XCTAssertEqual(response.headers["etag"], "\"v1\"")
        XCTAssertEqual(response.url.path, "/new")
        XCTAssertEqual(response.redirects.map(\.status), [302])
        XCTAssertEqual(response.attempts.map(\.status), [302, 200])
        XCTAssertEqual(response.source, .network)
        XCTAssertGreaterThan(response.timings.total, .zero)
        XCTAssertEqual(response.timings.bytesReceived, 24)
        XCTAssertNotNil(response.timings.head)
    }

    func testShared_makesAbsoluteCallsWithTheTypeInferred() async throws {
        server.on(.get, "/me", .json(#"{"id": 1, "name": "Ann"}"#))
        let url = server.baseURL.appending(path: "/me")
        let user: User = try await NetworkClient.shared.request(
            NetworkCall(
                .get, url: url, headers: ["X-A": "1"], retry: .exponential(initial: .milliseconds(1), maxRetries: 1),
                timeout: .seconds(10)))
        XCTAssertEqual(user.name, "Ann")
        let error = await failure { () throws(NetworkError) in
            try await NetworkClient.shared.data(NetworkCall(.get, "/me"))
        }
        XCTAssertEqual(error?.kind, .invalidURL)
    }

    func testDefaults_goWithEachCallAndGiveWay() async throws {
        server.fallback { _ in .text("ok") }
        let client = client {
            $0.headers = ["Accept": "application/json", "X-Env": "prod", "Authorization": "Bearer T0P"]
            $0.query = ["key": "k"]
        }
        _ = try await client.data(NetworkCall(.get, "/x", query: ["q": 1], headers: ["accept": "text/csv"]))
        let seen = try XCTUnwrap(server.requests.last)
        XCTAssertEqual(seen.target, "/x?key=k&q=1")
        XCTAssertEqual(seen.headers.values(of: "Accept"), ["text/csv"])
        XCTAssertEqual(seen.headers["X-Env"], "prod")
        XCTAssertEqual(seen.headers["Authorization"], "Bearer T0P")
    }

    func testContentType_isTheCallsThenTheBodysThenTheDefault() throws {
        let client = client { $0.headers["content-type"] = "application/json" }
        func type(_ body: RequestBody, _ headers: HTTPHeaders = [:]) throws -> String? {
            let call = NetworkCall(.post, "/x", headers: headers, body: body)
            return try client.urlRequest(for: call).value(forHTTPHeaderField: "Content-Type")
        }
        XCTAssertEqual(try type(.form(["a": 1])), "application/x-www-form-urlencoded")
        XCTAssertEqual(try type(.form(["a": 1]), ["Content-type": "text/x"]), "text/x")
        XCTAssertEqual(try type(RequestBody(.data(Data()), contentType: nil)), "application/json")
    }

    func testDefaultCredentials_doNotGoToAnotherOrigin() async throws {
        let other = try await LoopbackServer.start()
        other.fallback { _ in .text("ok") }
        let client = client {
            $0.headers = ["Authorization": "Bearer T0P", "X-API-Key": "T0P", "Cookie": "T0P", "X-Env": "prod"]
            $0.headers["private-token"] = "T0P"
            $0.query = ["key": "T0P"]
        }
        _ = try await client.data(NetworkCall(.get, url: other.baseURL.appending(path: "/x")))
        let seen = try XCTUnwrap(other.requests.last)
        XCTAssertFalse(seen.headers.contains { $0.value.contains("T0P") })
        XCTAssertEqual(seen.target, "/x")
        XCTAssertEqual(seen.headers["X-Env"], "prod")
        await other.stop()
    }

    func testTimeouts_holdForStreamsOfMocksToo() async throws {
        let clock = ManualClock()
        let client = client {
            $0.clock = clock
            $0.mocking = .on(.empty)
            $0.timeouts = Timeouts(idle: .seconds(5))
        }
        let mock = MockResponse.chunks([
            (after: .zero, data: Data("a".utf8)), (after: .seconds(60), data: Data("b".utf8)),
        ])
        let response = try await client.stream(NetworkCall(.get, "/x").mocked(mock))
        var chunks = response.body.makeAsyncIterator()
        let first = try await chunks.next()
        XCTAssertEqual(first, Data("a".utf8))
        let moving = Task {
            // The mock's own wait and the watch over the time-out.
            await clock.waitForSleepers(2)
            clock.advance(by: .seconds(5))
        }
        do throws(NetworkError) {
            let more = try await chunks.next()
            XCTFail("\(String(describing: more))")
        } catch {
            XCTAssertEqual(error.timeout, .idle)
        }
        await moving.value
    }

    func testErrorHandler_isNotToldOfAStreamThatWasLeft() async throws {
        server.on(.get, "/s", .stream { writer in while true { try await writer.write(Data(count: 1024)) } })
        let errors = Collected<NetworkError>()
        let logs = Collected<CallLog>()
        let client = client {
            $0.errorHandler = { errors.add($0) }
            $0.logHandler = { logs.add($0) }
        }
        for try await _ in try await client.stream(NetworkCall(.get, "/s")).body { break }
        XCTAssertEqual(logs.all.map { $0.error?.kind }, [.cancelled])
        XCTAssertEqual(errors.all.count, 0)
    }

    func testHandlers_seeEveryCallAndEveryFailure() async throws {
        server.on(.get, "/ok", .json(#"{"id": 1, "name": "Ann"}"#))
        server.on(.get, "/odd", .json("[]"))
        server.on(.get, "/gone", .status(404))
        let errors = Collected<NetworkError>()
        let logs = Collected<CallLog>()
        let client = client {
            $0.errorHandler = { errors.add($0) }
            $0.logHandler = { logs.add($0) }
        }
        let _: User = try await client.get("/ok")
        for path in ["/odd", "/gone", "bad\npath"] {
            _ = await failure { () throws(NetworkError) -> User in try await client.get(path) }
        }
        XCTAssertEqual(errors.all.map(\.kind), [.decoding, .client, .invalidURL])
        XCTAssertEqual(logs.all.map { $0.response?.status.code }, [200, 200, 404, nil])
        XCTAssertEqual(logs.all.map { $0.error?.kind }, [nil, .decoding, .client, .invalidURL])
        XCTAssertEqual(logs.all.map(\.attempts.count), [1, 1, 1, 0])
    }

    func testURLRequest_isWhatACallSends() throws {
        let client = client { $0.headers = ["X-Env": "prod"] }
        let call = NetworkCall(.post, "/a b", query: ["q": "ä"], body: .json(User(id: 1, name: "Ann")))
        let request = try client.urlRequest(for: call)
        XCTAssertEqual(request.url?.absoluteString, server.baseURL.absoluteString + "/a%20b?q=%C3%A4")
        XCTAssertEqual(request.httpMethod, "POST")
        XCTAssertEqual(request.value(forHTTPHeaderField: "x-env"), "prod")
        XCTAssertEqual(request.value(forHTTPHeaderField: "Content-Type"), "application/json")
        XCTAssertEqual(try JSONDecoder().decode(User.self, from: XCTUnwrap(request.httpBody)), User(id: 1, name: "Ann"))
    }

    func testValidation_isPerCallAndSeesTheContent() async throws {
        server.on(.get, "/404", .json(#"{"id": 0, "name": "nobody"}"#).status(404))
        server.on(.get, "/lie", .json(#"{"error": "no"}"#))
        let client = client()
        let nobody: User = try await client.request(NetworkCall(.get, "/404").validating(.statuses([200, 404])))
        XCTAssertEqual(nobody.name, "nobody")
        let call = NetworkCall(.get, "/lie").validating(
            .custom { _, body in if body.contains(Data("error".utf8)) { throw CocoaError(.featureUnsupported) } })
        let error = await failure { () throws(NetworkError) in try await client.data(call) }
        XCTAssertEqual(error?.kind, .validation)
        XCTAssertEqual(error?.status, 200)
        XCTAssertTrue(error?.underlyingError is CocoaError)
    }

    func testContentType_isCheckedWhenAsked() async throws {
        server.on(.get, "/html", .data(Data("<p>".utf8), contentType: .html))
        let client = client { $0.contentTypes = .json }
        let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/html")) }
        XCTAssertEqual(error?.kind, .contentType)
        let data = try await client.data(NetworkCall(.get, "/html").accepting(.types([.html])))
        XCTAssertEqual(data, Data("<p>".utf8))
    }

    func testFallback_isForDecodingAlone() async throws {
        server.on(.get, "/odd", .json("[]"))
        server.on(.get, "/500", .status(500))
        let client = client()
        let unknown = User(id: 0, name: "unknown")
        let user: User = try await client.request(NetworkCall(.get, "/odd").fallback(unknown))
        XCTAssertEqual(user, unknown)
        let error = await failure { () throws(NetworkError) -> User in
            try await client.request(NetworkCall(.get, "/500").fallback(unknown))
        }
        XCTAssertEqual(error?.kind, .server)
    }

    /// An optional is nil for no content and for null, and never for what cannot be understood.
    func testOptional_isNoFallback() async throws {
        server.on(.get, "/list", .json(#"[1, {"id": "x"}]"#))
        server.on(.get, "/broken", .json("{oops"))
        server.on(.get, "/page", .data(Data("<p>".utf8), contentType: .html))
        server.on(.get, "/other", .json(#"{"a": {}}"#))
        let client = client()
        for (path, keyPath, kind) in [
            ("/list", nil, NetworkError.Kind.decoding), ("/list", "1", .decoding), ("/list", "7", .unwrapping),
            ("/broken", nil, .decoding), ("/page", nil, .decoding), ("/other", "a.b", .unwrapping),
            ("/other", "a.b.c", .unwrapping),
        ] {
            var call = NetworkCall(.get, path)
            call.responseKeyPath = keyPath.map { JSONKeyPath($0) }
            let plain = call
            let error = await failure { () throws(NetworkError) in try await client.request(plain, as: User?.self) }
            XCTAssertEqual(error?.kind, kind, "\(path) \(keyPath ?? "")")
            let user = User(id: 0, name: "")
            let fallback = try await client.request(plain.fallback(user), as: User?.self)
            XCTAssertEqual(fallback, user)
            let none = try await client.request(plain.fallback(nil as User?), as: User?.self)
            XCTAssertNil(none)
        }
    }

    func testErrors_answerTheFinerQuestions() async throws {
        struct Problem: Decodable { let fields: [String] }
        server.on(.post, "/v", .json(#"{"message": "Invalid", "fields": ["name"]}"#).status(422))
        let client = client { $0.errorMessageKeyPath = "message" }
        let error = await failure { () throws(NetworkError) in
            try await client.data(NetworkCall(.post, "/v", body: .json(["a": 1])))
        }
        XCTAssertEqual(error?.isValidationProblem, true)
        XCTAssertEqual(error?.serverMessage, "Invalid")
        XCTAssertEqual(try error?.decode(as: Problem.self).fields, ["name"])
        XCTAssertEqual(error?.isRetryable, false)
        XCTAssertEqual(error?.method, .post)
        XCTAssertEqual(error?.attempts.count, 1)
    }

    func testShutdown_endsRunningAndLaterCalls() async throws {
        server.on(.get, "/stall", .stalled)
        let client = client()
        async let running = failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/stall")) }
        _ = await server.waitForRequests(1)
        await client.shutdown()
        let ended = await running
        XCTAssertEqual(ended?.kind, .cancelled)
        let later = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/stall")) }
        XCTAssertEqual(later?.kind, .cancelled)
    }

    func testClientThatGoesAway_doesNotHurtItsRunningCalls() async throws {
        let gate = Gate()
        server.on(.get, "/slow") { _ in
            await gate.wait()
            return .text("done")
        }
        var client: NetworkClient? = self.client()
        let task = Task { [client] in try await client?.string(NetworkCall(.get, "/slow")) }
        client = nil
        _ = await server.waitForRequests(1)
        gate.open()
        let text = try await task.value
        XCTAssertEqual(text, "done")
    }

    func testDescription_showsNoSecret() {
        let client = client {
            $0.headers["Authorization"] = "Bearer header-secret"
            $0.query = ["key": "query-secret"]
        }
        var dumped = ""
        dump(client, to: &dumped)
        for text in ["\(client)", String(reflecting: client), dumped] { XCTAssertFalse(text.contains("secret"), text) }
        XCTAssertEqual("\(client)", "client of \(server.baseURL.absoluteString)")
    }
}
