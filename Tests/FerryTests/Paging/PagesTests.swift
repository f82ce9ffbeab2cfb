import Ferry
import FerryTesting
import Foundation
import XCTest

final class PagesTests: ClientTestCase {
    private struct Items: Paginated {
        typealias Response = [Int]
        var pagination: Pagination
        var path = "/items"
        var responseKeyPath: JSONKeyPath?
        var headers: HTTPHeaders = [:]
    }

    private struct Wrapped: Paginated {
        struct Body: Codable, Sendable {
            var items: [Int]
            var next: String?
        }
        typealias Response = Body
        typealias Item = Int
        var pagination: Pagination
        var path: String { "/items" }
        func items(of response: Body) -> [Int] { response.items }
    }

    private func collect<Value: Paginated>(_ items: PageItems<Value>) async throws(NetworkError) -> [Value.Item] {
        var all: [Value.Item] = []
        for try await item in items { all.append(item) }
        return all
    }

    private func targets() -> [String] { server.requests.map(\.target) }

    // MARK: Styles

    func testPageNumber_endsAtTheEmptyPage() async throws {
        server.on(.get, "/items") { request in
            let page = request.queryItems.first { $0.name == "page" }?.value ?? ""
            return .json(["1": "[1,2]", "2": "[3]"][page] ?? "[]")
        }
        let all = try await collect(client().items(Items(pagination: .pageNumber())))
        XCTAssertEqual(all, [1, 2, 3])
        XCTAssertEqual(targets(), ["/items?page=1", "/items?page=2", "/items?page=3"])
    }

