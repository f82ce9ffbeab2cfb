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
    private let canaries = Canaries()
    private let entries = Entries()

    private func secret(_ place: String) -> String { canaries.secret(place) }

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

    // MARK: What is run

    /// Makes every call in every way.
    private func run(_ client: NetworkClient, _ name: String) async throws {
        let events = client.allEvents()
        for call in try calls() { await make(call, client) }
        await read(client)
        try await walk(client)
        await client.shutdown()
        await make(NetworkCall(.get, "/ok?token=\(secret("late"))"), client)
        for await event in events { canaries.check(event, "event") }
        canaries.check(client, "client")
        canaries.check(client.configuration, "configuration")
        canaries.check(server.requests, "requests of the server")
        canaries.check(entries.all, "log entries")
        canaries.check(text: entries.text, "log")
        XCTAssertTrue(entries.all.count > 20, entries.text)
        XCTAssertEqual(Set(entries.all.map(\.level)), Set(LogLevel.allCases))
        canaries.assertNone()
        // That it would be found: the same client says it where it is asked to.
        let call = NetworkCall(.get, "/ok", query: ["token": secret("shown")])
        XCTAssertTrue(try client.curl(for: call, redaction: Redaction.none).contains(Canaries.mark))
        canaries.check(text: try client.curl(for: call, redaction: Redaction.none), "told")
        XCTAssertEqual(canaries.found, ["told"])
    }

    private func make(_ call: NetworkCall, _ client: NetworkClient) async {
        canaries.check(call, "call")
        do throws(NetworkError) {
            canaries.check(text: try client.curl(for: call), "curl")
        } catch {
            canaries.check(error, "curl error")
        }
        do throws(NetworkError) {
            let response = try await client.response(call, as: JSON?.self)
            canaries.check([response.head, response.redirects, response.attempts] as [any Sendable], "response")
            canaries.check(LinkHeader(response.head.headers), "links")
        } catch {
            canaries.check(error, "error")
            canaries.check(text: error.message, "message")
            canaries.check(
                [error.response as Any, error.headers, error.problem as Any, error.attempts], "parts of errors")
        }
    }

    /// Streams, events, tasks, downloads: whatever else makes calls.
    private func read(_ client: NetworkClient) async {
        for path in ["/ok", "/denied", "/broken", "/cut", "/events"] {
            let call = NetworkCall(.get, path, query: ["token": secret("stream")])
            do throws(NetworkError) {
                let stream = try await client.stream(call)
                canaries.check(stream, "stream")
                canaries.check(stream.body, "body")
                for try await chunk in stream.body { _ = chunk }
            } catch {
                canaries.check(error, "stream error")
            }
            for await event in client.events(call) { canaries.check(event, "call event") }
            do {
                for try await event in client.serverSentEvents(call, reconnection: nil) {
                    canaries.check(event, "server-sent event")
                    break
                }
            } catch {
                canaries.check(error, "event error")
            }
            do {
                for try await value in client.jsonLines(call, as: User.self) { canaries.check(value, "line") }
            } catch {
                canaries.check(error, "line error")
            }
            let task = client.task(call, as: User.self)
            canaries.check(task, "task")
            do throws(NetworkError) {
                canaries.check(try await task.value, "value")
            } catch {
                canaries.check(error, "task error")
            }
            for await state in client.states(call, as: User.self) { canaries.check(state, "state") }
            do {
                let target = FileManager.default.temporaryDirectory.appending(path: "ferry-canary-\(UUID().uuidString)")
                defer { try? FileManager.default.removeItem(at: target) }
                for try await event in client.download(call, to: target) { canaries.check(event, "download event") }
                try? client.discardPartialDownload(call, to: target)
            } catch {
                canaries.check(error, "download error")
            }
        }
    }

    /// Pages whose next URL holds a token.
    private func walk(_ client: NetworkClient) async throws {
        struct List: Paginated {
            typealias Response = [Int]
            var path: String { "/pages" }
            var pagination: Pagination { .linkHeader() }
        }
        do {
            for try await page in client.pages(List()) {
                canaries.check([page.response.head, page.token as Any, page.next as Any], "page")
                canaries.check(page, "page")
            }
        } catch {
            canaries.check(error, "page error")
        }
    }

    private func configured(
        _ change: (inout NetworkClient.Configuration) -> Void = { _ in }
    ) throws -> NetworkClient {
        let jar = CookieJar([
            Cookie(name: "sid", value: secret("jar"), domain: server.baseURL.host() ?? "")
        ])
        return client {
            $0.headers = [
                "X-API-Key": secret("apikey"), "Cookie2": secret("cookieTwo"),
                "Proxy-Authorization": "Basic \(secret("proxyauth"))",
            ]
            $0.query = ["api_key": secret("defaultquery")]
            $0.authorization = .bearer(secret("bearer"))
            $0.cookieJar = jar
            $0.retry = .constant(.zero, maxRetries: 1)
            $0.cache = ResponseCache(store: MemoryStore())
            $0.errorMessageKeyPath = "message"
            $0.interceptors = [TraceContextInterceptor()]
            $0.logger = CallLogger(level: .trace, bodyLimit: 100_000, sink: entries.sink)
            $0.logHandler = { [canaries] in canaries.check($0, "call log") }
            $0.errorHandler = { [canaries] in canaries.check($0, "error handler") }
            $0.eventMonitors = [CanaryWatcher(canaries: canaries)]
            change(&$0)
        }
    }

    private func route() {
        let fields: HTTPHeaders = [
            "Set-Cookie": "a=\(secret("setcookie"))", "X-Auth-Token": secret("responsetoken"),
            "Cache-Control": "max-age=60", "Link": "</ok?access_token=\(secret("link"))>; rel=\"next\"",
            "WWW-Authenticate": "Bearer error_uri=\"/e?token=\(secret("challenge"))\"",
        ]
        let body =
            #"{"access_token":"\#(secret("json"))","a":[{"refreshToken":"\#(secret("nested"))"}],"#
            + #""inner":"{\"client_secret\":\"\#(secret("inner"))\"}","url":"/x?a=1&token=\#(secret("jsonurl"))"}"#
        server.on(nil, "/ok", LoopbackResponse.json(body).headers(fields))
        server.on(
            nil, "/denied",
            LoopbackResponse.json(#"{"message":"no","password":"\#(secret("denied"))"}"#, status: .forbidden)
                .headers(fields))
        server.on(
            nil, "/problem",
            LoopbackResponse.json(#"{"type":"/p?token=\#(secret("problem"))","status":422}"#, status: 422)
                .headers(["Content-Type": "application/problem+json"]))
        server.on(nil, "/broken", .text("{\"password\": \"\(secret("broken"))\", "))
        server.on(nil, "/lines", .text("{\"id\": \"\(secret("line"))\"}\n"))
        server.on(
            nil, "/events",
            LoopbackResponse.text(
                "event: a\nid: 7\ndata: {\"token\":\"\(secret("data"))\"}\n\n"
            ).headers(["Content-Type": "text/event-stream"]))
        server.on(nil, "/cut", LoopbackResponse.text("token=\(secret("cut"))").claiming(contentLength: 100))
        server.on(nil, "/error", .status(500, headers: fields))
        let target = "/ok?code=\(secret("location"))#access_token=\(secret("fragment"))"
        for path in ["/away", "/deep/away"] { server.on(nil, path, .status(302, headers: ["Location": target])) }
        server.on(nil, "/loop", .status(302, headers: ["Location": "/loop?token=\(secret("loop"))"]))
        server.on(nil, "/abroad", .status(307, headers: ["Location": "http://localhost:1/?token=\(secret("abroad"))"]))
        server.on(
            nil, "/malformed",
            .status(302, headers: ["Location": "http://[malformed/?token=\(secret("malformedquery"))"]))
        server.on(nil, "/scheme", .status(302, headers: ["Location": "ftp://u:\(secret("ftp"))@h.test/?token=1"]))
        server.on(nil, "/pages") { [canaries] request in
            LoopbackResponse.json("[1]").headers([
                "Link": "<http://h.test/pages?page_token=\(canaries.secret("nextpage"))>; rel=\"next\""
            ])
        }
    }

    private func calls() throws -> [NetworkCall] {
        let userinfo = try XCTUnwrap(
            URL(
                string: "http://user:\(canaries.password("userinfo", user: "user"))@127.0.0.1:\(server.port)"
                    + "/ok?sig=\(secret("signature"))"))
        let directory = try temporaryDirectory()
        let file = try directory.write(Data("token=\(secret("file"))".utf8), "f.txt")
        let nested = secret("escaped").map { String(format: "\\u%04x", $0.asciiValue ?? 0) }.joined()
        var calls = [
            NetworkCall(.get, "/ok"), NetworkCall(.get, "/ok"),
            NetworkCall(.get, "/ok", query: ["access_token": secret("query")]),
            NetworkCall(.get, "/ok?access%5Ftoken=\(secret("encodedname"))&pass%2577ord=\(secret("doubly"))"),
            NetworkCall(
                .get, "/ok?next=%2Fx%3Ftoken%3D\(secret("inquery"))&a=%257B%2522token%2522%253A%2522\(secret("deep"))"),
            NetworkCall(.get, url: userinfo),
            NetworkCall(
                .get, "/ok", headers: ["Authorization": "Basic \(secret("basic"))", "Cookie": "a=\(secret("cookie"))"]),
            NetworkCall(
                .get, "/ok",
                headers: ["AUTHORIZATION": "Digest response=\"\(secret("digest"))\"", "x-auth-TOKEN": secret("x")]),
            NetworkCall(
                .get, "/ok",
                headers: ["Referer": "https://u:\(secret("referer"))@h.test/?token=\(secret("refererquery"))"]),
            NetworkCall(.post, "/ok", body: .json(["password": secret("body"), "note": "token=\(secret("note"))"])),
            NetworkCall(.post, "/ok", body: .data(Data("{\"PassWord\":\"\(nested)\"}".utf8), contentType: .json)),
            NetworkCall(
                .post, "/ok",
                body: .json(["a": [["b": ["c": [["clientSecret": [secret("array"), secret("array")]]]]]]])),
            NetworkCall(
                .post, "/ok", body: .form(["refresh_token": secret("form"), "user[password]": secret("bracket")])),
            NetworkCall(.post, "/ok", body: .form(["payload": "{\"token\":\"\(secret("jsonInForm"))\"}"])),
            NetworkCall(.post, "/ok", body: .text("<a><Password>\(secret("xml"))</Password></a>")),
            NetworkCall(
                .post, "/ok",
                body: .multipart { [secret = secret("part"), json = secret("partjson")] in
                    $0.append("password", secret)
                    $0.append("f", file: file)
                    $0.append("meta", data: Data("{\"token\":\"\(json)\"}".utf8), contentType: .json)
                }),
            NetworkCall(.post, "/ok", body: .data(Data([0, 255] + secret("binary").utf8))),
            NetworkCall(.post, "/ok", body: .file(file)),
            NetworkCall(.get, url: try XCTUnwrap(URL(string: "http://127.0.0.1:1/?token=\(secret("refused"))"))),
            NetworkCall(.get, url: try XCTUnwrap(URL(string: "ftp://u:\(secret("scheme"))@h.test/"))),
            NetworkCall(.get, "/ok", headers: ["X-Bad\n": secret("badheader")]),
            NetworkCall(.get, "/ok", headers: ["X-Bad": "\(secret("badvalue"))\n"]),
            NetworkCall(.get, "//user:\(secret("pathauthority"))@h.test/"),
            NetworkCall(.get, "/none?token=\(secret("none"))"),
            NetworkCall(HTTPMethod("GET \(secret("method"))"), "/ok"),
        ]
        for path in [
            "/denied", "/problem", "/broken", "/error", "/away", "/deep/away", "/loop", "/abroad", "/malformed",
            "/scheme",
            "/cut",
        ] {
            calls.append(NetworkCall(.get, path))
            calls.append(NetworkCall(.post, path, body: .form(["token": secret("posted")])))
        }
        return calls
    }
}

/// What mocks report.
final class Issues: Sendable {
    /// Guards the issues: calls fail on any thread.
    private let issues = Mutex<[TestIssue]>([])

    var all: [TestIssue] { issues.withLock { $0 } }
    func add(_ issue: TestIssue) { issues.withLock { $0.append(issue) } }
}
