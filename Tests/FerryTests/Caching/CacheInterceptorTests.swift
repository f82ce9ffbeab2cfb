import Ferry
import FerryTesting
import Foundation
import XCTest

/// Whole calls through a client with a cache, by a clock of their own.
final class CacheInterceptorTests: CacheTestCase {
    func testFresh_isServedWithItsAge() async throws {
        let (client, transport) = try client(answer: counting(["Cache-Control": "max-age=60", "Age": "5"]))
        _ = try await client.string(call)
        clock.advance(by: .seconds(54))
        let response = try await client.response(call, as: String.self)
        XCTAssertEqual(response.value, "1")
        XCTAssertEqual(response.source, .cacheFresh)
        XCTAssertEqual(response.age, .seconds(59))
        XCTAssertEqual(response.headers["Age"], "59")
        XCTAssertEqual(response.attempts.count, 0)
        clock.advance(by: .seconds(1))
        let next = try await client.response(call, as: String.self)
        XCTAssertEqual(next.source, .mock)
        XCTAssertNil(next.age)
        XCTAssertEqual(transport.requests.count, 2)
    }

    func testModes() async throws {
        let cache = ResponseCache()
        let (client, transport) = try client(cache, answer: counting(["Cache-Control": "max-age=60", "ETag": "\"1\""]))
        let none = try await client.string(call.cache(.noStore))
        XCTAssertEqual(none, "1")
        var entries = await cache.entries()
        XCTAssertEqual(entries, [], "noStore stores nothing")
        _ = try await client.string(call)
        let reloaded = try await client.string(call.cache(.reload))
        XCTAssertEqual(reloaded, "3")
        XCTAssertNil(transport.requests.last?.headers["If-None-Match"])
        let fresh = try await client.string(call)
        XCTAssertEqual(fresh, "3", "reload stores")
        let unread = try await client.string(call.cache(.noStore))
        XCTAssertEqual(unread, "4", "noStore reads nothing")
        let validated = try await client.string(call.cache(.cacheThenNetwork))
        XCTAssertEqual(validated, "5", "one value of cacheThenNetwork is the network's")
        XCTAssertEqual(transport.requests.last?.headers["If-None-Match"], "\"1\"")
        clock.advance(by: .seconds(1000))
        let offline = try await client.response(call.cache(.cacheOnly), as: String.self)
        XCTAssertEqual(offline.value, "5")
        XCTAssertEqual(offline.source, .cacheStale)
        entries = await cache.entries()
        XCTAssertEqual(entries.map(\.url.absoluteString), ["https://api.example/items"])
    }

    func testRequestDirectives() async throws {
        let (client, transport) = try client(answer: counting(["Cache-Control": "max-age=60"]))
        let miss = await failure { () async throws(NetworkError) in
            try await client.string(call.header("Cache-Control", "only-if-cached"))
        }
        XCTAssertEqual(miss?.kind, .cacheMiss)
        XCTAssertEqual(transport.requests.count, 0)
        let unstored = try await client.string(call.header("Cache-Control", "no-store"))
        XCTAssertEqual(unstored, "1")
        let first = try await client.string(call)
        XCTAssertEqual(first, "2")
        let stored = try await client.string(call.header("Cache-Control", "only-if-cached"))
        XCTAssertEqual(stored, "2")
        let renewed = try await client.string(call.header("Cache-Control", "no-cache"))
        XCTAssertEqual(renewed, "3")
        let after = try await client.string(call)
        XCTAssertEqual(after, "3")
    }

    func testUnsafeMethods_invalidate() async throws {
        let (client, transport) = try client { request in
            if request.method == .get { return .status(200, headers: ["Cache-Control": "max-age=60"]) }
            return request.url.path() == "/fails" ? .status(500) : .status(201, headers: ["Location": "/items/9"])
        }
        let calls = ["/items", "/items/9", "/other"].map { NetworkCall(.get, $0) }
        for call in calls { try await client.request(call) }
        _ = await failure { () async throws(NetworkError) in try await client.request(NetworkCall(.post, "/fails")) }
        for call in calls { try await client.request(call) }
        XCTAssertEqual(transport.requests.count, 4)
        try await client.request(NetworkCall(.post, "/items"))
        for call in calls { try await client.request(call) }
        XCTAssertEqual(transport.requests.dropFirst(5).map { $0.url.path() }, ["/items", "/items/9"])
        for call in calls { try await client.request(call) }
        XCTAssertEqual(transport.requests.count, 7, "what was fetched anew is stored")
    }