    func testPageNumber_endsAtAShortPageOrTheTotal() async throws {
        server.script(.get, "/items", [.json("[1,2]"), .json("[3]"), .json("[]")])
        let short = try await collect(client().items(Items(pagination: .pageNumber(size: ("per_page", 2)))))
        XCTAssertEqual(short, [1, 2, 3])
        XCTAssertEqual(targets(), ["/items?per_page=2&page=1", "/items?per_page=2&page=2"])
        server.removeRequests()
        server.script(
            .get, "/items", [.json(#"{"items":[1],"total":2}"#), .json(#"{"items":[2],"total":2}"#), .status(500)])
        let total = try await collect(
            client().items(Wrapped(pagination: .pageNumber("p", first: 0, totalPages: "total"))))
        XCTAssertEqual(total, [1, 2])
        XCTAssertEqual(targets(), ["/items?p=0", "/items?p=1"])
    }

    /// A total that is missing or null, as servers have it that do not count, is no reason to stop.
    func testTotal_thatAPageDoesNotSayEndsNothing() async throws {
        let rows: [(style: Pagination, pages: [String], items: [Int])] = [
            (.pageNumber(totalPages: "t"), ["[1]", "[2]", "[]"], [1, 2]),
            (.pageNumber(totalPages: "t"), [#"[1],"t":null"#, #"[2],"t":2"#], [1, 2]),
            (.pageNumber(size: ("n", 2), totalPages: "t"), ["[1,2]", "[3]"], [1, 2, 3]),
            (.offset(limit: 2, totalItems: "t"), ["[1,2]", "[3]"], [1, 2, 3]),
            (.offset(limit: 2, totalItems: "t"), ["[1,2]", #"[3],"t":4"#, #"[4],"t":4"#], [1, 2, 3, 4]),
        ]
        for (style, pages, items) in rows {
            server.removeRequests()
            server.script(.get, "/items", pages.map { .json(#"{"items":\#($0)}"#) } + [.status(500)])
            let all = try await collect(client().items(Wrapped(pagination: style)))
            XCTAssertEqual(all, items)
            XCTAssertEqual(server.requestCount, pages.count)
        }
    }

    func testOffset_movesByWhatCame() async throws {
        server.script(.get, "/items", [.json("[1,2]"), .json("[3,4]"), .json("[5]"), .status(500)])
        let all = try await collect(client().items(Items(pagination: .offset(limit: 2))))
        XCTAssertEqual(all, [1, 2, 3, 4, 5])
        XCTAssertEqual(
            targets(), ["/items?limit=2&offset=0", "/items?limit=2&offset=2", "/items?limit=2&offset=4"])
    }

    func testPAG06_anEmptyPageInTheMiddleEndsNothing() async throws {
        let row = try ConformanceCase.load("PAG-06", area: "pagination")
        let pages = row.input["pages"].array.map { page -> LoopbackResponse in
            let items = page["items"].array.compactMap(\.int).map(String.init).joined(separator: ",")
            return .json("{\"items\": [\(items)], \"next\": \(page["next"].string.map { "\"\($0)\"" } ?? "null")}")
        }
        server.script(.get, "/items", pages + [.status(500)])
        let all = try await collect(client().items(Wrapped(pagination: .cursor(at: "next"))))
        XCTAssertEqual(all, row.expected["items"].array.compactMap(\.int))
        XCTAssertEqual(server.requestCount, row.expected["requests"].int)
        XCTAssertEqual(targets(), ["/items", "/items?cursor=c2", "/items?cursor=c3"])
    }

    func testCursor_endsWhereItIsMissingNullOrEmpty() async throws {
        for end in ["{\"items\":[2]}", "{\"items\":[2],\"next\":null}", "{\"items\":[2],\"next\":\"\"}"] {
            server.script(.get, "/items", [.json("{\"items\":[1],\"next\":\"a b&c\"}"), .json(end), .status(500)])
            let all = try await collect(client().items(Wrapped(pagination: .cursor(at: "next", parameter: "after"))))
            XCTAssertEqual(all, [1, 2])
            XCTAssertEqual(targets().last, "/items?after=a%20b%26c")
        }
    }

    func testNextURL_absoluteAndRelative() async throws {
        server.fallback { [server] request in
            switch request.target {
            case "/items?key=k": .json("{\"items\":[1],\"next\":\"?page=2&key=k\"}")
            case "/items?page=2&key=k":
                .json("{\"items\":[2],\"next\":\"\(server?.baseURL.absoluteString ?? "")/more/3\"}")
            case "/more/3": .json("{\"items\":[3]}")
            default: .status(500)
            }
        }
        let client = client { $0.query = ["key": "k"] }
        let all = try await collect(client.items(Wrapped(pagination: .nextURL(at: "next"))))
        XCTAssertEqual(all, [1, 2, 3])
    }

    func testLinkHeader_leadsFromPageToPage() async throws {
        server.on(.get, "/items") { request in
            let page = Int(request.queryItems.first { $0.name == "page" }?.value ?? "1") ?? 1
            let response = LoopbackResponse.json("[\(page)]")
            return page == 3 ? response : response.header("Link", "<?page=\(page + 1)>; rel=\"next\"")
        }
        let all = try await collect(client().items(Items(pagination: .linkHeader())))
        XCTAssertEqual(all, [1, 2, 3])
    }

    func testCustom_decidesByItself() async throws {
        server.script(.get, "/items", [.json("[1]").header("X-Next", "n"), .json("[2]")])
        let style = Pagination.custom { page in page.head.headers["X-Next"].map { .cursor($0) } }
        let all = try await collect(client().items(Items(pagination: style)))
        XCTAssertEqual(all, [1, 2])
        XCTAssertEqual(targets(), ["/items", "/items?cursor=n"])
    }

    // MARK: Guards

    func testPAG07_theTokenNeverGoesToAnotherOrigin() async throws {
        let row = try ConformanceCase.load("PAG-07", area: "pagination")
        let other = try await LoopbackServer.start()
        other.fallback { _ in .json("[2]") }
        server.on(.get, "/items", .json("[1]").header("Link", "<\(other.baseURL)/p2>; rel=\"next\""))
        let token = try XCTUnwrap(row.input["request_headers"]["Authorization"].string)
        let client = client { $0.headers["Authorization"] = token }
        var got: [Int] = []
        var failure: NetworkError?
        do throws(NetworkError) {
            for try await item in client.items(Items(pagination: .linkHeader())) { got.append(item) }
        } catch {
            failure = error
        }
        XCTAssertEqual(got, [1])
        XCTAssertEqual(failure?.kind, .paging)
        XCTAssertEqual(other.acceptedConnections, 0)
        let allowed = try await collect(
            client.items(Items(pagination: .linkHeader().allowingOtherOrigins(), headers: ["Authorization": token])))
        XCTAssertEqual(allowed, [1, 2])
        XCTAssertNil(other.requests.last?.headers["Authorization"])
        await other.stop()
    }

    func testRepeatedCursor_isAnError() async throws {
        server.on(.get, "/items", .json("{\"items\":[1],\"next\":\"same\"}"))
        var pages = client().pages(Wrapped(pagination: .cursor(at: "next"))).makeAsyncIterator()
        _ = try await pages.next()
        _ = try await pages.next()
        do throws(NetworkError) {
            _ = try await pages.next()
            XCTFail("it goes on for ever")
        } catch {
            XCTAssertEqual(error.kind, .paging)
        }
        XCTAssertEqual(server.requestCount, 2)
    }

    /// Also the first page, which was asked for without a token, is one that came before.
    func testURLOfAPageThatCame_isAnErrorAtOnce() async throws {
        let rows: [(next: [String], items: [Int])] = [
            (["/items"], [0]), (["/items#2"], [0]), ([""], [0]), (["/items?p=2", "/items"], [0, 1]),
            (["?p=2", "?p=2#x"], [0, 1]), (["/items?p=2", "/items?p=3", "/items?p=2"], [0, 1, 2]),
        ]
        for (next, items) in rows {
            for isLink in [true, false] where isLink || !next.contains("") {
                server.removeRequests()
                let pages = next.enumerated().map { index, target in
                    LoopbackResponse.json(#"{"items":[\#(index)],"next":"\#(target)"}"#)
                        .header("Link", "<\(target)>; rel=next")
                }
                server.script(.get, "/items", pages + [.json(#"{"items":[9]}"#)])
                let style: Pagination = isLink ? .linkHeader() : .nextURL(at: "next")
                let walk = await FerryTests.collect(client().items(Wrapped(pagination: style)))
                XCTAssertEqual(walk.elements, items, "\(next)")
                XCTAssertEqual(walk.error?.kind, .paging, "\(next)")
                XCTAssertEqual(server.requestCount, items.count, "\(next)")
            }
        }
    }

    func testNextURL_whiteSpaceAroundItIsNoneOfIt() async throws {
        server.script(
            .get, "/items", [.json(#"{"items":[1],"next":" /items?p=2\n"}"#), .json(#"{"items":[2],"next":" "}"#)])
        let all = try await collect(client().items(Wrapped(pagination: .nextURL(at: "next"))))
        XCTAssertEqual(all, [1, 2])
        XCTAssertEqual(targets(), ["/items", "/items?p=2"])
    }

    func testPages_areLazyAndLimited() async throws {
        server.on(.get, "/items", .json("[1,2]"))
        let client = client()
        var pages = client.pages(Items(pagination: .pageNumber())).makeAsyncIterator()
        XCTAssertEqual(server.requestCount, 0)
        _ = try await pages.next()
        XCTAssertEqual(server.requestCount, 1)
        server.removeRequests()
        let two = try await collect(client.items(Items(pagination: .pageNumber()), maxPages: 2))
        XCTAssertEqual(two.count, 4)
        XCTAssertEqual(server.requestCount, 2)
        server.removeRequests()
        let three = try await collect(client.items(Items(pagination: .pageNumber()), maxItems: 3))
        XCTAssertEqual(three, [1, 2, 1])
        XCTAssertEqual(server.requestCount, 2)
        let none = try await collect(client.items(Items(pagination: .pageNumber()), maxPages: 0))
        XCTAssertEqual(none, [])
    }

    func testLastAllowedPage_saysWhereAnotherWalkGoesOn() async throws {
        server.on(.get, "/items", .json("[1,2]"))
        for prefetch in [0, 2] {
            var pages = client().pages(Items(pagination: .pageNumber()), maxPages: 2, prefetch: prefetch)
                .makeAsyncIterator()
            _ = try await pages.next()
            let last = try await pages.next()
            XCTAssertEqual(last?.next, PageToken(.page(3)))
            let end = try await pages.next()
            XCTAssertNil(end)
            XCTAssertEqual(pages.token, PageToken(.page(3)))
        }
    }

    func testFailedPage_canBeAskedForAgain() async throws {
        server.script(.get, "/items", [.json("[1]"), .status(500), .json("[2]"), .json("[]")])
        for prefetch in [0, 2] {
            server.removeRequests()
            server.script(.get, "/items", [.json("[1]"), .status(500), .json("[2]"), .json("[]")])
            var items = client().items(Items(pagination: .pageNumber()), prefetch: prefetch).makeAsyncIterator()
            let first = try await items.next()
            do {
                _ = try await items.next()
                XCTFail("no failure")
            } catch {
                XCTAssertEqual((error as NetworkError).status, 500)
            }
            let second = try await items.next()
            let end = try await items.next()
            XCTAssertEqual([first, second, end], [1, 2, nil])
            XCTAssertEqual(
                targets(), ["/items?page=1", "/items?page=2", "/items?page=2", "/items?page=3"], "prefetch \(prefetch)")
        }
    }

    func testToken_takesTheWalkUpAgain() async throws {
        server.script(
            .get, "/items", [.json("{\"items\":[1],\"next\":\"c2\"}"), .json("{\"items\":[2]}"), .status(500)])
        let client = client()
        let api = Wrapped(pagination: .cursor(at: "next"))
        var pages = client.pages(api).makeAsyncIterator()
        let first = try await pages.next()
        XCTAssertNil(first?.token)
        let saved = try JSONEncoder().encode(try XCTUnwrap(first?.next))
        XCTAssertEqual(pages.token, first?.next)
        let token = try JSONDecoder().decode(PageToken.self, from: saved)
        let rest = try await collect(client.items(api, from: token))
        XCTAssertEqual(rest, [2])
        XCTAssertEqual(targets().last, "/items?cursor=c2")
    }

    // MARK: Prefetch

    func testPrefetch_asksAheadAndNoFurther() async throws {
        server.on(.get, "/items", .json("[1]"))
        var pages = client().pages(Items(pagination: .pageNumber()), prefetch: 3).makeAsyncIterator()
        XCTAssertEqual(server.requestCount, 0)
        _ = try await pages.next()
        // One that was pulled and three ahead; and no fifth while nobody pulls.
        _ = await server.waitForRequests(4)
        for _ in 0..<100 { await Task.yield() }
        XCTAssertEqual(server.requestCount, 4)
        _ = try await pages.next()
        _ = await server.waitForRequests(5)
    }

    func testPrefetch_givesTheSameItems() async throws {
        server.on(.get, "/items") { request in
            let page = Int(request.queryItems.first { $0.name == "page" }?.value ?? "") ?? 0
            return .json(page > 50 ? "[]" : "[\(page), \(-page)]")
        }
        for prefetch in [0, 1, 5] {
            let all = try await collect(client().items(Items(pagination: .pageNumber()), prefetch: prefetch))
            XCTAssertEqual(all, (1...50).flatMap { [$0, -$0] })
        }
    }

    /// The page that came while the consumer looked must not be taken for the one after it.
    func testPrefetch_keepsTheOrderWherePagesComeAtOnce() async throws {
        let transport = MockTransport.answering { request in
            let page = request.url.query()?.split(separator: "=").last.flatMap { Int($0) } ?? 0
            return .json(page > 30 ? "[]" : "[\(page)]")
        }
        let client = client { $0.transport = transport }
        for _ in 0..<100 {
            let all = try await collect(client.items(Items(pagination: .pageNumber()), prefetch: 3))
            guard all == Array(1...30) else { return XCTFail("\(all)") }
        }
    }

    func testToken_atTheEndOfNumbersEndsTheWalk() async throws {
        server.on(.get, "/items", .json("[1]"))
        let wrapped = Wrapped(pagination: .pageNumber(totalPages: "total"))
        for position: PageToken.Position in [.page(.max), .offset(.max)] {
            let style: Pagination = if case .page = position { .pageNumber() } else { .offset(limit: 1) }
            let all = try await collect(client().items(Items(pagination: style), from: PageToken(position)))
            XCTAssertEqual(all, [1])
        }
        server.on(.get, "/items", .json(#"{"items":[1],"total":3}"#))
        for position: PageToken.Position in [.page(.max), .page(.min)] {
            var pages = client().pages(wrapped, from: PageToken(position), maxPages: 1).makeAsyncIterator()
            let page = try await pages.next()
            XCTAssertEqual(page?.items, [1])
        }
    }

    func testPrefetch_endsWithItsConsumer() async throws {
        let cancelled = Gate()
        server.on(.get, "/items") { request in
            guard request.target.hasSuffix("page=2") else { return .json("[1]") }
            await request.waitForDisconnect()
            cancelled.open()
            return .json("[2]")
        }
        do {
            var pages = client().pages(Items(pagination: .pageNumber()), prefetch: 1).makeAsyncIterator()
            _ = try await pages.next()
            _ = await server.waitForRequests(2)
        }
        await cancelled.wait()
    }
}
