import Synchronization

/// Where the exchanges of a client wait for their slots: the asynchronous face of `ThrottleStateMachine`.
package final class ThrottleGate: Sendable {
    package typealias Ticket = ThrottleStateMachine.Ticket

    private let clock: any NetworkClock
    /// Guards the queues and who sleeps in them: calls come, go and are cancelled on any thread. Continuations are
    /// resumed outside of it.
    private let state: Mutex<State>

    fileprivate struct State {
        var machine: ThrottleStateMachine
        var waiters: [Ticket: Waiter] = [:]
        var wakeAt: Duration?
        var timer: Task<Void, Never>?
    }

    /// One that waits: its continuation comes later than its ticket, and its outcome may come before it.
    fileprivate struct Waiter {
        var continuation: CheckedContinuation<Outcome, Never>?
        var outcome: Outcome?
    }

    fileprivate enum Outcome {
        case granted
        case cancelled
        case expired
    }

    package init(_ throttle: Throttle, clock: any NetworkClock) {
        self.clock = clock
        state = Mutex(State(machine: ThrottleStateMachine(throttle)))
    }

    deinit { state.withLock { $0.timer?.cancel() } }

    package var grantedCount: Int { state.withLock { $0.machine.grantedCount } }
    package var queuedCount: Int { state.withLock { $0.machine.queuedCount } }

    /// Waits for a slot.
    ///
    /// - Returns: The slot, which is given back when it is released or dropped.
    /// - Throws: `NetworkError`: `cancelled` promptly when the task is cancelled, the total time-out when it comes.
    package func acquire(
        _ origin: Origin, priority: CallPriority, context: CallContext
    ) async throws(NetworkError) -> ThrottleSlot {
        if Task.isCancelled { throw .cancelled }
        let start = clock.now
        // Whatever took the time above, such as a device that slept between two attempts: nothing is sent any more.
        if let deadline = context.deadline, deadline <= start {
            throw .timedOut(.total, after: context.timeouts.total)
        }
        let (ticket, isGranted) = update(at: start) { machine, waiters -> ((Ticket, Bool), [Ticket]) in
            let (ticket, granted) = machine.acquire(origin, priority: priority, at: start)
            if granted.contains(ticket) { return ((ticket, true), granted) }
            waiters[ticket] = Waiter()
            return ((ticket, false), granted)
        }
        let slot = ThrottleSlot(gate: self, ticket: ticket)
        if isGranted { return slot }

        defer { context.waited(queued: clock.now - start) }
        let expiry = Expiry(deadline: context.deadline, gate: self, ticket: ticket)
        let token = context.deadlines.begin(expiry)
        defer { if let token { context.deadlines.end(token) } }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { enter(ticket, $0) }
        } onCancel: {
            abandon(ticket, .cancelled)
        }
        switch outcome {
        case .granted: return slot
        case .cancelled: throw .cancelled
        case .expired: throw .timedOut(.total, after: context.timeouts.total)
        }
    }

    /// Leaves a host alone for a time.
    package func hold(_ origin: Origin, for time: Duration) {
        let now = clock.now
        update(at: now) { machine, _ in
            machine.endHolds(at: now)
            machine.hold(origin, until: now + time)
            return ((), [])
        }
    }

    fileprivate func release(_ ticket: Ticket) {
        let now = clock.now
        update(at: now) { machine, _ in ((), machine.release(ticket, at: now)) }
    }

    /// Ends a wait; has no effect on a ticket that got its slot.
    fileprivate func abandon(_ ticket: Ticket, _ outcome: Outcome) {
        let continuation = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.machine.cancel(ticket) else { return nil }
            return state.settle(ticket, outcome)
        }
        continuation?.resume(returning: outcome)
    }

    private func enter(_ ticket: Ticket, _ continuation: CheckedContinuation<Outcome, Never>) {
        let outcome = state.withLock { state -> Outcome? in
            if let outcome = state.waiters[ticket]?.outcome {
                state.waiters[ticket] = nil
                return outcome
            }
            state.waiters[ticket]?.continuation = continuation
            return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
    }

    /// Changes the machine, wakes whoever got a slot and sets the timer.
    @discardableResult
    private func update<Result: Sendable>(
        at now: Duration,
        _ change: (inout ThrottleStateMachine, inout [Ticket: Waiter]) -> (Result, [Ticket])
    ) -> Result {
        let (result, woken) = state.withLock { state in
            let (result, granted) = change(&state.machine, &state.waiters)
            let woken = granted.compactMap { state.settle($0, .granted) }
            setTimer(&state, at: now)
            return (result, woken)
        }
        for continuation in woken { continuation.resume(returning: .granted) }
        return result
    }

    /// Sleeps until time alone can free something: a token of the rate limit, or a host that was held.
    private func setTimer(_ state: inout State, at now: Duration) {
        guard let next = state.machine.nextWake(at: now), next < state.wakeAt ?? next + .seconds(1) else { return }
        state.timer?.cancel()
        state.wakeAt = next
        // Weak, so that a client that is gone leaves no sleeper behind.
        state.timer = Task { [weak self, clock] in
            guard (try? await clock.sleep(until: next)) != nil else { return }
            self?.wake(next)
        }
    }

    private func wake(_ instant: Duration) {
        state.withLock { if $0.wakeAt == instant { $0.wakeAt = nil } }
        let now = max(clock.now, instant)
        update(at: now) { machine, _ in
            machine.endHolds(at: now)
            return ((), machine.dispatch(at: now))
        }
    }
}

extension ThrottleGate.State {
    /// Ends a wait: gives the continuation to resume, or leaves the outcome for the one that is about to wait.
    fileprivate mutating func settle(
        _ ticket: ThrottleGate.Ticket, _ outcome: ThrottleGate.Outcome
    ) -> CheckedContinuation<ThrottleGate.Outcome, Never>? {
        guard let waiter = waiters[ticket] else { return nil }
        if let continuation = waiter.continuation {
            waiters[ticket] = nil
            return continuation
        }
        waiters[ticket]?.outcome = outcome
        return nil
    }
}

/// A slot that was given out; goes back when it is released or dropped.
package final class ThrottleSlot: Sendable {
    private let gate: ThrottleGate
    private let ticket: ThrottleGate.Ticket
    private let isHeld = Atomic(true)

    fileprivate init(gate: ThrottleGate, ticket: ThrottleGate.Ticket) {
        self.gate = gate
        self.ticket = ticket
    }

    deinit { release() }

    /// Gives the slot back; the second time has no effect.
    package func release() {
        if isHeld.exchange(false, ordering: .acquiringAndReleasing) { gate.release(ticket) }
    }
}

/// Ends the wait of a call whose time is up.
private final class Expiry: DeadlineWatched {
    let deadline: Duration?
    let ticket: ThrottleGate.Ticket
    weak let gate: ThrottleGate?

    init(deadline: Duration?, gate: ThrottleGate, ticket: ThrottleGate.Ticket) {
        self.deadline = deadline
        self.gate = gate
        self.ticket = ticket
    }

    func nextDeadline() -> Duration? { deadline }

    func deadlinePassed(now: Duration) {
        if let deadline, deadline <= now { gate?.abandon(ticket, .expired) }
    }
}
