import Ferry
import FerryTesting
import Foundation

private struct ListRepos: Paginated {
    typealias Response = [Repo]
    let path = "/users/ada/repos"
    var pagination: Pagination { .linkHeader(size: ("per_page", 2)) }
}

private struct Timeline: Paginated {
    typealias Response = [String]
    let path = "/timeline"
    let responseKeyPath: JSONKeyPath? = "items"
    var pagination: Pagination { .cursor(at: "cursor.next", parameter: "after") }
}

extension Chapter {
    static let pagingByLinks = Chapter(
        "paging-by-links", "every item of every page, in one loop over Link fields", needsServer: true,
        code: """
            struct ListRepos: Paginated {
                typealias Response = [Repo]
                let path = "/users/ada/repos"
                var pagination: Pagination { .linkHeader(size: ("per_page", 2)) }
            }
            for try await repo in client.items(ListRepos()) { names.append(repo.name) }
            """
    ) { stage in
        let server = try stage.server.loopback
        let all = ["abacus", "barge", "canal", "dock", "estuary"]
        server.on(.get, "/users/ada/repos") { request in
            let query = Dictionary(request.queryItems.map { ($0.name, $0.value ?? "") }) { first, _ in first }
            let page = query["page"].flatMap { Int($0) } ?? 1
            let size = query["per_page"].flatMap { Int($0) } ?? 30
            let repos = all.dropFirst((page - 1) * size).prefix(size).map { #"{"name": "\#($0)", "stars": 1}"# }
            let response = LoopbackResponse.json("[\(repos.joined(separator: ", "))]")
            guard page * size < all.count else { return response }
            return response.header("Link", "<?page=\(page + 1)&per_page=\(size)>; rel=\"next\"")
        }
        let client = stage.client()
        let earlier = server.requests.count
        var names: [String] = []
        for try await repo in client.items(ListRepos()) { names.append(repo.name) }
        stage.show(names.joined(separator: ", "))
        try stage.expect(names == all, "all five repositories in order")
        let queries = server.requests.dropFirst(earlier).filter { $0.path == "/users/ada/repos" }.map { $0.query ?? "" }
        try stage.expect(
            queries == ["per_page=2", "page=2&per_page=2", "page=3&per_page=2"], "three requests, not \(queries)")
    }

    static let pagingByCursor = Chapter(
        "paging-by-cursor", "a page that fails is asked for again; a saved token takes the walk up again later",
        needsServer: true,
        code: """
            struct Timeline: Paginated {
                typealias Response = [String]
                let path = "/timeline"
                let responseKeyPath: JSONKeyPath? = "items"
                var pagination: Pagination { .cursor(at: "cursor.next", parameter: "after") }
            }
            var pages = client.pages(Timeline()).makeAsyncIterator()
            let first = try await pages.next()
            let failed = try await pages.next()
            let second = try await pages.next()
            let saved = second?.next
            for try await item in client.items(Timeline(), from: saved) { rest.append(item) }
            """
    ) { stage in
        let server = try stage.server.loopback
        server.script(
            .get, "/timeline",
            [
                .json(#"{"items": ["one", "two"], "cursor": {"next": "c2"}}"#),
                .status(.serviceUnavailable),
                .json(#"{"items": ["three"], "cursor": {"next": "c3"}}"#),
                .json(#"{"items": ["four"], "cursor": {"next": null}}"#),
            ])
        let client = stage.client()
        let earlier = server.requests.count
        var pages = client.pages(Timeline()).makeAsyncIterator()
        let first = try await pages.next()
        stage.show(first?.items ?? [])
        do {
            let failed = try await pages.next()
            throw Unexpected("expected an error, not \(String(describing: failed?.items))")
        } catch let error as NetworkError {
            stage.show(error)
            try stage.expect(error.status == .serviceUnavailable, "503")
        }
        let second = try await pages.next()
        stage.show(second?.items ?? [])
        let saved = second?.next
        var rest: [String] = []
        for try await item in client.items(Timeline(), from: saved) { rest.append(item) }
        stage.show(rest)
        try stage.expect(first?.items == ["one", "two"] && second?.items == ["three"], "two pages, none lost")
        try stage.expect(rest == ["four"], "what comes behind the saved token")
        let queries = server.requests.dropFirst(earlier).filter { $0.path == "/timeline" }.map { $0.query ?? "" }
        try stage.expect(queries == ["", "after=c2", "after=c2", "after=c3"], "four requests, not \(queries)")
    }
}
