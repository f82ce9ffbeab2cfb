import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

final class CredentialStoreTests: XCTestCase {
    private let items = NetworkCall(.get, "/items")

    func testAUTH01_burstRefreshesOnce() async throws {
        let row = try ConformanceCase.load("AUTH-01", area: "auth")
        try await burst(
            of: row.input["concurrent_requests"].int ?? 0, refreshes: row.expected["refresh_calls"].int,
            successes: row.expected["successes"].int, renewed: row.expected["T2_requests"].int)
    }

    func testBurst_of200RefreshesOnce() async throws {
        try await burst(of: 200, refreshes: 1, successes: 200, renewed: 200)
    }

    /// All requests are out before the first 401 comes.
    private func burst(of count: Int, refreshes: Int?, successes: Int?, renewed: Int?) async throws {
        XCTAssertGreaterThan(count, 0)
        let barrier = Barrier(count)
        let server = TokenServer { number, _ in if number <= count { await barrier.pass() } }
        let store = CredentialStore.asking()
        let client = try NetworkClient.scripted(server.transport) { $0.authorization = .refreshing(store) }
        let results = await client.texts(count, items)
        XCTAssertEqual(results.filter { $0.value == "ok" }.count, successes)
        XCTAssertEqual(server.refreshCalls.count, refreshes)
        XCTAssertEqual(server.calls(with: "T2"), renewed)
        XCTAssertEqual(server.calls(with: "T1"), count)
        XCTAssertNil(server.refreshCalls.first?.authorization, "The refresh carries no credential")
        XCTAssertEqual(store.credential?.accessToken, "T2")
    }

    func testBurst_of200FailsTogetherWhenTheRefreshFails() async throws {
        for (status, kept) in [(HTTPStatus(400), false), (503, true)] {
            let barrier = Barrier(200)
            let server = TokenServer(refreshes: [.status(status)]) { number, _ in
                if number <= 200 { await barrier.pass() }
            }
            let store = CredentialStore.asking()
            let client = try NetworkClient.scripted(server.transport) { $0.authorization = .refreshing(store) }
            let results = await client.texts(200, items)
            XCTAssertEqual(results.filter { $0.error?.status == status }.count, 200)
            XCTAssertEqual(Set(results.compactMap { $0.error?.url?.path() }), ["/token"])
            XCTAssertEqual(server.refreshCalls.count, 1)
            XCTAssertEqual(server.calls.count, 200)
            XCTAssertEqual(store.credential != nil, kept)
        }
    }

    func testAUTH02_late401ForAnOlderTokenDoesNotRefresh() async throws {
        let row = try ConformanceCase.load("AUTH-02", area: "auth")
        let (late, isOut) = (Gate(), Gate())
        let server = TokenServer { _, call in
            guard call.path == "/late", call.authorization == "Bearer T1" else { return }
            isOut.open()
            await late.wait()
        }
        let client = try NetworkClient.scripted(server.transport) { $0.authorization = .refreshing(.asking()) }
        async let second = client.text(NetworkCall(.get, "/late"))
        await isOut.wait()
        let first = await client.text(NetworkCall(.get, "/early"))
        XCTAssertEqual(first.value, "ok")
        late.open()
        let result = await second
        XCTAssertEqual(result.value, "ok")
        XCTAssertEqual(server.refreshCalls.count, row.expected["refresh_calls"].int)
        XCTAssertEqual(
            server.calls.last?.authorization, "Bearer \(row.expected["R2_second_attempt_token"].string ?? "")")
    }

    func testAUTH03_finalRefusalClearsTheCredentialAndReplaysNothing() async throws {
        let row = try ConformanceCase.load("AUTH-03", area: "auth")
        let count = row.input["concurrent_requests"].int ?? 0
        let barrier = Barrier(count)
        let body = #"{"error": "invalid_grant"}"#
        let server = TokenServer(refreshes: [.text(body, status: 400)]) { number, _ in
            if number <= count { await barrier.pass() }
        }
        let changes = Mutex<[String?]>([])
        let store = CredentialStore.asking { new in changes.withLock { $0.append(new?.accessToken) } }
        let client = try NetworkClient.scripted(server.transport) { $0.authorization = .refreshing(store) }
        let results = await client.texts(count, items)
        XCTAssertEqual(results.filter { $0.error?.status == 400 && $0.error?.kind == .client }.count, count)
        XCTAssertEqual(server.refreshCalls.count, row.expected["refresh_calls"].int)
        XCTAssertEqual(server.calls.count, row.expected["server_requests"].int)
        XCTAssertNil(store.credential)
        XCTAssertEqual(changes.withLock { $0 }, [nil])

        let after = await client.text(items)
        XCTAssertEqual(after.error?.status, 401, "Sent without a credential")
        XCTAssertNil(server.calls.last?.authorization)
        XCTAssertEqual(server.refreshCalls.count, 1)
    }

