import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

final class RedirectInterceptorTests: XCTestCase {
    private func send(
        _ request: HTTPRequest, over transport: MockTransport, policy: RedirectPolicy = .follow,
        context: CallContext = CallContext(), replacing stream: StreamReplacement? = nil
    ) async throws(NetworkError) -> HTTPResponse {
        var interceptors: [any Interceptor] = [RedirectInterceptor(policy: policy), OtherURL()]
        if let stream { interceptors.append(stream) }
        return try await InterceptorChain(interceptors, over: transport).send(request, context: context)
    }

    private func get(_ url: String, _ headers: HTTPHeaders = [:]) throws -> HTTPRequest {
        HTTPRequest(url: try XCTUnwrap(URL(string: url)), headers: headers)
    }

    private func endless() -> MockTransport { MockTransport.answering { _ in .redirect(to: "/again") } }

    func testRED01_credentialsAreNotSentToAnotherOrigin() async throws {
        let row = try ConformanceCase.load("RED-01", area: "redirect")
        let a = row.input["server_A"]
        let response = a["GET /dl"]
        let blob = try XCTUnwrap(response["headers"]["Location"].string)
        let dl = try XCTUnwrap(a["origin"].string) + "/dl"
        let transport = MockTransport()
        transport.on(nil, dl, .redirect(to: blob, status: HTTPStatus(try XCTUnwrap(response["status"].int))))
        transport.on(nil, blob, .status(.ok))
        let headers = HTTPHeaders(
            row.input["request_headers"].object.map { .init(name: $0.key, value: $0.value.string ?? "") })
        _ = try await send(get(dl, headers), over: transport)
        XCTAssertEqual(transport.requests.map(\.url.absoluteString), [dl, blob])
        XCTAssertEqual(transport.requests[0].headers, headers)
        for name in row.expected["B_receives"]["absent"].strings {
            XCTAssertFalse(transport.requests[1].headers.contains(name), name)
        }
        for (name, value) in row.expected["B_receives"]["present"].object {
            XCTAssertEqual(transport.requests[1].headers[name], value.string)
        }
    }

    func testRED03_relativeLocations() async throws {
        let row = try ConformanceCase.load("RED-03", area: "redirect")
        let url = try XCTUnwrap(row.input["request_url"].string)
        let targets = row.expected["targets"].strings
        XCTAssertFalse(targets.isEmpty)
        for (location, target) in zip(row.input["locations"].strings, targets) {
            let transport = MockTransport()
            transport.on(nil, url, .redirect(to: location))
            transport.on(nil, target, .status(.ok))
            let response = try await send(get(url), over: transport)
            XCTAssertEqual(transport.requests.last?.url.absoluteString, target)
            XCTAssertEqual(response.head.url.absoluteString, target)
        }
    }

    func testRED04_bodyIsSentAgain() async throws {
        let row = try ConformanceCase.load("RED-04", area: "redirect")
        let body = Data(try XCTUnwrap(row.input["body"].string).utf8)
        let type = try XCTUnwrap(row.input["content_type"].string.flatMap { MediaType($0) })
        for status in [HTTPStatus(307), 308] {
            let transport = MockTransport()
            transport.on(nil, "http://a.test/a", .redirect(to: "/b", status: status))
            transport.on(nil, "http://a.test/b", .status(200))
            var request = try get("http://a.test/a")
            request.method = .post
            request.body = .data(body, contentType: type)
            _ = try await send(request, over: transport)
            XCTAssertEqual(transport.requests.map(\.url.absoluteString), ["http://a.test/a", "http://a.test/b"])
            for sent in transport.requests {
                XCTAssertEqual(sent.method, .post)
                XCTAssertEqual(sent.body, body)
                XCTAssertEqual(sent.headers["Content-Type"], type.description)
            }
        }
    }

    func testRED06_otherMethodsStay() async throws {
        let row = try ConformanceCase.load("RED-06", area: "redirect")
        let text = try XCTUnwrap(row.expected["body_resent"].string)
        for (index, pair) in row.input["cases"].array.enumerated() {
            let status = HTTPStatus(try XCTUnwrap(pair[1].int))
            let transport = MockTransport()
            transport.on(nil, "http://a.test/a", .redirect(to: "/b", status: status))
            transport.on(nil, "http://a.test/b", .status(200))
            var request = try get("http://a.test/a")
            request.method = HTTPMethod(try XCTUnwrap(pair[0].string))
            request.body = .text(text)
            _ = try await send(request, over: transport)
            XCTAssertEqual(transport.requests.last?.method.rawValue, row.expected["second_methods"].strings[index])
            XCTAssertEqual(transport.requests.last?.body, Data(text.utf8))
        }
    }

