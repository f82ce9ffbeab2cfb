import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// A client with a secret in every place that can hold one, run through everything: no output shows any of them.
final class CanaryTests: ClientTestCase {
    private let canaries = Canaries()

    func testNoOutputShowsASecret() async throws {
        route()
        let entries = Entries()
        let client = try configured(entries)
        let events = client.allEvents()
        for call in try calls() {
            canaries.check(call, "call")
            do throws(NetworkError) {
                canaries.check(try client.curl(for: call), "curl")
            } catch {
                canaries.check(error, "curl error")
            }
            do throws(NetworkError) {
                let response = try await client.response(call, as: JSON?.self)
                canaries.check([response.head, response.redirects] as [any Sendable], "response")
            } catch {
                canaries.check(error, "error")
                canaries.check(error.message, "message")
            }
        }
        let stream = try await client.stream(NetworkCall(.get, "/ok", query: ["token": secret("stream")]))
        canaries.check(stream, "stream")
        for try await _ in stream.body {}
        await client.shutdown()
        for await event in events { canaries.check(event, "event") }
        canaries.check(client, "client")
        canaries.check(client.configuration, "configuration")
        canaries.check(entries.all, "log entries")
        canaries.check(entries.text, "log")
        XCTAssertTrue(entries.all.count > 20, entries.text)
        XCTAssertEqual(Set(entries.all.map(\.level)), Set(LogLevel.allCases))
        XCTAssertEqual(canaries.found, [], canaries.texts)
        // That it would be found: the same client says it where it is asked to.
        let call = NetworkCall(.get, "/ok", query: ["token": secret("shown")])
        XCTAssertTrue(try client.curl(for: call, redaction: Redaction.none).contains("canary"))
    }

    func testValuesOfPublicTypes_showNoSecret() async throws {
        let url = try XCTUnwrap(URL(string: "https://u:\(secret("a"))@h.test/?token=\(secret("b"))"))
        let data = Data("{\"password\":\"\(secret("c"))\"}".utf8)
        let credential = BearerCredential(accessToken: secret("d"), refreshToken: secret("e"))
        var form = MultipartForm()
        form.append("password", secret("f"))
        let request = HTTPRequest(method: .post, url: url, headers: ["Cookie": secret("g")], body: .data(data))
        server.fallback { _ in .status(200) }
        _ = try await client().data(NetworkCall(.get, "/?q=\(secret("h"))", headers: ["Cookie": secret("i")]))
        XCTAssertFalse(server.requests.isEmpty)
        let values: [Any] = [
            credential, Authorization.bearer(secret("j")), Authorization.basic(user: "u", password: secret("k")),
            Authorization.apiKey(header: "X-API-Key", secret("l")), Authorization.apiKey(query: "key", secret("m")),
            ParameterPair(name: "token", value: secret("n")), form, RequestBody.multipart(form),
            RequestBody.json(["password": secret("o")]), RequestBody.form(["token": secret("p")]),
            CurlCommand(request, redaction: Redaction.none),
            MockResponse.data(data), LoopbackResponse.data(data), server.requests,
            Origin(url) as Any, Redirect(status: .found, source: url, target: url, method: .get),
            NetworkError(.network, "x").with { $0.body = data }, Redaction.standard.hiding("a"),
        ]
        for value in values { canaries.check(value, "\(type(of: value))") }
        XCTAssertEqual(canaries.found, [], canaries.texts)
    }

    private func secret(_ place: String) -> String { "canary\(place.filter(\.isLetter))x0x" }

    private func configured(_ entries: Entries) throws -> NetworkClient {
        let jar = CookieJar([
            Cookie(name: "sid", value: secret("jar"), domain: server.baseURL.host() ?? "")
        ])
        return client {
            $0.headers = ["X-API-Key": secret("apikey"), "Cookie2": secret("cookieTwo")]
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
            $0.eventMonitors = [Watcher(canaries: canaries)]
        }
    }

