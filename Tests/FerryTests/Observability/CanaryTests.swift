import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

#if os(Linux)
    import FerryCurl
#endif

/// A client with a secret in every place that can hold one, run through everything: no output shows any of them.
final class CanaryTests: ClientTestCase {
    let canaries = Canaries()
    let entries = Entries()

    func secret(_ place: String) -> String { canaries.secret(place) }

    func testNoOutputShowsASecret() async throws {
        route()
        try await run(try configured(), "URLSession")
    }

    #if os(Linux)
        func testNoOutputShowsASecret_overCurl() async throws {
            route()
            var settings = CurlTransport.Settings()
            settings.proxy = .none
            canaries.check(settings, "settings")
            try await run(try configured { $0.transport = .curl(settings) }, "curl")
        }

        func testProxiesAndClientCertificates_showNoSecret() async throws {
            var settings = CurlTransport.Settings()
            settings.proxy = .url("http://user:\(canaries.password("proxy", user: "user"))@127.0.0.1:1")
            let key = Data("-----BEGIN PRIVATE KEY-----\n\(secret("key"))\n-----END PRIVATE KEY-----".utf8)
            canaries.check(settings, "settings")
            canaries.check(settings.proxy, "proxy")
            let transport = try CurlTransport(settings)
            canaries.check(transport, "transport")
            let proxied = NetworkClient(baseURL: server.baseURL) {
                $0.transport = transport
                $0.logger = CallLogger(level: .trace, bodyLimit: 10_000, sink: entries.sink)
            }
            canaries.check(proxied, "client")
            do throws(NetworkError) {
                _ = try await proxied.data(NetworkCall(.get, "/ok?token=\(secret("proxied"))"))
                XCTFail("there is no proxy")
            } catch {
                canaries.check(error, "proxy error")
            }
            settings = CurlTransport.Settings()
            settings.tls.clientCertificate = .pem(certificate: key, key: key, password: secret("keypassword"))
            canaries.check(settings.tls, "tls")
            canaries.check(settings.tls.clientCertificate as Any, "client certificate")
            let url = try XCTUnwrap(URL(string: "https://127.0.0.1:\(server.port)/"))
            do throws(NetworkError) {
                let client = NetworkClient(baseURL: url) { $0.transport = .curl(settings) }
                _ = try await client.data(NetworkCall(.get, "/ok"))
                XCTFail("there is no such certificate")
            } catch {
                canaries.check(error, "certificate error")
            }
            canaries.check(text: entries.text, "log")
            canaries.assertNone()
        }
    #endif

    func testMockedCalls_showNoSecret() async throws {
        let client = try configured { $0.mocking = .on() }
        let body = #"{"access_token":"\#(secret("mocked"))"}"#
        for mock: MockResponse in [
            .json(body, headers: ["Set-Cookie": "a=\(secret("mockcookie"))"]), .json(body, status: 500),
            .json(body, status: 403),
            .text(body), .failure(.tls), .fixture("none.json"),
        ] {
            canaries.check(mock, "mock")
            for var call in try calls() {
                call.mockResponse = mock
                await make(call, client)
            }
        }
        await make(NetworkCall(.get, "/none?token=\(secret("unmocked"))"), client)
        canaries.check(entries.all, "log entries")
        canaries.assertNone()
    }