    func testRED07_fragmentIsInherited() async throws {
        let row = try ConformanceCase.load("RED-07", area: "redirect")
        for (index, pair) in row.input["cases"].array.enumerated() {
            let url = try XCTUnwrap(pair[0].string)
            let location = try XCTUnwrap(pair[1].string)
            let transport = MockTransport.answering { request in
                request.url.path() == "/old" ? .redirect(to: location) : .status(.ok)
            }
            let response = try await send(get(url), over: transport)
            XCTAssertEqual(response.head.url.absoluteString, row.expected["final_urls"].strings[index])
        }
    }

    func testRedirects_fragmentGoesThroughTheWholeChain() async throws {
        let transport = MockTransport()
        transport.on(nil, "http://a.test/1", .redirect(to: "/2"))
        transport.on(nil, "http://a.test/2", .redirect(to: "http://b.test/3#own"))
        transport.on(nil, "http://b.test/3", .redirect(to: "/4"))
        transport.on(nil, "http://b.test/4", .status(.ok))
        let response = try await send(get("http://a.test/1#first"), over: transport)
        XCTAssertEqual(response.head.url.absoluteString, "http://b.test/4#own")
    }

    func testRedirects_historyAndEvents() async throws {
        let transport = MockTransport()
        transport.on(nil, "http://a.test/1", .redirect(to: "/2", status: 303))
        transport.on(nil, "http://a.test/2", .redirect(to: "https://b.test/3", status: 307))
        transport.on(nil, "https://b.test/3", .status(404))
        let events = Mutex<[Redirect]>([])
        let context = CallContext { event in
            if case .redirected(let hop) = event { events.withLock { $0.append(hop) } }
        }
        var request = try get("http://a.test/1")
        request.method = .post
        let response = try await send(request, over: transport, context: context)
        let urls = try ["http://a.test/1", "http://a.test/2", "https://b.test/3"].map { try XCTUnwrap(URL(string: $0)) }
        let hops = [
            Redirect(status: 303, source: urls[0], target: urls[1], method: .get),
            Redirect(status: 307, source: urls[1], target: urls[2], method: .get),
        ]
        XCTAssertEqual(response.status, 404)
        XCTAssertEqual(response.redirects, hops)
        XCTAssertEqual(events.withLock { $0 }, hops)
    }

    func testRedirects_credentialsDoNotComeBackWithTheFirstOrigin() async throws {
        let transport = MockTransport()
        transport.on(nil, "http://a.test/1", .redirect(to: "http://b.test/2"))
        transport.on(nil, "http://b.test/2", .redirect(to: "http://a.test/3"))
        transport.on(nil, "http://a.test/3", .status(.ok))
        _ = try await send(get("http://a.test/1", ["Authorization": "Bearer T"]), over: transport)
        XCTAssertEqual(transport.requests.map { $0.headers.contains("Authorization") }, [true, false, false])
    }

    func testRedirects_limit() async throws {
        let request = try get("http://a.test/")
        for (policy, limit) in [(RedirectPolicy.follow, 20), (.follow(limit: 3), 3), (.follow(limit: 0), 0)] {
            let transport = endless()
            let error = await failure { () throws(NetworkError) in
                try await send(request, over: transport, policy: policy)
            }
            XCTAssertEqual(transport.requests.count, limit + 1)
            XCTAssertEqual(error?.kind, .redirect)
            XCTAssertEqual(error?.status, 302)
            XCTAssertEqual(error?.message, "The server redirected more than \(limit) times")
        }
        let exactly = MockTransport.answering { request in
            let number = Int(request.url.lastPathComponent) ?? 0
            return number < 20 ? .redirect(to: "/\(number + 1)", status: 301) : .status(.ok)
        }
        let response = try await send(get("http://a.test/0"), over: exactly)
        XCTAssertEqual(response.redirects.count, 20)
    }

    func testRedirects_refusedAreHandedOut_perCallOverClient() async throws {
        var options = CallOptions()
        options.redirects = .refuse
        let transport = endless()
        let response = try await send(
            get("http://a.test/"), over: transport, context: CallContext(options: options))
        XCTAssertEqual(response.status, 302)
        XCTAssertEqual(response.headers["Location"], "/again")
        XCTAssertEqual(response.redirects, [])
        XCTAssertEqual(transport.requests.count, 1)
    }