    func testAUTH04_serverThatAlwaysSays401IsAskedTwice() async throws {
        let row = try ConformanceCase.load("AUTH-04", area: "auth")
        let server = TokenServer(accepting: nil)
        let client = try NetworkClient.scripted(server.transport) { $0.authorization = .refreshing(.asking()) }
        let result = await client.text(items)
        XCTAssertEqual(result.error?.status?.code, row.expected["error_status"].int)
        XCTAssertEqual(server.calls.count, row.expected["server_requests"].int)
        XCTAssertEqual(server.refreshCalls.count, row.expected["refresh_calls"].int)
    }

    func testAUTH06_callsDuringARefreshWait_andOneCancelStaysItsOwn() async throws {
        let row = try ConformanceCase.load("AUTH-06", area: "auth")
        let refresh = Gate()
        let server = TokenServer(holdRefresh: { await refresh.wait() })
        let store = CredentialStore.asking()
        let client = try NetworkClient.scripted(server.transport) { $0.authorization = .refreshing(store) }
        let items = items
        let first = Task { await client.text(items) }
        await waitUntil { store.waiterCount == 1 }
        let second = Task { await client.text(NetworkCall(.get, "/second")) }
        let third = Task { await client.text(NetworkCall(.get, "/third")) }
        await waitUntil { store.waiterCount == 3 }
        third.cancel()
        let cancelled = await third.value
        XCTAssertEqual(cancelled.error?.kind, .cancelled)
        XCTAssertTrue(store.isRefreshing)
        refresh.open()
        let (one, two) = await (first.value, second.value)
        XCTAssertEqual([one.value, two.value], ["ok", "ok"])
        XCTAssertEqual(server.calls.filter { $0.path == "/second" }.map(\.authorization), ["Bearer T2"])
        XCTAssertEqual(server.calls.filter { $0.path == "/third" }.count, 0)
        XCTAssertEqual(server.refreshCalls.count, row.expected["refresh_calls"].int)
    }

    func testRefresh_goesOnWhenTheCallThatStartedItIsCancelled() async throws {
        let refresh = Gate()
        let server = TokenServer(holdRefresh: { await refresh.wait() })
        let store = CredentialStore.asking()
        let client = try NetworkClient.scripted(server.transport) { $0.authorization = .refreshing(store) }
        let items = items
        let first = Task { await client.text(items) }
        await waitUntil { store.waiterCount == 1 }
        first.cancel()
        let cancelled = await first.value
        XCTAssertEqual(cancelled.error?.kind, .cancelled)
        refresh.open()
        await waitUntil { !store.isRefreshing }
        XCTAssertEqual(store.credential?.accessToken, "T2")
        let next = await client.text(items)
        XCTAssertEqual(next.value, "ok")
        XCTAssertEqual(server.refreshCalls.count, 1)
    }

    func testAUTH07_transientFailureKeepsTheCredential() async throws {
        let row = try ConformanceCase.load("AUTH-07", area: "auth")
        let server = TokenServer(refreshes: [.status(503), .text("T2")])
        let store = CredentialStore.asking()
        let client = try NetworkClient.scripted(server.transport) { $0.authorization = .refreshing(store) }
        let a = await client.text(items)
        XCTAssertEqual(a.error?.status, 503)
        XCTAssertEqual(store.credential?.accessToken, "T1")
        let b = await client.text(items)
        XCTAssertEqual(b.value, "ok")
        XCTAssertEqual(server.refreshCalls.count, row.expected["refresh_calls"].int)
    }

    func testCoolDown_failsWithoutAnotherRefreshUntilItIsOver() async throws {
        let clock = ManualClock()
        let server = TokenServer(refreshes: [.status(503), .text("T2")])
        let client = try NetworkClient.scripted(server.transport) {
            $0.authorization = .refreshing(.asking(coolDown: .seconds(5)))
            $0.clock = clock
        }
        let first = await client.text(items)
        clock.advance(by: .milliseconds(4999))
        let second = await client.text(items)
        XCTAssertEqual([first.error?.status, second.error?.status], [503, 503])
        XCTAssertEqual(server.refreshCalls.count, 1)
        clock.advance(by: .milliseconds(1))
        let third = await client.text(items)
        XCTAssertEqual(third.value, "ok")
        XCTAssertEqual(server.refreshCalls.count, 2)
    }

