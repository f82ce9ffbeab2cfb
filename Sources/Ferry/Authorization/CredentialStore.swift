import Synchronization

/// Holds a credential, and renews it once for all calls that need it.
///
/// ```swift
/// let session = CredentialStore(bearer: saved, onChange: { keychain.save($0) }) { old, context in
///     try await context.client.request(RefreshToken(old.refreshToken)).credential
/// }
/// let client = NetworkClient(baseURL: url) { $0.authorization = .refreshing(session) }
/// ```
///
/// - Calls that meet a 401 together, start while a refresh runs, or find the credential expired, wait for one refresh
///   and are sent with its result. A call is sent again after a 401 once; a second 401 is handed out.
/// - A 401 for a credential that was replaced meanwhile is sent again with the current one, without a refresh.
/// - A failed refresh fails its waiters, and the calls that were sent before it failed, with the same error; the next
///   call may try again. A final failure (``Authenticator/isFinal(_:)``) removes the credential, any other keeps it.
/// - A waiting call that is cancelled or reaches its total time-out ends alone; the refresh goes on.
/// - A body that cannot be replayed is not sent again: its 401 is handed out, and the refresh goes on for later calls.
/// - A sign-out drops a running refresh. No call that was sent or waits before it is sent with a credential that comes
///   after it.
///
/// Without a credential requests go out without one.
public final class CredentialStore<A: Authenticator>: Sendable {
    /// The kind of credential.
    public typealias Credential = A.Credential

    typealias Machine = CredentialStateMachine<Credential>
    typealias Outcome = Result<Machine.Grant, NetworkError>

    let authenticator: A
    private let onChange: (@Sendable (Credential?) -> Void)?
    /// Guards machine, waiters, refresh and changes: calls come, wait and are cancelled on many threads, and each
    /// decision must see all earlier ones.
    private let state: Mutex<State>

    private enum Slot {
        case registered
        case waiting(CheckedContinuation<Outcome, Never>)
        case ready(Outcome)
    }

    private struct State {
        var machine: Machine
        var lastWaiter: UInt64 = 0
        var slots: [UInt64: Slot] = [:]
        var refresh: (id: UInt64, task: Task<Void, Never>)?
        var changes: [Credential?] = []
        var isTelling = false
    }

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - authenticator: Applies and renews the credential.
    ///   - credential: The one to begin with; nil while nobody is signed in.
    ///   - coolDown: How long after a failed refresh calls fail with its error and none is started. Default zero.
    ///   - onChange: Called with each new credential, nil once it is removed, one after the other in the order of the
    ///     changes: the place to save it. Default none.
    public init(
        _ authenticator: A, credential: Credential?, coolDown: Duration = .zero,
        onChange: (@Sendable (Credential?) -> Void)? = nil
    ) {
        self.authenticator = authenticator
        self.onChange = onChange
        state = Mutex(State(machine: Machine(credential: credential, coolDown: coolDown)))
    }

    /// The current credential; nil while nobody is signed in.
    public var credential: Credential? { state.withLock { $0.machine.credential } }

    /// Counts sign-outs and refusals.
    var session: UInt64 { state.withLock { $0.machine.session } }

    /// Whether a refresh runs.
    package var isRefreshing: Bool { state.withLock { $0.machine.isRefreshing } }

    /// How many calls wait for a refresh.
    package var waiterCount: Int { state.withLock { $0.machine.waiterCount } }

    /// Replaces the credential: a sign-in, or one that was renewed elsewhere.
    ///
    /// A running refresh is dropped; calls that wait for it are sent with this credential. To change the user, sign
    /// out first, so that no call of the one is sent as the other.
    public func set(_ credential: Credential) {
        replace { state in
            state.changes.append(credential)
            return state.machine.set(credential)
        }
    }

    /// Removes the credential.
    ///
    /// A running refresh is cancelled and its result ignored; calls that wait for it fail with `authentication`.
    public func signOut() {
        replace { state in
            if state.machine.credential != nil { state.changes.append(nil) }
            return state.machine.signOut()
        }
    }

    private func replace(_ change: (inout State) -> Machine.Release) {
        let (release, task) = state.withLock { state in
            defer { state.refresh = nil }
            return (change(&state), state.refresh?.task)
        }
        task?.cancel()
        resolve(release.waiters, release.result)
        tellChanges()
    }
}

extension CredentialStore {
    /// What a request is sent with; nil for nothing.
    func grant(
        _ context: CallContext, _ owner: () -> (any AnyObject & Sendable)?
    ) async throws(NetworkError) -> Machine.Grant? {
        let date = context.clock.date
        let (decision, waiter) = decide(context) { machine, waiter, time in
            machine.request(waiter, isExpired: { authenticator.isExpired($0, at: date) }, at: time)
        }
        switch decision {
        case .send(let grant): return grant
        case .none: return nil
        case .fail(let error): throw error
        case .refresh(let id, let credential): start(id, credential, context, owner)
        case .wait: break
        }
        return try await wait(waiter, context)
    }

    /// What follows when the server rejects what a request carried.
    enum Rejection {
        case handOut
        case resend(Machine.Grant)
        case wait(waiter: UInt64)
    }

    func rejected(
        _ ticket: Machine.Ticket, isReplayable: Bool, _ context: CallContext, _ owner: () -> (any AnyObject & Sendable)?
    ) throws(NetworkError) -> Rejection {
        let (decision, waiter) = decide(context) { machine, waiter, time in
            machine.rejected(ticket, isReplayable ? waiter : nil, at: time)
        }
        if case .refresh(let id, let credential) = decision { start(id, credential, context, owner) }
        guard isReplayable else { return .handOut }
        switch decision {
        case .send(let grant): return .resend(grant)
        case .none: return .handOut
        case .fail(let error): throw error
        case .wait, .refresh: return .wait(waiter: waiter)
        }
    }

