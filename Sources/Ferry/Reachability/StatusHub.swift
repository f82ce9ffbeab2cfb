import Synchronization

/// Keeps the last status and tells each subscriber the changes.
package final class StatusHub: Sendable {
    private struct State {
        var status: NetworkStatus
        var isFinished = false
        var lastID: UInt64 = 0
        var subscribers: [UInt64: AsyncStream<NetworkStatus>.Continuation] = [:]
    }

    /// Guards the status and the subscribers: reports come on a thread of the system's. Statuses are handed on under
    /// it, so that nobody sees two of them in another order.
    private let state: Mutex<State>

    package init(_ status: NetworkStatus = .unknown) { state = Mutex(State(status: status)) }

    package var status: NetworkStatus { state.withLock { $0.status } }

    package var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// Changes the status, and tells where it is another and known.
    package func report(_ status: NetworkStatus) {
        state.withLock { state in
            guard !state.isFinished, status != .unknown, state.status != status else { return }
            state.status = status
            for subscriber in state.subscribers.values { subscriber.yield(status) }
        }
    }

    /// A subscription: the current status where it is known, then the changes.
    package func subscribe() -> AsyncStream<NetworkStatus> {
        // Unbounded, for a change must not be lost; networks do not change often enough to matter.
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkStatus.self)
        let id = state.withLock { state -> UInt64? in
            if state.status != .unknown { continuation.yield(state.status) }
            guard !state.isFinished else { return nil }
            state.lastID += 1
            state.subscribers[state.lastID] = continuation
            return state.lastID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return stream
    }

    /// Ends every subscription.
    package func finish() {
        let subscribers = state.withLock { state in
            state.isFinished = true
            defer { state.subscribers = [:] }
            return state.subscribers.values.map(\.self)
        }
        for subscriber in subscribers { subscriber.finish() }
    }

    private func remove(_ id: UInt64) {
        state.withLock { _ = $0.subscribers.removeValue(forKey: id) }
    }
}
