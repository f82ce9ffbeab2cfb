public import Ferry
public import Observation

/// A list that grows page by page, as a screen scrolls.
///
/// ```swift
/// import FerryUI
///
/// @MainActor func showRepos() async {
///     let model = PagedModel<Repo>(identifiedBy: \.name) { (cursor: Int?) throws(NetworkError) in
///         let number = cursor ?? 1
///         let repos: [Repo] = try await client.get("/repos", query: ["page": .init(number)])
///         return PagedModel.Page(repos, next: repos.isEmpty ? nil : number + 1)
///     }
///     await model.loadMore()      // when the last row appears
///     await model.refresh()       // on pull; the items stay until the first page is there
///     show("\(model.items.count)")
/// }
/// ```
@MainActor
@Observable
public final class PagedModel<Item: Sendable> {
    /// Where the list is.
    public enum State: Sendable {
        /// There is more to load.
        case idle
        /// A page is under way.
        case loading
        /// Every page was loaded.
        case end
        /// A page failed; the items before it are kept, and `loadMore` asks for it again.
        case failed(NetworkError)
    }

    /// One page and where the next one is.
    public struct Page<Cursor: Sendable>: Sendable {
        /// What is on the page.
        public let items: [Item]
        /// Where the next page is; nil where this was the last.
        public let next: Cursor?

        /// Creates a page.
        ///
        /// - Parameters:
        ///   - items: What is on the page.
        ///   - next: Where the next page is; nil where this was the last.
        public init(_ items: [Item], next: Cursor?) {
            self.items = items
            self.next = next
        }
    }

    /// Everything loaded so far, in order.
    public private(set) var items: [Item] = []
    /// Where the list is.
    public private(set) var state = State.idle

    /// A page, and how to load the one after it.
    private struct Step: Sendable {
        let items: [Item]
        let next: Fetch?
    }

    private struct Fetch: Sendable {
        let load: @Sendable () async throws(NetworkError) -> Step
    }

    @ObservationIgnored private let first: Fetch
    @ObservationIgnored private var next: Fetch?
    /// Whether the next page takes the place of all items: after a refresh that failed.
    @ObservationIgnored private var nextReplaces = false
    @ObservationIgnored private let identify: ((Item) -> AnyHashable)?
    @ObservationIgnored private var seen: Set<AnyHashable> = []
    @ObservationIgnored private var running: Task<Void, Never>?
    /// What `state` goes back to where the page under way is cancelled.
    @ObservationIgnored private var rest = State.idle
    /// Tells the page under way from those that another overtook.
    @ObservationIgnored private var generation = 0

    /// Creates a list.
    ///
    /// - Parameter page: Loads one page, at nil the first; it must end promptly when its task is cancelled.
    public init<Cursor: Sendable>(
        page: @escaping @Sendable (Cursor?) async throws(NetworkError) -> Page<Cursor>
    ) {
        first = Self.fetch(at: nil, page)
        next = first
        identify = nil
    }

    /// Creates a list that shows no item twice: of items with the same identity the first counts, as where a page moved
    /// while the user scrolled.
    ///
    /// - Parameters:
    ///   - identity: What tells two items apart.
    ///   - page: Loads one page, at nil the first; it must end promptly when its task is cancelled.
    public init<Cursor: Sendable, ID: Hashable>(
        identifiedBy identity: @escaping (Item) -> ID,
        page: @escaping @Sendable (Cursor?) async throws(NetworkError) -> Page<Cursor>
    ) {
        first = Self.fetch(at: nil, page)
        next = first
        identify = { AnyHashable(identity($0)) }
    }

    /// Whether a page is under way.
    public var isLoading: Bool { if case .loading = state { true } else { false } }
    /// What went wrong with the last page.
    public var error: NetworkError? { if case .failed(let error) = state { error } else { nil } }

    /// Loads the next page, and returns when it is there; joins a page that is under way, and does nothing at the end.
    ///
    /// Where the task that began it is cancelled, so is the page, and the list is as it was before.
    public func loadMore() async {
        if let running { return await running.value }
        guard let next else { return }
        await run(next, replaces: nextReplaces)
    }

    /// Begins anew with the first page; a page under way is cancelled. The items stay until the first page is there, also
    /// where it fails.
    public func refresh() async {
        running?.cancel()
        running = nil
        await run(first, replaces: true)
    }

    private func run(_ fetch: Fetch, replaces: Bool) async {
        if !isLoading { rest = state }
        state = .loading
        generation += 1
        let current = generation
        let task = Task { [weak self] in
            let outcome: Result<Step, NetworkError>
            do throws(NetworkError) {
                outcome = .success(try await fetch.load())
            } catch {
                outcome = .failure(error)
            }
            guard let self, self.generation == current else { return }
            self.running = nil
            switch outcome {
            case _ where Task.isCancelled: self.state = self.rest
            case .success(let step): self.take(step, replaces: replaces)
            case .failure(let error):
                (self.next, self.nextReplaces) = (fetch, replaces)
                self.state = .failed(error)
            }
        }
        running = task
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func take(_ step: Step, replaces: Bool) {
        var items = replaces ? [] : items
        if replaces { seen = [] }
        for item in step.items {
            if let identify, !seen.insert(identify(item)).inserted { continue }
            items.append(item)
        }
        self.items = items
        (next, nextReplaces) = (step.next, false)
        state = next == nil ? .end : .idle
    }

    private nonisolated static func fetch<Cursor: Sendable>(
        at cursor: Cursor?, _ page: @escaping @Sendable (Cursor?) async throws(NetworkError) -> Page<Cursor>
    ) -> Fetch {
        Fetch { () throws(NetworkError) in
            let loaded = try await page(cursor)
            return Step(items: loaded.items, next: loaded.next.map { fetch(at: $0, page) })
        }
    }
}