    private func decide(
        _ context: CallContext, _ event: (inout Machine, UInt64, Duration) -> Machine.Decision
    ) -> (Machine.Decision, waiter: UInt64) {
        let time = context.clock.now
        return state.withLock { state in
            state.lastWaiter += 1
            let waiter = state.lastWaiter
            let waiting = state.machine.waiterCount
            let decision = event(&state.machine, waiter, time)
            if state.machine.waiterCount > waiting { state.slots[waiter] = .registered }
            return (decision, waiter)
        }
    }

    /// Waits for the end of the refresh.
    ///
    /// - Throws: The refresh's error, `cancelled` at once when the task is cancelled, or the total time-out.
    func wait(_ waiter: UInt64, _ context: CallContext) async throws(NetworkError) -> Machine.Grant {
        let start = context.clock.now
        let expiry = context.deadline.map { deadline in
            WaiterDeadline(at: deadline) { [self] in
                giveUp(waiter, .timedOut(.total, after: context.timeouts.total))
            }
        }
        let token = expiry.flatMap { context.deadlines.begin($0) }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> Outcome? in
                    if case .ready(let outcome) = state.slots[waiter] {
                        state.slots[waiter] = nil
                        return outcome
                    }
                    state.slots[waiter] = .waiting(continuation)
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            giveUp(waiter, .cancelled)
        }
        if let token { context.deadlines.end(token) }
        context.waited(queued: context.clock.now - start)
        return try outcome.get()
    }

    private func giveUp(_ waiter: UInt64, _ error: NetworkError) {
        state.withLock { $0.machine.cancelled(waiter) }
        resolve([waiter], .failure(error))
    }

    private func resolve(_ waiters: [UInt64], _ outcome: Outcome) {
        let continuations = state.withLock { state in
            waiters.compactMap { waiter -> CheckedContinuation<Outcome, Never>? in
                switch state.slots[waiter] {
                case .waiting(let continuation):
                    state.slots[waiter] = nil
                    return continuation
                case .registered:
                    state.slots[waiter] = .ready(outcome)
                    return nil
                case .ready, nil:
                    // It ended otherwise before.
                    return nil
                }
            }
        }
        for continuation in continuations { continuation.resume(returning: outcome) }
    }
}

extension CredentialStore {
    /// Runs the refresh in a task of its own: it belongs to all waiters, and none of them can cancel it.
    private func start(
        _ id: UInt64, _ credential: Credential, _ context: CallContext, _ owner: () -> (any AnyObject & Sendable)?
    ) {
        let refreshContext = RefreshContext(clock: context.clock, owner: owner())
        let task = Task { [self] in
            let mark = RefreshMark(self)
            let result = await RefreshMark.$current.withValue(RefreshMark.running + [mark]) {
                await Self.refresh(credential, authenticator, refreshContext)
            }
            mark.end()
            finish(id, result, refreshContext.clock.now)
        }
        let isCurrent = state.withLock { state in
            guard state.machine.isRunning(id) else { return false }
            state.refresh = (id, task)
            return true
        }
        // Superseded, or over already, before the task could be kept.
        if !isCurrent { task.cancel() }
    }

    private static func refresh(
        _ credential: Credential, _ authenticator: A, _ context: RefreshContext
    ) async -> Result<Credential, NetworkError> {
        do throws(NetworkError) {
            return .success(try await authenticator.refresh(credential, context: context))
        } catch {
            return .failure(error)
        }
    }

    private func finish(_ id: UInt64, _ result: Result<Credential, NetworkError>, _ time: Duration) {
        let isFinal = if case .failure(let error) = result { authenticator.isFinal(error) } else { false }
        let release = state.withLock { state -> Machine.Release? in
            guard let release = state.machine.refreshed(id, result, isFinal: isFinal, at: time) else { return nil }
            state.refresh = nil
            switch result {
            case .success(let renewed): state.changes.append(renewed)
            case .failure: if isFinal { state.changes.append(nil) }
            }
            return release
        }
        guard let release else { return }
        // Saved before the first call goes on with it: a one-time refresh token must not be lost (RFC 9700 §2.2.2).
        tellChanges()
        resolve(release.waiters, release.result)
    }

    /// Tells changes in their order, without holding the lock: whoever finds nobody telling tells them all.
    private func tellChanges() {
        guard let onChange else { return state.withLock { $0.changes = [] } }
        var isTelling = false
        while true {
            let next = state.withLock { state -> Credential?? in
                if state.isTelling, !isTelling { return nil }
                state.isTelling = !state.changes.isEmpty
                return state.changes.isEmpty ? nil : .some(state.changes.removeFirst())
            }
            guard let next else { return }
            isTelling = true
            onChange(next)
        }
    }
}

/// Ends a wait when the call's time is up.
private final class WaiterDeadline: DeadlineWatched {
    private let time: Duration
    private let expire: @Sendable () -> Void
    private let isOver = Atomic(false)

    init(at time: Duration, _ expire: @escaping @Sendable () -> Void) {
        self.time = time
        self.expire = expire
    }

    func nextDeadline() -> Duration? { isOver.load(ordering: .acquiring) ? nil : time }

    func deadlinePassed(now: Duration) {
        guard now >= time, !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
        expire()
    }
}
