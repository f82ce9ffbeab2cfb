import Synchronization

/// Tasks that nobody waits for; they are cancelled when their owner goes.
///
/// A task holds the chain that it uses, so the chain must not own it: the client does, and the chain knows it weakly.
package final class BackgroundTasks: Sendable {
    private struct State {
        var tasks: [EntryPlace: Task<Void, Never>] = [:]
        var isOver = false
    }

    /// Guards the tasks: they begin on any thread and end on others.
    private let state = Mutex(State())

    package init() {}

    deinit { cancelAll() }

    /// How many tasks run.
    package var count: Int { state.withLock { $0.tasks.count } }

    /// Starts a task unless one runs for that place already, or all were cancelled.
    package func start(_ place: EntryPlace, _ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isOver, state.tasks[place] == nil else { return }
            state.tasks[place] = Task { [weak self] in
                await work()
                self?.state.withLock { _ = $0.tasks.removeValue(forKey: place) }
            }
        }
    }

    /// Cancels all tasks for good.
    package func cancelAll() {
        let tasks = state.withLock { state in
            state.isOver = true
            defer { state.tasks = [:] }
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}
