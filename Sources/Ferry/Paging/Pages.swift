/// One page.
public struct Page<Value: Paginated>: Sendable {
    /// The items.
    public let items: [Value.Item]
    /// The response that they came in.
    public let response: Response<Value.Response>
    /// What the page was asked for with; nil for the first.
    public let token: PageToken?
    /// What the next page is asked for with, also behind the last page that `maxPages` allows; nil where there is none.
    public let next: PageToken?
}

/// The pages of an Api, asked for one after the other as they are pulled.
///
/// No request is made beyond the pages that are pulled, and those that `prefetch` allows. A page that fails throws, and
/// `next()` of the same iterator asks for that page again: nothing that came is lost. Each iterator walks by itself.
///
/// ## Step by step
///
/// Describe the list, and how its next page is found:
///
/// ```swift
/// struct ListBooks: Paginated {
///     typealias Response = [String]
///     var path: String { "/books" }
///     var query: Parameters { ["per_page": 2] }
///     var responseKeyPath: JSONKeyPath? { "books" }
///     var pagination: Pagination { .cursor(at: "next", parameter: "after") }
/// }
/// ```
///
/// Read items; a page is asked for when its first item is wanted:
///
/// ```swift
/// var titles: [String] = []
/// for try await title in client.items(ListBooks(), maxItems: 3) { titles.append(title) }
/// ```
///
/// Or read whole pages, and keep where you were:
///
/// ```swift
/// var bookmark: PageToken?
/// for try await page in client.pages(ListBooks()) {
///     titles = page.items
///     bookmark = page.next
///     break
/// }
/// ```
///
/// A token can be saved and the walk taken up again, here with one page asked for ahead:
///
/// ```swift
/// let saved = try JSONEncoder().encode(bookmark)
/// let start = try JSONDecoder().decode(PageToken.self, from: saved)
/// for try await page in client.pages(ListBooks(), from: start, prefetch: 1) { titles += page.items }
/// ```
public struct Pages<Value: Paginated>: AsyncSequence, Sendable {
    /// A page.
    public typealias Element = Page<Value>
    /// Every failure is a `NetworkError`.
    public typealias Failure = NetworkError

    let client: NetworkClient
    let api: Value
    let start: PageToken?
    let maxPages: Int
    let prefetch: Int

    /// Begins a walk.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: PageSource(self))
    }

    /// Pulls pages.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: PageSource<Value>

        /// The next page, or nil behind the last.
        ///
        /// - Throws: `NetworkError`; the next call asks for the same page again.
        public mutating func next() async throws(NetworkError) -> Page<Value>? { try await source.fetcher.next() }

        /// The next page, or nil behind the last.
        ///
        /// - Throws: `NetworkError`; the next call asks for the same page again.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Page<Value>? {
            try await source.fetcher.next()
        }

        /// What the next page is asked for with, to take the walk up again later, also where `maxPages` ended it; nil before
        /// the first page and behind the list's last.
        public var token: PageToken? { source.fetcher.token }
    }
}

@available(*, unavailable)
extension Pages.Iterator: Sendable {}

/// The items of an Api, page after page; see ``Pages``.
public struct PageItems<Value: Paginated>: AsyncSequence, Sendable {
    /// An item.
    public typealias Element = Value.Item
    /// Every failure is a `NetworkError`.
    public typealias Failure = NetworkError

    let pages: Pages<Value>
    let maxItems: Int

    /// Begins a walk.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator(), remaining: maxItems) }

    /// Pulls items.
    public struct Iterator: AsyncIteratorProtocol {
        private var pages: Pages<Value>.Iterator
        private var items: ArraySlice<Value.Item> = []
        private var remaining: Int

        fileprivate init(pages: Pages<Value>.Iterator, remaining: Int) {
            self.pages = pages
            self.remaining = remaining
        }

        /// The next item, or nil behind the last.
        ///
        /// - Throws: `NetworkError`; the next call asks for the same page again.
        public mutating func next() async throws(NetworkError) -> Value.Item? { try await next(isolation: nil) }

        /// The next item, or nil behind the last.
        ///
        /// - Throws: `NetworkError`; the next call asks for the same page again.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Value.Item? {
            guard remaining > 0 else { return nil }
            while items.isEmpty {
                guard let page = try await pages.next(isolation: actor) else { return nil }
                items = page.items[...]
            }
            remaining -= 1
            return items.popFirst()
        }
    }
}

@available(*, unavailable)
extension PageItems.Iterator: Sendable {}

extension NetworkClient {
    /// The pages of an Api, lazily.
    ///
    /// - Parameters:
    ///   - api: What to page through.
    ///   - start: Where to go on; nil, the default, begins with the first page.
    ///   - maxPages: Most pages to ask for. Default: no limit.
    ///   - prefetch: How many pages are asked for ahead of the consumer, and at most held in memory. Default 0.
    public nonisolated func pages<Value: Paginated>(
        _ api: Value, from start: PageToken? = nil, maxPages: Int = .max, prefetch: Int = 0
    ) -> Pages<Value> {
        Pages(client: self, api: api, start: start, maxPages: maxPages, prefetch: max(0, prefetch))
    }

    /// The items of an Api, lazily.
    ///
    /// - Parameters:
    ///   - api: What to page through.
    ///   - start: Where to go on; nil, the default, begins with the first page.
    ///   - maxItems: Most items to give. Default: no limit.
    ///   - maxPages: Most pages to ask for. Default: no limit.
    ///   - prefetch: How many pages are asked for ahead of the consumer, and at most held in memory. Default 0.
    public nonisolated func items<Value: Paginated>(
        _ api: Value, from start: PageToken? = nil, maxItems: Int = .max, maxPages: Int = .max, prefetch: Int = 0
    ) -> PageItems<Value> {
        PageItems(
            pages: pages(api, from: start, maxPages: maxPages, prefetch: prefetch), maxItems: maxItems)
    }
}
