import Synchronization

/// A latch that a test opens once and any number of tasks wait for.
///
/// ```swift
/// let gate = Gate()
/// server.on(.get, "/slow") { _ in
///     await gate.wait()               // answers when the test says so: no sleeping
///     return .text("late")
/// }
/// gate.open()
/// ```
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var nextID: UInt64 = 0
        var waiters: [(id: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
        var cancelledEarly: Set<UInt64> = []
    }

    /// Guards the latch and its waiters: it is opened on one thread while tasks wait on others.
    private let state = Mutex(State())

    /// Creates a closed gate.
    public init() {}

    /// Whether the gate was opened.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Opens the gate for good. Opening it again does nothing.
    public func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Waits until the gate is open.
    ///
    /// Returns early when the task is cancelled, as a handler's task is when its client has gone or the server stops.
    public func wait() async {
        let id: UInt64? = state.withLock { state in
            if state.isOpen { return nil }
            state.nextID += 1
            return state.nextID
        }
        guard let id else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.isOpen || state.cancelledEarly.remove(id) != nil { return true }
                    state.waiters.append((id, continuation))
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            cancel(id)
        }
        // A cancel that came after the wake left its mark behind.
        state.withLock { _ = $0.cancelledEarly.remove(id) }
    }

    private func cancel(_ id: UInt64) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                state.cancelledEarly.insert(id)
                return nil
            }
            return state.waiters.remove(at: index).continuation
        }
        waiter?.resume()
    }
}