    func testRedirects_errorOfAHopNamesItsRequest() async throws {
        let transport = MockTransport.answering { request in
            request.url.path() == "/b" ? .failure(.connectionLost) : .redirect(to: "/b", status: 303)
        }
        var request = try get("http://a.test/a")
        request.method = .post
        let sent = request
        let error = await failure { () throws(NetworkError) in try await send(sent, over: transport) }
        XCTAssertEqual(error?.kind, .connectionLost)
        XCTAssertEqual(error?.url?.absoluteString, "http://a.test/b")
        XCTAssertEqual(error?.method, .get)
    }

    func testRedirects_streamedBodyIsCancelledBeforeTheNextHop() async throws {
        let source = ScriptedSource()
        let transport = MockTransport.answering { request in
            guard request.url.path() == "/b" else { return .redirect(to: "/b") }
            XCTAssertTrue(source.isCancelled, "the body of the redirect is still open")
            return .text("done")
        }
        let response = try await send(
            get("http://a.test/a"), over: transport, context: CallContext(delivery: .streamed),
            replacing: StreamReplacement(status: 302, source: source))
        XCTAssertEqual(response.status, .ok)
        XCTAssertTrue(source.isCancelled)
    }

    func testRedirects_customPolicyDecides() async throws {
        let request = try get("http://a.test/1", ["Authorization": "T"])
        let transport = MockTransport()
        transport.on(nil, "http://a.test/1", .redirect(to: "http://b.test/2"))
        transport.on(nil, "http://b.test/2", .status(.ok))
        transport.on(nil, "http://a.test/other", .status(201))
        let follow = try await send(
            request, over: transport,
            policy: .custom { proposal in
                XCTAssertEqual(proposal.response.status, 302)
                XCTAssertEqual(proposal.request.url.absoluteString, "http://a.test/1")
                XCTAssertEqual(proposal.hops, [])
                let next = try? proposal.next.get()
                XCTAssertEqual(next?.url.absoluteString, "http://b.test/2")
                XCTAssertEqual(next?.headers.contains("Authorization"), false)
                return .follow
            })
        XCTAssertEqual(follow.status, 200)
        let refuse = try await send(request, over: transport, policy: .custom { _ in .refuse })
        XCTAssertEqual(refuse.status, 302)
        let other = try await send(
            request, over: transport,
            policy: .custom { proposal in
                var next = proposal.request
                next.url.replace(path: "/other")
                return .follow(next)
            })
        XCTAssertEqual(other.status, 201)
        XCTAssertEqual(other.redirects.map(\.target.absoluteString), ["http://a.test/other"])
        let error = await failure { () throws(NetworkError) in
            try await send(request, over: transport, policy: .custom { _ in .fail("Not there") })
        }
        XCTAssertEqual(error?.kind, .redirect)
        XCTAssertEqual(error?.message, "Not there")
        XCTAssertEqual(error?.status, 302)
        XCTAssertEqual(error?.url?.absoluteString, "http://a.test/1")
    }

    func testRedirects_customPolicySeesWhatTheRulesRefuse() async throws {
        let request = try get("https://a.test/login")
        let transport = MockTransport.answering { _ in .redirect(to: "myapp://callback?code=7") }
        let handedOut = try await send(
            request, over: transport,
            policy: .custom { proposal in
                guard case .failure(let error) = proposal.next else { return .follow }
                XCTAssertEqual(error.kind, .redirect)
                return .refuse
            })
        XCTAssertEqual(handedOut.headers["Location"], "myapp://callback?code=7")
        let error = await failure { () throws(NetworkError) in
            try await send(request, over: transport, policy: .custom { _ in .follow })
        }
        XCTAssertEqual(error?.kind, .redirect)
        let looping = endless()
        let limit = await failure { () throws(NetworkError) in
            try await send(request, over: looping, policy: .custom(limit: 2) { _ in .follow })
        }
        XCTAssertEqual(limit?.kind, .redirect)
        XCTAssertEqual(looping.requests.count, 3)
    }
}

/// Gives responses another URL, as a transport does that knows nothing of fragments: the interceptor's is the right one.
private struct OtherURL: Interceptor {
    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws(NetworkError) -> HTTPResponse
    {
        var response = try await next(request)
        response.head.url = URL(filePath: "/other")
        return response
    }
}

extension URL {
    fileprivate mutating func replace(path: String) {
        var components = URLComponents(url: self, resolvingAgainstBaseURL: false)
        components?.path = path
        self = components?.url ?? self
    }
}
