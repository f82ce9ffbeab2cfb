import Ferry
import FerryTesting
import Foundation
import XCTest

/// Calls as states of a screen, and with callbacks.
final class CallStatesTests: ClientTestCase {
    func testStates_endAfterOneLoad() async throws {
        server.on(.get, "/n", .json("7"))
        var states: [CallState<Int>] = []
        for await state in client().states(NetworkCall(.get, "/n"), as: Int.self) { states.append(state) }
        XCTAssertEqual(states, [.loading(last: nil), .loaded(7)])
    }

    func testStates_endInFailure() async throws {
        server.on(.get, "/n", .status(500))
        var kinds: [NetworkError.Kind?] = []
        for await state in client().states(NetworkCall(.get, "/n"), as: Int.self) { kinds.append(state.error?.kind) }
        XCTAssertEqual(kinds, [nil, .server])
    }

    func testStates_sendNothingBeforeLoadingWasTaken() async throws {
        server.on(.get, "/n", .json("7"))
        var iterator = client().states(NetworkCall(.get, "/n"), as: Int.self).makeAsyncIterator()
        let first = await iterator.next()
        XCTAssertEqual(first, .loading(last: nil))
        XCTAssertEqual(server.requestCount, 0)
        let second = await iterator.next()
        XCTAssertEqual(second, .loaded(7))
    }

    func testReload_keepsTheLastValueWhereAskedTo() async throws {
        for keepsLast in [true, false] {
            server.script(.get, "/n", [.json("1"), .json("2")])
            let trigger = ReloadTrigger()
            let sequence = client().states(
                NetworkCall(.get, "/n"), as: Int.self, reloadingOn: trigger, keepsLast: keepsLast)
            var states: [CallState<Int>] = []
            for await state in sequence {
                states.append(state)
                if state == .loaded(1) { trigger.reload() }
                if state == .loaded(2) { break }
            }
            XCTAssertEqual(
                states, [.loading(last: nil), .loaded(1), .loading(last: keepsLast ? 1 : nil), .loaded(2)])
        }
    }

    func testReload_overtakesALoadUnderWay() async throws {
        let never = Gate()
        let count = Collected<Int>()
        server.on(.get, "/n") { _ in
            count.add(1)
            if count.all.count == 1 { await never.wait() }
            return .json("\(count.all.count)")
        }
        let trigger = ReloadTrigger()
        let sequence = client().states(NetworkCall(.get, "/n"), as: Int.self, reloadingOn: trigger)
        let reloading = Task { [server] in
            await server?.waitForRequests(1)
            trigger.reload()
        }
        var states: [CallState<Int>] = []
        for await state in sequence {
            states.append(state)
            if state.value != nil { break }
        }
        await reloading.value
        XCTAssertEqual(states, [.loading(last: nil), .loading(last: nil), .loaded(2)])
    }

    func testStates_endWithTheirTask() async throws {
        server.on(.get, "/n", .stream { await $0.waitForDisconnect() })
        let client = client()
        let states = Task {
            var states: [CallState<Int>] = []
            for await state in client.states(NetworkCall(.get, "/n"), as: Int.self) { states.append(state) }
            return states
        }
        await server.waitForRequests(1)
        states.cancel()
        let seen = await states.value
        XCTAssertEqual(seen, [.loading(last: nil)])
    }

    func testObserve_callsBackInOrderAndEndsOnce() async throws {
        server.on(.get, "/n", .json("7"))
        server.on(.get, "/e", .status(404))
        for (path, middle) in [("/n", "success 7"), ("/e", "error client")] {
            let seen = Collected<String>()
            let task = client().observe(
                NetworkCall(.get, path), as: Int.self, onStart: { seen.add("start") }, onEnd: { seen.add("end") },
                onSuccess: { seen.add("success \($0)") }, onError: { seen.add("error \($0.kind)") })
            _ = await (try? task.value)
            XCTAssertEqual(seen.all, ["start", middle, "end"])
        }
    }

    func testObserve_endsOnceWhereItIsCancelled() async throws {
        server.on(.get, "/n", .stream { await $0.waitForDisconnect() })
        let seen = Collected<String>()
        let task = client().observe(
            NetworkCall(.get, "/n"), as: Int.self, onStart: { seen.add("start") }, onEnd: { seen.add("end") },
            onSuccess: { seen.add("success \($0)") }, onError: { seen.add("error \($0.kind)") })
        await server.waitForRequests(1)
        task.cancel()
        task.cancel()
        _ = await (try? task.value)
        XCTAssertEqual(seen.all, ["start", "end"])
    }

    @MainActor
    func testObserve_callsBackOnTheMainActorWhereAskedTo() async throws {
        server.on(.get, "/n", .json("7"))
        var number = 0
        let task = client().observe(NetworkCall(.get, "/n"), as: Int.self, onSuccess: { @MainActor in number = $0 })
        _ = try await task.value
        XCTAssertEqual(number, 7)
    }
}