    func testDeadline_endsTheWaitForARefresh() async throws {
        let (clock, refresh) = (ManualClock(), Gate())
        let server = TokenServer(holdRefresh: { await refresh.wait() })
        let store = CredentialStore.asking()
        let client = try NetworkClient.scripted(server.transport) {
            $0.authorization = .refreshing(store)
            $0.clock = clock
        }
        let items = items
        let call = Task { await client.text(items.timeouts(Timeouts(total: .seconds(3)))) }
        await waitUntil { store.waiterCount == 1 }
        clock.advance(by: .seconds(3))
        let result = await call.value
        XCTAssertEqual(result.error?.timeout, .total)
        refresh.open()
        await waitUntil { !store.isRefreshing }
        XCTAssertEqual(store.credential?.accessToken, "T2")
    }

    func testExpiry_refreshesBeforeSending() async throws {
        let clock = ManualClock()
        let server = TokenServer()
        let expiring = BearerCredential(accessToken: "T1", expiresAt: clock.date.addingTimeInterval(60))
        let client = try NetworkClient.scripted(server.transport) {
            $0.authorization = .refreshing(.asking(credential: expiring))
            $0.clock = clock
        }
        let early = await client.text(items)
        XCTAssertEqual(early.value, "ok", "Not expired: the 401 tells")
        XCTAssertEqual(server.calls.map(\.authorization), ["Bearer T1", "Bearer T2"])

        let second = TokenServer()
        let late = try NetworkClient.scripted(second.transport) {
            $0.authorization = .refreshing(.asking(credential: expiring))
            $0.clock = clock
        }
        clock.advance(by: .seconds(50))
        _ = await late.text(items)
        XCTAssertEqual(second.calls.map(\.authorization), ["Bearer T2"], "Within the leeway of 10 s")
    }

    func testSignOut_failsWaitersAndIgnoresTheRefresh() async throws {
        let refresh = Gate()
        let server = TokenServer(holdRefresh: { await refresh.wait() })
        let changes = Mutex<[String?]>([])
        let store = CredentialStore.asking { new in changes.withLock { $0.append(new?.accessToken) } }
        let client = try NetworkClient.scripted(server.transport) { $0.authorization = .refreshing(store) }
        let items = items
        let call = Task { await client.text(items) }
        await waitUntil { store.waiterCount == 1 }
        store.signOut()
        let result = await call.value
        XCTAssertEqual(result.error?.kind, .authentication)
        refresh.open()
        let bare = await client.text(items)
        XCTAssertEqual(bare.error?.status, 401)
        XCTAssertNil(server.calls.last?.authorization)
        XCTAssertNil(store.credential)
        XCTAssertEqual(changes.withLock { $0 }, [nil])
        store.set(BearerCredential(accessToken: "T2"))
        let back = await client.text(items)
        XCTAssertEqual(back.value, "ok")
        XCTAssertEqual(changes.withLock { $0 }, [nil, "T2"])
    }

    func testSignIn_neverSendsAnEarlierUsersCallAgain() async throws {
        let (late, isOut) = (Gate(), Gate())
        let server = TokenServer { number, _ in
            guard number == 1 else { return }
            isOut.open()
            await late.wait()
        }
        let store = CredentialStore.asking()
        let client = try NetworkClient.scripted(server.transport) { $0.authorization = .refreshing(store) }
        let items = items
        async let result = client.text(items)
        await isOut.wait()
        store.signOut()
        store.set(BearerCredential(accessToken: "T2"))
        late.open()
        let answer = await result
        XCTAssertEqual(answer.error?.status, 401)
        XCTAssertEqual(server.calls.map(\.authorization), ["Bearer T1"])
    }

