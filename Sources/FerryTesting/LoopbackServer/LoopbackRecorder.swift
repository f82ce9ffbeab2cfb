import Synchronization

/// What a server has seen, and who waits to see more.
final class LoopbackRecorder: Sendable {
    private struct State {
        var requests: [LoopbackRequest] = []
        var requestCount = 0
        var rejections: [String] = []
        var accepted = 0
        var open = 0
        var isStopped = false
        var nextID: UInt64 = 0
        var waiters: [Waiter] = []
        var cancelledEarly: Set<UInt64> = []
    }

    /// What a waiter waits for.
    enum Condition: Sendable {
        case requests(Int)
        case accepted(Int)
        case noOpenConnection
    }

    private struct Waiter {
        let id: UInt64
        let condition: Condition
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Guards all counts: the loop's thread writes them, tests read them and wait.
    private let state = Mutex(State())
    /// How many requests are kept; the oldest go first.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var requests: [LoopbackRequest] { state.withLock { $0.requests } }
    var requestCount: Int { state.withLock { $0.requestCount } }
    var rejections: [String] { state.withLock { $0.rejections } }
    var accepted: Int { state.withLock { $0.accepted } }
    var open: Int { state.withLock { $0.open } }

    func record(_ request: LoopbackRequest) {
        change { state in
            state.requestCount += 1
            guard limit > 0 else { return }
            // Trimmed by halves, so that a full list costs nothing a request.
            if state.requests.count >= limit * 2 { state.requests.removeFirst(state.requests.count - limit) }
            state.requests.append(request)
        }
    }

    func reject(_ reason: String) { change { $0.rejections.append(reason) } }

    func connectionOpened() {
        change {
            $0.accepted += 1
            $0.open += 1
        }
    }

    func connectionClosed() { change { $0.open -= 1 } }

    func stop() { change { $0.isStopped = true } }

    func removeRequests() {
        change {
            $0.requests = []
            $0.requestCount = 0
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let ready = state.withLock { state -> [Waiter] in
            body(&state)
            guard !state.waiters.isEmpty else { return [] }
            let waiters = state.waiters
            state.waiters = waiters.filter { !Self.isMet($0.condition, state) }
            return waiters.filter { Self.isMet($0.condition, state) }
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    private static func isMet(_ condition: Condition, _ state: State) -> Bool {
        if state.isStopped { return true }
        return switch condition {
        case .requests(let count): state.requestCount >= count
        case .accepted(let count): state.accepted >= count
        case .noOpenConnection: state.open == 0
        }
    }

    /// Waits until the condition is met, the server has stopped or the task is cancelled.
    func wait(for condition: Condition) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if Self.isMet(condition, state) || state.cancelledEarly.remove(id) != nil { return true }
                    state.waiters.append(Waiter(id: id, condition: condition, continuation: continuation))
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                    state.cancelledEarly.insert(id)
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            waiter?.continuation.resume()
        }
        state.withLock { _ = $0.cancelledEarly.remove(id) }
    }
}
