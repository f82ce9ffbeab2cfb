import Foundation
import Synchronization

/// The consumer's hold on a walk: when it goes, prefetching ends.
final class PageSource<Value: Paginated>: Sendable {
    let fetcher: PageFetcher<Value>

    init(_ pages: Pages<Value>) { fetcher = PageFetcher(pages) }

    deinit { fetcher.stop() }
}

/// Asks for the pages of one walk, ahead of its consumer where it may.
///
/// One consumer pulls; with prefetch, one task at a time asks for the following pages and leaves them here.
final class PageFetcher<Value: Paginated>: Sendable {
    private let pages: Pages<Value>
    private let pagination: Pagination
    /// Guards the walk and the pages that wait: the consumer and the prefetching task both advance it.
    private let state: Mutex<State>

    private struct State {
        var walk: PageWalk
        var ready: [Page<Value>] = []
        /// Asks for the next page; nil where nobody does.
        var fetch: Task<Result<Page<Value>?, NetworkError>, Never>?
        var isStopped = false
    }

    init(_ pages: Pages<Value>) {
        self.pages = pages
        pagination = pages.api.pagination
        state = Mutex(
            State(walk: PageWalk(pagination, call: pages.api.call, from: pages.start, maxPages: pages.maxPages)))
    }

    /// Ends prefetching for good.
    func stop() {
        let fetch = state.withLock { state in
            state.isStopped = true
            return state.fetch.take()
        }
        fetch?.cancel()
    }

    var token: PageToken? {
        state.withLock { $0.ready.first.map(\.token) ?? $0.walk.token }
    }

    func next() async throws(NetworkError) -> Page<Value>? {
        guard pages.prefetch > 0 else { return try await ask() }
        // One look at both: what is under way while nothing is ready is the next page, and not the one after it.
        let (ready, fetch) = state.withLock { state in
            let page = takeReady(&state)
            startFetching(&state)
            return (page, state.fetch)
        }
        guard ready == nil, let fetch else { return ready }
        let result = await withTaskCancellationHandler {
            await fetch.value
        } onCancel: {
            fetch.cancel()
        }
        _ = try result.get()
        return state.withLock { state in
            let page = takeReady(&state)
            startFetching(&state)
            return page
        }
    }

    private func takeReady(_ state: inout State) -> Page<Value>? {
        state.ready.isEmpty ? nil : state.ready.removeFirst()
    }

    /// Begins to ask for the next page where nobody does and there is room for it.
    private func startFetching(_ state: inout State) {
        guard state.fetch == nil, !state.isStopped, !state.walk.isFinished, state.ready.count < pages.prefetch
        else { return }
        state.fetch = Task { await self.fetch() }
    }

    private func fetch() async -> Result<Page<Value>?, NetworkError> {
        do throws(NetworkError) {
            let page = try await ask()
            state.withLock { state in
                if let page { state.ready.append(page) }
                state.fetch = nil
                startFetching(&state)
            }
            return .success(page)
        } catch {
            // The walk stands where it stood: whoever pulls next asks for the same page again.
            state.withLock { $0.fetch = nil }
            return .failure(error)
        }
    }

    /// Asks for the next page and advances the walk, which stays where it is when this throws.
    private func ask() async throws(NetworkError) -> Page<Value>? {
        let base = pages.client.configuration.baseURL
        let begun = state.withLock { state -> Result<(PageToken?, NetworkCall)?, NetworkError> in
            guard !state.walk.isFinished else { return .success(nil) }
            do throws(NetworkError) {
                return .success((state.walk.token, try state.walk.nextCall(base: base)))
            } catch {
                return .failure(error)
            }
        }
        guard let (token, call) = try begun.get() else { return nil }
        let api = pages.api
        let response = try await pages.client.make(call) { content throws(NetworkError) in try api.decode(content) }
        let items = api.items(of: response.value)
        let position = try pagination.position(
            after: PageContent(
                head: response.head, body: response.body, token: token, itemCount: items.count,
                decoder: call.decoder ?? pages.client.configuration.decoder))
        let next = state.withLock { state in
            state.walk.advance(to: position, from: response.head.url)
            return state.walk.token
        }
        return Page(items: items, response: response, token: token, next: next)
    }
}