    func testScriptedMocks_showNoSecret() async throws {
        let issues = Issues()
        let mock = MockTransport(failureHandler: { issues.add($0) })
        mock.on(
            .post, "/ok",
            matching: [
                .form("password", secret("wanted")), .query("token", secret("wantedquery")),
                .header("Authorization", secret("wantedfield")), .json(["password": .string(secret("wantedjson"))]),
                .exactQuery(["api_key": secret("wantedexact")]), .bodyContains("token=\(secret("wantedbody"))"),
            ], .json(#"{"token":"\#(secret("scripted"))"}"#))
        mock.on(.get, "/other?token=\(secret("routequery"))", .empty())
        canaries.check(mock, "mock transport")
        let client = try configured { $0.transport = mock }
        for call in try calls() { await make(call, client) }
        mock.assertRequests("GET /other")
        mock.verify()
        canaries.check(mock.requests, "recorded requests")
        canaries.check(mock.routes, "routes")
        canaries.check(issues.all, "issues")
        XCTAssertFalse(issues.all.isEmpty)
        canaries.assertNone()
    }

    func testCassettes_holdNoSecret() async throws {
        route()
        let file = try temporaryDirectory().appending(path: "client.har")
        let recorder = RecordingTransport(to: file)
        canaries.check(recorder, "recorder")
        let client = try configured { $0.transport = recorder }
        for call in try calls() { await make(call, client) }
        await read(client)
        let text = try String(contentsOf: file, encoding: .utf8)
        canaries.check(text: text, "cassette")
        XCTAssertTrue(text.contains("/ok?"), "nothing was recorded")
        let replay = try ReplayTransport(file, failureHandler: { [canaries] in canaries.check($0, "replay issue") })
        canaries.check(replay, "replay")
        let replayed = try configured { $0.transport = replay }
        for call in try calls() { await make(call, replayed) }
        canaries.check(text: entries.text, "log")
        canaries.assertNone()
    }

    /// Content that a server allows to be stored is stored; nothing of what the request proved itself with is.
    func testCacheFiles_holdNothingOfTheRequest() async throws {
        let directory = try temporaryDirectory()
        server.fallback { _ in
            LoopbackResponse.text("public").header("Cache-Control", "max-age=60").header("Vary", "Cookie, X-Tenant")
        }
        let client = try configured {
            $0.cache = ResponseCache(store: .disk(directory))
            $0.query = [:]
            $0.redaction = .standard.hiding("X-Tenant", "q")
        }
        var headers: HTTPHeaders = ["Cookie": "a=\(secret("cookie"))", "X-Tenant": secret("tenant")]
        await make(NetworkCall(.get, "/a", headers: headers), client)
        headers["Authorization"] = "Bearer \(secret("bearer"))"
        await make(NetworkCall(.get, "/b", headers: headers), client)
        await make(NetworkCall(.get, "/c?q=\(secret("query"))"), client)
        let entries = await client.configuration.cache?.entries() ?? []
        XCTAssertEqual(entries.count, 3)
        canaries.check(entries, "cache entries")
        let files = try XCTUnwrap(FileManager.default.enumerator(atPath: directory.path))
        var count = 0
        for case let name as String in files {
            canaries.check(text: name, "name of a cache file")
            guard let data = try? Data(contentsOf: directory.appending(path: name)) else { continue }
            count += 1
            // The URL is kept, to tell whose answer it is.
            let text = String(decoding: data, as: UTF8.self).replacing(#/\?q=\w+/#, with: "")
            canaries.check(text: text, "cache file")
        }
        XCTAssertGreaterThanOrEqual(count, 3)
        canaries.assertNone()
    }

    func testRefresh_showsNoSecret() async throws {
        let (fresh, stale, refresh) = (secret("fresh"), secret("stale"), secret("refresh"))
        let next = secret("nextrefresh")
        server.on(.post, "/token") { request in
            let text = String(decoding: request.body, as: UTF8.self)
            return text.contains(refresh)
                ? .json(#"{"access_token":"\#(fresh)","refresh_token":"\#(next)"}"#)
                : .json(#"{"error":"invalid_grant","refresh_token":"\#(next)"}"#, status: .badRequest)
        }
        server.fallback { request in
            request.headers["Authorization"] == "Bearer \(fresh)"
                ? .text("in") : .json(#"{"token":"\#(stale)"}"#, status: .unauthorized)
        }
        struct Tokens: Decodable, Sendable { var access_token: String, refresh_token: String }
        for token in [refresh, secret("revoked")] {
            let store = CredentialStore(
                bearer: BearerCredential(accessToken: stale, refreshToken: token),
                onChange: { [canaries] in canaries.check($0 as Any, "changed credential") }
            ) { [canaries] credential, context in
                canaries.check([credential, context] as [any Sendable], "refresh")
                let call = NetworkCall(
                    .post, "/token",
                    body: .form(["grant_type": "refresh_token", "refresh_token": credential.refreshToken ?? ""]))
                let tokens: Tokens = try await context.client.request(call)
                return BearerCredential(accessToken: tokens.access_token, refreshToken: tokens.refresh_token)
            }
            let client = try configured { $0.authorization = .refreshing(store) }
            let events = client.allEvents()
            await make(NetworkCall(.get, "/private"), client)
            await make(NetworkCall(.get, "/private"), client)
            canaries.check(store, "store")
            canaries.check(store.credential as Any, "credential")
            canaries.check(client.configuration.authorization, "authorization")
            await client.shutdown()
            for await event in events { canaries.check(event, "event") }
        }
        XCTAssertTrue(server.requests.contains { $0.headers["Authorization"] == "Bearer \(fresh)" })
        canaries.check(text: entries.text, "log")
        canaries.assertNone()
    }

    /// Every other way in which a client can prove who it is.
    func testCredentials_showNoSecret() async throws {
        route()
        for authorization: Authorization in [
            .basic(user: "user", password: canaries.password("basic", user: "user")),
            .apiKey(header: "X-Custom-Key-Name", secret("apikeyheader")),
            .apiKey(query: "k", secret("apikeyquery")), .bearer(secret("bearer") + "\n"),
            .custom { [value = secret("custom")] request in request.headers["X-Custom"] = value },
        ] {
            canaries.check(authorization, "authorization")
            let client = try configured {
                $0.authorization = authorization
                $0.redaction = .standard.hiding("X-Custom", "X-Custom-Key-Name", "k")
            }
            for call in [NetworkCall(.get, "/ok"), NetworkCall(.get, "/away"), NetworkCall(.get, "/denied")] {
                await make(call, client)
            }
        }
        canaries.check(text: entries.text, "log")
        canaries.assertNone()
    }

    func testValuesOfPublicTypes_showNoSecret() async throws {
        let url = try XCTUnwrap(
            URL(string: "https://u:\(secret("a"))@h.test/?token=\(secret("b"))#\(secret("fragment"))"))
        let data = Data("{\"password\":\"\(secret("c"))\"}".utf8)
        let credential = BearerCredential(accessToken: secret("d"), refreshToken: secret("e"))
        var form = MultipartForm()
        form.append("password", secret("f"))
        form.append("file", data: data, fileName: "f")
        let request = HTTPRequest(method: .post, url: url, headers: ["Cookie": secret("g")], body: .data(data))
        let head = HTTPResponse.Head(status: .ok, headers: ["Set-Cookie": secret("r")], url: url)
        let link = LinkHeader("<https://h.test/?token=\(secret("s"))>; rel=next; title=\"\(secret("t"))\"")
        let problem = try JSONDecoder().decode(
            ProblemDetails.self, from: Data("{\"detail\":\"\(secret("u"))\",\"status\":400}".utf8))
        var segments = BodySegments()
        try segments.append(.data(data))
        var events = ServerSentEventParser()
        events.append(Data("id: \(secret("v"))\ndata: \(secret("w"))".utf8))
        var lines = JSONLinesParser()
        lines.append(data + Data("\n".utf8) + data)
        let record = try lines.next()
        let error = NetworkError(.network, "x", underlying: URLError(.badURL)).with {
            $0.body = data
            $0.url = url
            $0.response = head
            $0.problem = problem
        }
        server.fallback { _ in .status(200) }
        _ = try await client().data(NetworkCall(.get, "/?q=\(secret("h"))", headers: ["Cookie": secret("i")]))
        XCTAssertFalse(server.requests.isEmpty)
        let values: [Any] = [
            credential, Authorization.bearer(secret("j")), Authorization.basic(user: "u", password: secret("k")),
            Authorization.apiKey(header: "X-API-Key", secret("l")), Authorization.apiKey(query: "key", secret("m")),
            ParameterPair(name: "token", value: secret("n")), form, RequestBody.multipart(form),
            Parameters(dictionaryLiteral: ("token", secret("x"))), RequestBody.multipart(form).content,
            RequestBody.json(["password": secret("o")]), RequestBody.form(["token": secret("p")]),
            RequestBody.json(["password": secret("o")]).content, RequestBody.data(data).content, segments,
            MultipartForm.Part.Content.data(data), request, request.body, head,
            HTTPResponse(head: head, body: .data(data)), CurlCommand(request, redaction: Redaction.none),
            MockResponse.data(data), MockResponse.json("{\"token\":\"\(secret("y"))\"}"), LoopbackResponse.data(data),
            LoopbackResponse.json("{\"token\":\"\(secret("z"))\"}"), server.requests, Origin(url) as Any,
            Redirect(status: .found, source: url, target: url, method: .get), error,
            Result<Int, NetworkError>.failure(error),
            CallEvent.finished(.failure(error, CallTimings())), CallOutcome.success(head, CallTimings()),
            CallState<String>.failed(error), Redaction.standard.hiding("a"), link, link.links[0],
            link.links[0].parameters, problem,
            PageToken(.cursor(secret("cursor"))), PageToken.Position.url("https://h.test/?token=\(secret("position"))"),
            PageContent(head: head, body: data, token: PageToken(.cursor(secret("cursor"))), itemCount: 1),
            ServerSentEvent(data: secret("event"), id: secret("eventid")), events, lines, record as Any,
            HTTPMethod("GET \(secret("method"))"), CacheKey(url), NetworkCall(.get, url: url),
            NetworkCall.Target.url(url),
            NetworkCall(.get, "//u:\(secret("path"))@h.test/"),
            Cookie(name: "a", value: secret("cookie"), domain: "h.test"),
            CookieInterceptor(jar: CookieJar([Cookie(name: "a", value: secret("cookie"), domain: "h.test")])),
            RequestMatch.form("password", secret("match")), RequestMatch.json(["token": .string(secret("match"))]),
            TestIssue("x"), URLSessionTransport(), CallContext(),
        ]
        for value in values { canaries.check(value, "\(type(of: value))") }
        canaries.assertNone()
    }
}

/// What mocks report.
final class Issues: Sendable {
    /// Guards the issues: calls fail on any thread.
    private let issues = Mutex<[TestIssue]>([])

    var all: [TestIssue] { issues.withLock { $0 } }
    func add(_ issue: TestIssue) { issues.withLock { $0.append(issue) } }
}
