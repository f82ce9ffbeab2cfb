import Ferry
import FerryTesting
import FerryUI
import Observation
import Synchronization
import XCTest

/// Gives scripted outcomes, each when its gate is opened.
final class ScriptedLoad<Value: Sendable>: Sendable {
    /// Guards the outcomes and the count: loads run on any thread.
    private let state: Mutex<(outcomes: [Result<Value, NetworkError>], calls: Int)>
    let gates: [Gate]

    init(_ outcomes: [Result<Value, NetworkError>], open: Bool = true) {
        state = Mutex((outcomes, 0))
        gates = outcomes.map { _ in Gate() }
        if open { for gate in gates { gate.open() } }
    }

    var calls: Int { state.withLock { $0.calls } }

    func next() async throws(NetworkError) -> Value {
        let (index, outcome) = state.withLock { state in
            defer { state.calls += 1 }
            return (state.calls, state.outcomes[state.calls])
        }
        await gates[index].wait()
        if Task.isCancelled { throw .cancelled }
        return try outcome.get()
    }
}

@MainActor
final class CallModelTests: XCTestCase {
    private let refused = NetworkError(.network, "refused")

    private func model(_ load: ScriptedLoad<Int>, keepsLast: Bool = true) -> CallModel<Int> {
        CallModel(keepsLast: keepsLast) { () throws(NetworkError) in try await load.next() }
    }

    func testLoad_goesThroughLoadingToTheValue() async {
        let load = ScriptedLoad<Int>([.success(7)], open: false)
        let model = model(load)
        XCTAssertNil(model.state)
        let task = Task { await model.load() }
        await waitUntil { load.calls == 1 }
        XCTAssertEqual(model.state, .loading(last: nil))
        XCTAssertTrue(model.isLoading)
        load.gates[0].open()
        await task.value
        XCTAssertEqual(model.state, .loaded(7))
        XCTAssertEqual(model.value, 7)
    }

    func testReload_keepsTheValueWhereAskedTo() async {
        for keepsLast in [true, false] {
            let load = ScriptedLoad<Int>([.success(1), .failure(refused)], open: false)
            load.gates[0].open()
            let model = model(load, keepsLast: keepsLast)
            await model.load()
            let task = Task { await model.reload() }
            await waitUntil { load.calls == 2 }
            XCTAssertEqual(model.state, .loading(last: keepsLast ? 1 : nil))
            load.gates[1].open()
            await task.value
            XCTAssertEqual(model.error?.kind, .network)
            XCTAssertNil(model.value)
        }
    }

    func testLoad_joinsTheOneUnderWay() async {
        let load = ScriptedLoad<Int>([.success(1)], open: false)
        let model = model(load)
        let first = Task { await model.load() }
        await waitUntil { load.calls == 1 }
        let second = Task { await model.load() }
        await Task.yield()
        load.gates[0].open()
        await first.value
        await second.value
        XCTAssertEqual(load.calls, 1)
        XCTAssertEqual(model.value, 1)
    }

    func testCancel_goesBackToWhatWasBefore() async {
        let load = ScriptedLoad<Int>([.success(1), .success(2)], open: false)
        load.gates[0].open()
        let model = model(load)
        await model.load()
        let task = Task { await model.reload() }
        await waitUntil { load.calls == 2 }
        task.cancel()
        await task.value
        XCTAssertEqual(model.state, .loaded(1))
    }

    func testReload_overtakesTheOneUnderWay() async {
        let load = ScriptedLoad<Int>([.success(1), .success(2)], open: false)
        let model = model(load)
        let first = Task { await model.load() }
        await waitUntil { load.calls == 1 }
        let second = Task { await model.reload() }
        await waitUntil { load.calls == 2 }
        await first.value
        XCTAssertTrue(model.isLoading, "the end of the first load is not the model's")
        load.gates[1].open()
        await second.value
        XCTAssertEqual(model.state, .loaded(2))
    }

    func testModel_isObservable() async {
        let model = model(ScriptedLoad([.success(3)]))
        let changed = expectation(description: "the state changes")
        withObservationTracking {
            _ = model.state
        } onChange: {
            changed.fulfill()
        }
        await model.load()
        await fulfillment(of: [changed], timeout: 10)
    }

    func testModel_loadsOverAClient() async throws {
        let server = try await LoopbackServer.start()
        server.on(.get, "/n", .json("42"))
        let model = CallModel(NetworkClient(baseURL: server.baseURL), NetworkCall(.get, "/n"), as: Int.self)
        await model.load()
        XCTAssertEqual(model.state, .loaded(42))
        await server.stop()
    }
}
