import Synchronization

/// A value that tasks change and wait for: a lock with a condition.
///
/// Every change wakes all who wait, and each looks again. Meant for few waiters.
package final class Watched<Value: Sendable>: Sendable {
    /// Guards the value and its waiters: events come on any thread, readers wait in their tasks.
    private let state: Mutex<State>

    private struct State: Sendable {
        var value: Value
        var lastID: UInt64 = 0
        var waiters: [UInt64: @Sendable () -> Void] = [:]
        /// Waits that were cancelled before they began.
        var cancelledEarly: Set<UInt64> = []

        mutating func takeWaiters() -> [@Sendable () -> Void] {
            guard !waiters.isEmpty else { return [] }
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    /// Reads the value.
    package func read<Result: Sendable>(_ body: (Value) -> Result) -> Result { state.withLock { body($0.value) } }

    /// Changes the value and wakes who waits.
    @discardableResult
    package func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, waiters) = state.withLock { state in (body(&state.value), state.takeWaiters()) }
        for wake in waiters { wake() }
        return result
    }

    /// Waits until a condition gives something; it may change the value then, and others who wait look again.
    ///
    /// - Parameter condition: Gives nil while there is nothing. Called under the lock: it must be quick.
    /// - Returns: What it gave, or nil promptly where the task is cancelled.
    package func wait<Result: Sendable>(for condition: @escaping @Sendable (inout Value) -> Result?) async -> Result? {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { state.withLock { _ = $0.cancelledEarly.remove(id) } }
        while !Task.isCancelled {
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: CheckedContinuation<Result?, Never>) in
                    enter(id, condition, continuation)
                }
            } onCancel: {
                cancel(id)
            }
            if let result { return result }
        }
        return nil
    }

    private func enter<Result: Sendable>(
        _ id: UInt64, _ condition: @Sendable (inout Value) -> Result?,
        _ continuation: CheckedContinuation<Result?, Never>
    ) {
        let (result, isWaiting, others) = state.withLock { state -> (Result?, Bool, [@Sendable () -> Void]) in
            if let result = condition(&state.value) { return (result, false, state.takeWaiters()) }
            if state.cancelledEarly.contains(id) { return (nil, false, []) }
            state.waiters[id] = { continuation.resume(returning: nil) }
            return (nil, true, [])
        }
        if !isWaiting { continuation.resume(returning: result) }
        for wake in others { wake() }
    }

    private func cancel(_ id: UInt64) {
        let wake = state.withLock { state in
            let wake = state.waiters.removeValue(forKey: id)
            if wake == nil { state.cancelledEarly.insert(id) }
            return wake
        }
        wake?()
    }
}
