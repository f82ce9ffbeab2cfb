import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// The calls that the canaries go through.
extension CanaryTests {
    /// Makes every call in every way.
    func run(_ client: NetworkClient, _ name: String) async throws {
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

    func make(_ call: NetworkCall, _ client: NetworkClient) async {
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
    func read(_ client: NetworkClient) async {
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
    func walk(_ client: NetworkClient) async throws {
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

    func configured(
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

    func route() {
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

    func calls() throws -> [NetworkCall] {
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
