import Ferry
import FerryTesting
import FerryUI
import XCTest

@MainActor
final class PagedModelTests: XCTestCase {
    private typealias Page = PagedModel<Int>.Page<Int>

    private func model(_ load: ScriptedLoad<Page>, unique: Bool = false) -> PagedModel<Int> {
        let page = { @Sendable (cursor: Int?) async throws(NetworkError) -> Page in
            let page = try await load.next()
            XCTAssertEqual(cursor, page.items.first.map { $0 / 10 }.flatMap { $0 == 0 ? nil : $0 })
            return page
        }
        return unique ? PagedModel(identifiedBy: { $0 }, page: page) : PagedModel(page: page)
    }

    private func name(_ state: PagedModel<Int>.State) -> String {
        switch state {
        case .idle: "idle"
        case .loading: "loading"
        case .end: "end"
        case .failed(let error): "failed \(error.kind)"
        }
    }

    func testLoadMore_growsToTheEnd() async {
        let load = ScriptedLoad<Page>([
            .success(Page([1, 2], next: 1)), .success(Page([10], next: 2)), .success(Page([20], next: nil)),
        ])
        let model = model(load)
        for (items, state) in [([1, 2], "idle"), ([1, 2, 10], "idle"), ([1, 2, 10, 20], "end")] {
            await model.loadMore()
            XCTAssertEqual(model.items, items)
            XCTAssertEqual(name(model.state), state)
        }
        await model.loadMore()
        XCTAssertEqual(load.calls, 3, "nothing is asked for behind the end")
    }

    func testLoadMore_isJoinedWhileLoading() async {
        let load = ScriptedLoad<Page>([.success(Page([1], next: 1))], open: false)
        let model = model(load)
        let first = Task { await model.loadMore() }
        await waitUntil { load.calls == 1 }
        XCTAssertTrue(model.isLoading)
        let second = Task { await model.loadMore() }
        await Task.yield()
        load.gates[0].open()
        await first.value
        await second.value
        XCTAssertEqual(load.calls, 1)
        XCTAssertEqual(model.items, [1])
    }

    func testFailure_keepsTheItemsAndAsksAgain() async {
        let load = ScriptedLoad<Page>([
            .success(Page([1], next: 1)), .failure(NetworkError(.server, "busy")), .success(Page([10], next: nil)),
        ])
        let model = model(load)
        await model.loadMore()
        await model.loadMore()
        XCTAssertEqual(model.error?.kind, .server)
        XCTAssertEqual(model.items, [1])
        await model.loadMore()
        XCTAssertEqual(model.items, [1, 10])
        XCTAssertEqual(name(model.state), "end")
    }

    func testRefresh_replacesOnceTheFirstPageIsThere() async {
        let load = ScriptedLoad<Page>(
            [
                .success(Page([1], next: 1)), .failure(NetworkError(.network, "gone")), .success(Page([2], next: nil)),
            ])
        let model = model(load)
        await model.loadMore()
        await model.refresh()
        XCTAssertEqual(model.items, [1], "what is shown stays where the refresh fails")
        XCTAssertEqual(model.error?.kind, .network)
        await model.loadMore()
        XCTAssertEqual(model.items, [2])
        XCTAssertEqual(name(model.state), "end")
    }

    func testRefresh_overtakesAPageUnderWay() async {
        let load = ScriptedLoad<Page>([.success(Page([1], next: 1)), .success(Page([2], next: nil))], open: false)
        let model = model(load)
        let first = Task { await model.loadMore() }
        await waitUntil { load.calls == 1 }
        let second = Task { await model.refresh() }
        await waitUntil { load.calls == 2 }
        await first.value
        load.gates[1].open()
        await second.value
        XCTAssertEqual(model.items, [2])
    }

    func testCancel_leavesTheListAsItWas() async {
        let load = ScriptedLoad<Page>([.success(Page([1], next: 1))], open: false)
        let model = model(load)
        let task = Task { await model.loadMore() }
        await waitUntil { load.calls == 1 }
        task.cancel()
        await task.value
        XCTAssertEqual(model.items, [])
        XCTAssertEqual(name(model.state), "idle")
    }

    func testCancel_ofAnotherAttemptKeepsTheFailure() async {
        let load = ScriptedLoad<Page>(
            [.failure(NetworkError(.server, "busy")), .success(Page([1], next: 1)), .success(Page([1], next: 1))],
            open: false)
        let model = model(load)
        let first = Task { await model.loadMore() }
        await waitUntil { load.calls == 1 }
        load.gates[0].open()
        await first.value
        XCTAssertEqual(name(model.state), "failed server")
        let second = Task { await model.loadMore() }
        await waitUntil { load.calls == 2 }
        let third = Task { await model.refresh() }
        await waitUntil { load.calls == 3 }
        second.cancel()
        third.cancel()
        await second.value
        await third.value
        XCTAssertEqual(name(model.state), "failed server")
    }

    func testIdentity_keepsTheFirstOfEach() async {
        let load = ScriptedLoad<Page>([.success(Page([1, 2, 2], next: 1)), .success(Page([10, 2, 1, 11], next: nil))])
        let model = model(load, unique: true)
        await model.loadMore()
        await model.loadMore()
        XCTAssertEqual(model.items, [1, 2, 10, 11])
    }
}
