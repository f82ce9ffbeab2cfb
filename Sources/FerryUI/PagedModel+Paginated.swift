public import Ferry

extension PagedModel {
    /// Creates a list of the items of a paginated Api.
    ///
    /// ```swift
    /// import FerryUI
    ///
    /// @MainActor func showRepos(of owner: String) async {
    ///     let model = PagedModel(client, ListRepos(owner: owner))
    ///     await model.loadMore()
    ///     show("\(model.items.count)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - client: Makes the calls.
    ///   - api: What to page through.
    public convenience init<Value: Paginated>(_ client: NetworkClient, _ api: Value) where Value.Item == Item {
        self.init(page: Self.page(client, api))
    }

    /// Creates a list of the items of a paginated Api that shows no item twice: of items with the same identity the first
    /// counts.
    ///
    /// - Parameters:
    ///   - client: Makes the calls.
    ///   - api: What to page through.
    ///   - identity: What tells two items apart.
    public convenience init<Value: Paginated, ID: Hashable>(
        _ client: NetworkClient, _ api: Value, identifiedBy identity: @escaping (Item) -> ID
    ) where Value.Item == Item {
        self.init(identifiedBy: identity, page: Self.page(client, api))
    }

    /// Loads the page at a place, by a walk of its own: the model keeps the place, also across failures.
    private static func page<Value: Paginated>(
        _ client: NetworkClient, _ api: Value
    ) -> @Sendable (PagePlace?) async throws(NetworkError) -> Page<PagePlace> where Value.Item == Item {
        { place throws(NetworkError) in
            var pages = client.pages(api, from: place?.token).makeAsyncIterator()
            guard let page = try await pages.next() else { return Page([], next: nil) }
            guard let next = page.next else { return Page(page.items, next: nil) }
            let before = place?.tokens ?? []
            guard !before.contains(next) else {
                throw NetworkError(.paging, "The next page is one that came before: the list would never end")
            }
            return Page(page.items, next: PagePlace(token: next, tokens: before.union([next])))
        }
    }
}

/// Where a list goes on.
private struct PagePlace: Sendable {
    let token: PageToken
    /// What every page so far was asked for with, this one included: each walk is new and knows of none before it.
    let tokens: Set<PageToken>
}