    func testCoalescing_neverSharesBetweenTwoUsersOrWithARefresh() async throws {
        let (first, isOut) = (Gate(), Gate())
        let server = TokenServer(accepting: "T2") { number, _ in
            guard number == 1 else { return }
            isOut.open()
            await first.wait()
        }
        let store = CredentialStore.asking()
        let client = try NetworkClient.scripted(server.transport) {
            $0.authorization = .refreshing(store)
            $0.coalescesRequests = true
        }
        let items = items
        let earlier = Task { await client.text(items) }
        await isOut.wait()
        store.signOut()
        store.set(BearerCredential(accessToken: "T2"))
        let later = await client.text(items)
        XCTAssertEqual(later.value, "ok")
        first.open()
        let answer = await earlier.value
        XCTAssertEqual(answer.error?.status, 401)

        // A refresh that asks what a waiting call asks would wait for itself.
        let same = TokenServer()
        let again = CredentialStore(bearer: BearerCredential(accessToken: "T1")) { _, context in
            _ = try await context.client.text(items)
            return BearerCredential(accessToken: "T2")
        }
        let other = try NetworkClient.scripted(same.transport) {
            $0.authorization = .refreshing(again)
            $0.coalescesRequests = true
        }
        let result = await other.text(items)
        XCTAssertEqual(result.value, "ok")
        XCTAssertEqual(same.calls.map(\.authorization), ["Bearer T1", nil, "Bearer T2"])
    }

    func testReplay_sendsFilesAndReplayableStreamsAgain() async throws {
        let file = try temporaryDirectory().appending(path: "upload.bin")
        try Data("content".utf8).write(to: file)
        let replayable = BodyStream { AsyncStream.of([Data("con".utf8), Data("tent".utf8)]) }
        for body in [RequestBody.file(file), .data(Data("content".utf8)), .stream(replayable)] {
            let bodies = Mutex<[String]>([])
            let transport = MockTransport.answering { request in
                if request.url.path() == "/token" { return .text("T2") }
                bodies.withLock { $0.append(request.text) }
                return .status(request.headers["Authorization"] == "Bearer T2" ? 200 : 401)
            }
            let client = try NetworkClient.scripted(transport) { $0.authorization = .refreshing(.asking()) }
            let result = await client.text(NetworkCall(.post, "/upload", body: body))
            XCTAssertNotNil(result.value)
            XCTAssertEqual(bodies.withLock { $0 }, ["content", "content"])
        }
    }

    func testReplay_ofAOneShotStreamHandsOutThe401_andTheNextCallHasTheNewToken() async throws {
        let server = TokenServer()
        let store = CredentialStore.asking()
        let client = try NetworkClient.scripted(server.transport) { $0.authorization = .refreshing(store) }
        let body = RequestBody.stream(BodyStream(once: AsyncStream.of([Data("content".utf8)])))
        let result = await client.text(NetworkCall(.post, "/upload", body: body))
        XCTAssertEqual(result.error?.status, 401)
        XCTAssertEqual(server.calls.count, 1)
        await waitUntil { !store.isRefreshing }
        let next = await client.text(items)
        XCTAssertEqual(next.value, "ok")
        XCTAssertEqual(server.calls.map(\.authorization), ["Bearer T1", "Bearer T2"])
    }

    func testStreamed401_isDroppedBeforeTheRefreshEnds() async throws {
        let refresh = Gate()
        let unauthorized = ScriptedSource()
        let transport = MockTransport.answering { request in
            request.headers["Authorization"] == "Bearer T2" ? .text("ok") : .status(401)
        }
        let store = CredentialStore(bearer: BearerCredential(accessToken: "T1")) { _, _ in
            await refresh.wait()
            return BearerCredential(accessToken: "T2")
        }
        let url = try URL.test()
        let chain = InterceptorChain(
            [
                AuthorizationInterceptor(.refreshing(store), baseURL: url),
                StreamReplacement(status: 401, source: unauthorized),
            ], over: transport)
        async let response = outcome { () async throws(NetworkError) in
            try await chain.send(HTTPRequest(url: url), context: CallContext(delivery: .streamed))
        }
        await unauthorized.cancelled.wait()
        XCTAssertTrue(store.isRefreshing)
        refresh.open()
        let result = await response
        XCTAssertEqual(result.value?.status, 200)
    }

    func testRefresh_leavesNoMarkOnTasksThatOutliveIt() async throws {
        let go = Gate()
        let server = TokenServer()
        let later = Mutex<Task<String?, Never>?>(nil)
        let store = CredentialStore(bearer: BearerCredential(accessToken: "T1")) { _, context in
            let client = try context.client
            later.withLock {
                $0 = Task {
                    await go.wait()
                    return await client.text(NetworkCall(.get, "/later")).value
                }
            }
            return BearerCredential(accessToken: "T2")
        }
        let client = try NetworkClient.scripted(server.transport) { $0.authorization = .refreshing(store) }
        _ = await client.text(items)
        go.open()
        let value = await later.withLock { $0 }?.value
        XCTAssertEqual(value, "ok")
        XCTAssertEqual(server.calls.last?.authorization, "Bearer T2")
    }
}