    func testInvalidation_reachesAnswersUnderWay() async throws {
        let gate = Gate()
        let arrived = Gate()
        let (client, transport) = try client { request in
            guard request.method == .get else { return .status(204) }
            arrived.open()
            await gate.wait()
            return .text("old", headers: ["Cache-Control": "max-age=60"])
        }
        let call = call
        async let old = client.string(call)
        await arrived.wait()
        try await client.request(NetworkCall(.put, "/items"))
        gate.open()
        _ = try await old
        _ = try await client.string(call)
        XCTAssertEqual(transport.requests.count, 3, "an answer from before the change is not kept")
    }

    func testHead_isAnsweredByGetAndUpdatesIt() async throws {
        let tag = Collected<String>()
        tag.add("\"1\"")
        let (client, transport) = try client { request in
            let fields: HTTPHeaders = [
                "Cache-Control": "max-age=60", "ETag": tag.all.last ?? "", "X-Method": "\(request.method)",
            ]
            return .text("body", headers: fields)
        }
        let head = NetworkCall(.head, "/items")
        try await client.request(head)
        _ = try await client.string(call)
        XCTAssertEqual(transport.requests.count, 2, "a HEAD response is not stored")
        let served = try await client.response(head, as: Nothing.self)
        XCTAssertEqual(served.source, .cacheFresh)
        XCTAssertEqual(served.body, Data())
        clock.advance(by: .seconds(90))
        try await client.request(head)
        let updated = try await client.response(call, as: String.self)
        XCTAssertEqual(updated.source, .cacheFresh, "4.3.5: refreshed")
        XCTAssertEqual(updated.headers["X-Method"], "HEAD")
        tag.add("\"2\"")
        clock.advance(by: .seconds(90))
        try await client.request(head)
        let renewed = try await client.response(call, as: String.self)
        XCTAssertEqual(renewed.source, .mock, "4.3.5: another representation")
    }

