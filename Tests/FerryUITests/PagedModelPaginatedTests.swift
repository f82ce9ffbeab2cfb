import Ferry
import FerryTesting
import FerryUI
import Foundation
import XCTest

@MainActor
final class PagedModelPaginatedTests: XCTestCase {
    private struct Numbers: Paginated {
        typealias Response = [Int]
        typealias Item = Int
        var path: String { "/numbers" }
        var pagination: Pagination { .linkHeader() }
    }

    func testList_followsThePagesAndRepeatsAFailedOne() async throws {
        let server = try await LoopbackServer.start()
        server.script(
            .get, "/numbers",
            [
                .json("[1,2]").header("Link", "<?page=2>; rel=next"), .status(500),
                .json("[2,3]").header("Link", "<?page=3>; rel=next"), .json("[4]"),
            ])
        let client = NetworkClient(baseURL: server.baseURL)
        let model = PagedModel(client, Numbers(), identifiedBy: { $0 })
        await model.loadMore()
        XCTAssertEqual(model.items, [1, 2])
        await model.loadMore()
        XCTAssertEqual(model.error?.status, 500)
        await model.loadMore()
        XCTAssertEqual(model.items, [1, 2, 3], "no item twice")
        await model.loadMore()
        XCTAssertEqual(model.items, [1, 2, 3, 4])
        if case .end = model.state {} else { XCTFail("not at the end") }
        XCTAssertEqual(
            server.requests.map(\.target), ["/numbers", "/numbers?page=2", "/numbers?page=2", "/numbers?page=3"])
        await server.stop()
    }

    func testList_thatLeadsInACircleEnds() async throws {
        let server = try await LoopbackServer.start()
        server.on(.get, "/numbers") { request in
            let page = request.queryItems.first { $0.name == "page" }?.value == "2" ? 3 : 2
            return .json("[\(page)]").header("Link", "</numbers?page=\(page)>; rel=next")
        }
        let model = PagedModel(NetworkClient(baseURL: server.baseURL), Numbers())
        for _ in 0..<3 { await model.loadMore() }
        XCTAssertEqual(model.error?.kind, .paging)
        XCTAssertEqual(model.items, [2, 3])
        await model.refresh()
        await model.loadMore()
        XCTAssertEqual(model.items, [2, 3], "a refresh begins anew")
        XCTAssertNil(model.error)
        await server.stop()
    }

    func testList_thatLeadsToItselfEnds() async throws {
        let server = try await LoopbackServer.start()
        server.on(.get, "/numbers", .json("[1]").header("Link", "</numbers?page=2>; rel=next"))
        let model = PagedModel(NetworkClient(baseURL: server.baseURL), Numbers())
        await model.loadMore()
        await model.loadMore()
        XCTAssertEqual(model.error?.kind, .paging)
        XCTAssertEqual(model.items, [1])
        await server.stop()
    }
}