    private func route() {
        let fields: HTTPHeaders = [
            "Set-Cookie": "a=\(secret("setcookie"))", "X-Auth-Token": secret("responsetoken"),
            "Cache-Control": "max-age=60",
        ]
        let body =
            #"{"access_token":"\#(secret("json"))","a":[{"refreshToken":"\#(secret("nested"))"}],"#
            + #""inner":"{\"client_secret\":\"\#(secret("inner"))\"}"}"#
        var fine = LoopbackResponse.json(body)
        fine.headers.merge(fields)
        server.on(nil, "/ok", fine)
        server.on(
            .get, "/denied", .json(#"{"message":"no","password":"\#(secret("denied"))"}"#, status: .forbidden))
        server.on(.get, "/broken", .text("{\"password\": \"\(secret("broken"))\", "))
        server.on(.get, "/error", .status(500, headers: fields))
        server.on(
            .get, "/away",
            .status(302, headers: ["Location": "/ok?code=\(secret("location"))#access_token=\(secret("fragment"))"]))
    }

    private func calls() throws -> [NetworkCall] {
        let userinfo = try XCTUnwrap(
            URL(string: "http://user:\(secret("userinfo"))@127.0.0.1:\(server.port)/ok?sig=\(secret("signature"))"))
        let file = try temporaryDirectory().write(Data(secret("file").utf8), "f.txt")
        return [
            NetworkCall(.get, "/ok"), NetworkCall(.get, "/ok"),
            NetworkCall(.get, "/ok", query: ["access_token": secret("query")]),
            NetworkCall(.get, url: userinfo),
            NetworkCall(
                .get, "/ok", headers: ["Authorization": "Basic \(secret("basic"))", "Cookie": "a=\(secret("cookie"))"]),
            NetworkCall(.post, "/ok", body: .json(["password": secret("body"), "note": "token=\(secret("note"))"])),
            NetworkCall(.post, "/ok", body: .form(["refresh_token": secret("form")])),
            NetworkCall(
                .post, "/ok",
                body: .multipart { [secret = secret("part")] in
                    $0.append("password", secret)
                    $0.append("f", file: file)
                }),
            NetworkCall(.post, "/ok", body: .data(Data([0, 255] + secret("binary").utf8))),
            NetworkCall(.get, "/denied"), NetworkCall(.get, "/broken"), NetworkCall(.get, "/error"),
            NetworkCall(.get, "/away"), NetworkCall(.get, "/none?token=\(secret("none"))"),
            NetworkCall(.get, "/ok", headers: ["X-Bad\n": secret("badheader")]),
            NetworkCall(.get, url: try XCTUnwrap(URL(string: "http://127.0.0.1:1/?token=\(secret("refused"))"))),
            NetworkCall(.get, url: try XCTUnwrap(URL(string: "ftp://u:\(secret("scheme"))@h.test/"))),
        ]
    }
}

/// Looks at values from all sides.
private final class Canaries: Sendable {
    /// Guards what was found: values come on any thread.
    private let state = Mutex<[(place: String, text: String)]>([])

    var found: [String] { Set(state.withLock { $0 }.map(\.place)).sorted() }
    var texts: String { state.withLock { $0 }.map { "\($0.place): \($0.text)" }.joined(separator: "\n") }

    func check(_ value: some Any, _ place: String) {
        var texts = ["\(value)", String(reflecting: value), "", (value as? any Error)?.localizedDescription ?? ""]
        dump(value, to: &texts[2])
        for text in texts where text.contains("canary") {
            // Enough to see where.
            let start = text.range(of: "canary")?.lowerBound ?? text.startIndex
            state.withLock { $0.append((place, "…\(text[..<start].suffix(120))\(text[start...].prefix(40))")) }
        }
    }
}

private struct Watcher: EventMonitor {
    let canaries: Canaries

    func received(_ event: CallEvent, of call: CallContext.ID) { canaries.check(event, "monitor") }
}
