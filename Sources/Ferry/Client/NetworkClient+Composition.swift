import Synchronization

/// Several calls at once.
extension NetworkClient {
    /// Makes calls at once and gives all their values.
    ///
    /// ```swift
    /// let (user, repos) = try await client.all(GetUser(id: 1), ListRepos(owner: "ada"))
    /// ```
    ///
    /// The first failure cancels the other calls, and is thrown once they have ended: nothing of them runs on.
    ///
    /// - Parameter api: The calls, of any types.
    /// - Returns: The values in the order of the calls.
    /// - Throws: The error of the call that failed first; `cancelled` where the task is cancelled.
    public nonisolated func all<each A: Api>(
        _ api: repeat each A
    ) async throws(NetworkError) -> (repeat (each A).Response) {
        let group = CallGroup()
        let tasks = (repeat start(each api, in: group))
        try await group.wait()
        return try await (repeat (each tasks).value.get())
    }

    private nonisolated func start<A: Api>(
        _ api: A, in group: CallGroup
    ) -> Task<Result<A.Response, NetworkError>, Never> {
        let task = Task { () async -> Result<A.Response, NetworkError> in
            do throws(NetworkError) {
                return .success(try await request(api))
            } catch {
                group.failed(error)
                return .failure(error)
            }
        }
        group.add(cancel: { task.cancel() }, end: { _ = await task.value })
        return task
    }

    /// Makes calls of one type, a number of them at a time, and gives each one's value or error.
    ///
    /// ```swift
    /// for await result in client.results(of: ids.map { GetUser(id: $0) }, maxConcurrency: 8) {
    ///     print(result.index, try result.value.name)
    /// }
    /// ```
    ///
    /// Nothing is sent before the first result is asked for, and a call only begins while fewer than `maxConcurrency`
    /// results are on their way or not taken yet. No failure ends another call. Leaving the loop cancels what runs;
    /// in a cancelled task the remaining results are `cancelled`.
    ///
    /// - Parameters:
    ///   - apis: The calls.
    ///   - maxConcurrency: Most calls at a time; below one counts as one. Default 6.
    ///   - order: Default `.input`.
    public nonisolated func results<A: Api>(
        of apis: [A], maxConcurrency: Int = 6, order: CallResults<A.Response>.Order = .input
    ) -> CallResults<A.Response> {
        CallResults(count: apis.count, maxConcurrency: max(1, maxConcurrency), order: order) { index in
            do throws(NetworkError) {
                return .success(try await self.request(apis[index]))
            } catch {
                return .failure(error)
            }
        }
    }
}

/// Calls that stand or fall together.
private final class CallGroup: Sendable {
    private struct State {
        var cancels: [@Sendable () -> Void] = []
        var ends: [@Sendable () async -> Void] = []
        var error: NetworkError?
    }

    /// Guards members and error: calls fail on other threads while later ones are still being added.
    private let state = Mutex(State())

    func add(cancel: @escaping @Sendable () -> Void, end: @escaping @Sendable () async -> Void) {
        let hasFailed = state.withLock { state in
            state.cancels.append(cancel)
            state.ends.append(end)
            return state.error != nil
        }
        if hasFailed { cancel() }
    }

    func failed(_ error: NetworkError) {
        let cancels = state.withLock { state in
            state.error = state.error ?? error
            return state.cancels
        }
        for cancel in cancels { cancel() }
    }

    /// Waits until every call has ended, and throws the first error.
    func wait() async throws(NetworkError) {
        let ends = state.withLock { $0.ends }
        await withTaskCancellationHandler {
            for end in ends { await end() }
        } onCancel: {
            failed(.cancelled)
        }
        if let error = state.withLock({ $0.error }) { throw error }
    }
}