    func testRangesAndConditions_passThrough() async throws {
        let (client, transport) = try client { request in
            if request.headers.contains("Range") {
                return .text("pa", status: 206, headers: ["Cache-Control": "max-age=60"])
            }
            if request.headers.contains("If-None-Match") { return .status(304, headers: ["ETag": "\"1\""]) }
            return .text("part", headers: ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        }
        let ranged = call.header("Range", "bytes=0-1")
        for expected in ["pa", "pa"] {
            let text = try await client.string(ranged)
            XCTAssertEqual(text, expected)
        }
        let whole = try await client.string(call)
        XCTAssertEqual(whole, "part", "3.3: a part is not stored")
        let again = try await client.string(ranged)
        XCTAssertEqual(again, "pa")
        let error = await failure { () async throws(NetworkError) in
            try await client.string(call.header("If-None-Match", "\"1\""))
        }
        XCTAssertEqual(error?.status, 304, "who sets a condition gets its answer")
        XCTAssertEqual(transport.requests.count, 5)
    }

    func testWholeAnswerToACondition_takesThePlaceOfWhatIsStored() async throws {
        let version = Collected<Int>()
        version.add(1)
        let (client, _) = try client { _ in
            let number = version.all.last ?? 0
            return .text("\(number)", headers: ["Cache-Control": "max-age=60", "ETag": "\"\(number)\""])
        }
        _ = try await client.string(call)
        for (field, value) in [("If-None-Match", "\"0\""), ("Range", "bytes=0-")] {
            version.add((version.all.last ?? 0) + 1)
            let seen = try await client.string(call.header(field, value))
            let later = try await client.response(call, as: String.self)
            XCTAssertEqual(later.value, seen, "\(field): what was seen is not taken back")
            XCTAssertEqual(later.source, .cacheFresh)
        }
    }

    func testAnswersUnderWay_areNotStoredAfterTheCacheWasCleared() async throws {
        let cache = ResponseCache()
        let gate = Gate()
        let (client, transport) = try client(cache) { _ in
            await gate.wait()
            return .text("mine", headers: ["Cache-Control": "max-age=60"])
        }
        let call = call
        async let text = client.string(call)
        await waitUntil { transport.requests.count == 1 }
        let copy = cache
        await copy.clear()
        gate.open()
        _ = try await text
        let count = await cache.entries().count
        XCTAssertEqual(count, 0)
        _ = try await client.string(call)
        let later = await cache.entries().count
        XCTAssertEqual(later, 1)
    }

    func testOnlyIfCached_asksNobodyBehindTheCall() async throws {
        let (client, transport) = try client(
            answer: counting(["Cache-Control": "max-age=10, stale-while-revalidate=60"]))
        _ = try await client.string(call)
        clock.advance(by: .seconds(20))
        let stale = try await client.response(call.header("Cache-Control", "only-if-cached"), as: String.self)
        XCTAssertEqual(stale.source, .cacheStale)
        await waitUntil { client.background.count == 0 }
        XCTAssertEqual(transport.requests.count, 1, "RFC 9111 5.2.1.7")
    }

    func testStaleIfError_coversStatuses() async throws {
        let status = Collected<Int>()
        let (client, _) = try client { _ in
            let code = status.all.last ?? 200
            return .text(
                "\(code)", status: HTTPStatus(code),
                headers: code == 200 ? ["Cache-Control": "max-age=1, stale-if-error=60"] : [:])
        }
        _ = try await client.string(call)
        clock.advance(by: .seconds(5))
        for code in [500, 502, 503, 504] {
            status.add(code)
            let response = try await client.response(call, as: String.self)
            XCTAssertEqual(response.value, "200", "RFC 5861 4: \(code)")
            XCTAssertEqual(response.source, .cacheStale)
        }
        status.add(404)
        let error = await failure { () async throws(NetworkError) in try await client.string(call) }
        XCTAssertEqual(error?.status, 404)
    }

    func testStaleWhileRevalidate_validatesOnceBehindTheCall() async throws {
        let gate = Gate()
        let count = Collected<Int>()
        let (client, transport) = try client { _ in
            count.add(1)
            if count.all.count == 2 { await gate.wait() }
            return .text("\(count.all.count)", headers: ["Cache-Control": "max-age=10, stale-while-revalidate=60"])
        }
        _ = try await client.string(call)
        clock.advance(by: .seconds(20))
        for _ in 0..<3 {
            let response = try await client.response(call, as: String.self)
            XCTAssertEqual(response.value, "1")
            XCTAssertEqual(response.source, .cacheStale)
        }
        await waitUntil { transport.requests.count == 2 }
        gate.open()
        await waitUntil { client.background.count == 0 }
        let renewed = try await client.response(call, as: String.self)
        XCTAssertEqual(renewed.value, "2")
        XCTAssertEqual(renewed.source, .cacheFresh)
        XCTAssertEqual(transport.requests.count, 2)
    }

    func testBackgroundValidation_endsWithTheClient() async throws {
        let count = Collected<Int>()
        let ended = Gate()
        let begun = Gate()
        var client: NetworkClient?
        client = try self.client { _ in
            count.add(1)
            if count.all.count == 2 {
                begun.open()
                await Gate().wait()
                ended.open()
                throw NetworkError.cancelled
            }
            return .status(200, headers: ["Cache-Control": "max-age=10, stale-while-revalidate=60"])
        }.0
        try await client?.request(call)
        clock.advance(by: .seconds(20))
        try await client?.request(call)
        await begun.wait()
        XCTAssertFalse(ended.isOpen)
        client = nil
        await ended.wait()
    }

    func testQualifiedNoCache_keepsTheFieldsBack() async throws {
        let (client, _) = try client(
            answer: counting(["Cache-Control": "max-age=60, no-cache=\"X-Secret\"", "X-Secret": "1", "X-Open": "2"]))
        _ = try await client.string(call)
        let response = try await client.response(call, as: String.self)
        XCTAssertEqual(response.source, .cacheFresh)
        XCTAssertNil(response.headers["X-Secret"])
        XCTAssertEqual(response.headers["X-Open"], "2")
    }

    func testNewAnswerThatMayNotBeKept_takesTheOldOneAway() async throws {
        let control = Collected<String>()
        control.add("max-age=60")
        let cache = ResponseCache()
        let (client, _) = try client(cache) { _ in
            .status(200, headers: ["Cache-Control": control.all.last ?? ""])
        }
        try await client.request(call)
        control.add("no-store")
        try await client.request(call.cache(.reload))
        let entries = await cache.entries()
        XCTAssertEqual(entries, [])
    }

    func testVaryThatComesAndGoes_leavesNoOldVariantInTheWay() async throws {
        let vary = Collected<HTTPHeaders>()
        vary.add(["Vary": "Accept", "Cache-Control": "max-age=1"])
        let (client, transport) = try client { _ in .status(200, headers: vary.all.last ?? [:]) }
        try await client.request(call)
        vary.add(["Cache-Control": "max-age=60"])
        clock.advance(by: .seconds(5))
        for _ in 0..<3 { try await client.request(call) }
        XCTAssertEqual(transport.requests.count, 2)
    }

    func testRedirects_areCachedPerURL() async throws {
        let (client, transport) = try client { request in
            request.url.path() == "/items"
                ? .status(301, headers: ["Location": "/moved", "Cache-Control": "max-age=60"])
                : .text("here", headers: ["Cache-Control": "max-age=60"])
        }
        for _ in 0..<2 {
            let response = try await client.response(call, as: String.self)
            XCTAssertEqual(response.value, "here")
            XCTAssertEqual(response.redirects.count, 1)
            XCTAssertEqual(response.url.path(), "/moved")
        }
        XCTAssertEqual(transport.requests.count, 2)
    }

    func testOtherMethods_whereTheyCount() async throws {
        var cache = ResponseCache()
        cache.methods.insert("QUERY")
        let (client, transport) = try client(cache, answer: counting(["Cache-Control": "max-age=60"]))
        for (text, expected) in [("a", "1"), ("b", "2"), ("a", "1")] {
            let answer = try await client.string(NetworkCall("QUERY", "/items", body: .text(text)))
            XCTAssertEqual(answer, expected)
        }
        let get = try await client.string(call)
        XCTAssertEqual(get, "3")
        XCTAssertEqual(transport.requests.count, 3)
    }

    func testInspection_listsRemovesAndClears() async throws {
        let cache = ResponseCache()
        let (client, _) = try client(cache, answer: counting(["Cache-Control": "max-age=60"]))
        for path in ["/a?x=1", "/b", "/c"] { try await client.request(NetworkCall(.get, path)) }
        var paths = await Set(cache.entries().map { $0.url.path() })
        XCTAssertEqual(paths, ["/a", "/b", "/c"])
        await cache.remove(try .test("HTTPS://API.example:443/b#part"))
        paths = await Set(cache.entries().map { $0.url.path() })
        XCTAssertEqual(paths, ["/a", "/c"])
        await cache.clear()
        let count = await cache.entries().count
        let bytes = await cache.byteCount()
        XCTAssertEqual(count + bytes, 0)
    }

    func testEvents_sayThatTheCacheAnswered() async throws {
        let transport = MockTransport.answering { _ in .status(200, headers: ["Cache-Control": "max-age=60"]) }
        let background = BackgroundTasks()
        let chain = InterceptorChain([CacheInterceptor(ResponseCache(), background: background)], over: transport)
        let request = HTTPRequest(url: try .test())
        for expected in [0, 1] {
            let hits = Collected<Int>()
            let context = CallContext(clock: clock, sink: { if case .cacheHit = $0 { hits.add(1) } })
            _ = try await chain.send(request, context: context)
            XCTAssertEqual(hits.all.count, expected)
        }
    }
}
