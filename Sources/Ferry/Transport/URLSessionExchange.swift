import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One exchange over one URLSession task: the face around `ExchangeStateMachine`.
///
/// The delegate calls it on the session's queue, the call on its own task, the deadline watch on another. What each is
/// told to do is done outside the lock, and nothing here blocks: on Linux every session of the process shares the queue.
final class URLSessionExchange: ByteSource, DeadlineWatched {
    /// Guards the state machine, who waits for it, and the task: three parties use them at once.
    private let state: Mutex<State>
    private let context: CallContext
    private let start: Duration
    private let upload: UploadSource

    private struct State {
        var machine: ExchangeStateMachine
        var waiters = ExchangeWaiters()
        var task: URLSessionTask?
        /// They begin with the connection.
        var deadlines: ExchangeDeadlines
        var line: (ConnectionLine, Origin)?
        var lastActivity: Duration
        var bytesSent: Int64 = 0
        /// What the session had counted when the body was rewound.
        var bytesRewound: Int64 = 0
        var isChallenged = false
    }

    init(_ request: HTTPRequest, _ upload: UploadSource, context: CallContext) {
        self.context = context
        self.upload = upload
        start = context.clock.now
        state = Mutex(
            State(
                machine: ExchangeStateMachine(
                    method: request.method, delivery: context.delivery, limits: context.limits),
                deadlines: ExchangeDeadlines(context, start: start), lastActivity: start))
    }

    // MARK: From the call

    /// Takes a place in the line for a connection, unless the call is over already.
    func enter(_ line: ConnectionLine, _ origin: Origin) {
        let now = context.clock.now
        state.withLock { state in
            guard !state.machine.isEnded else { return }
            state.line = (line, origin)
            state.deadlines.start = line.enter(self, origin) ? nil : now
            state.lastActivity = now
        }
    }

    /// The session has a connection for it now.
    func gotConnection() {
        let now = context.clock.now
        let (isNew, isWatched, deadline) = state.withLock { state -> (Bool, Bool, Duration?) in
            guard !state.machine.isEnded, state.deadlines.start == nil else { return (false, false, nil) }
            state.deadlines.start = now
            state.lastActivity = now
            // Without a task it will be watched once it has one.
            return (true, state.waiters.watchToken != nil || state.task == nil, Self.deadline(state))
        }
        guard isNew else { return }
        context.waited(queued: now - start)
        guard let deadline else { return }
        if isWatched { context.deadlines.moved(to: deadline) } else { watch() }
    }

    private func watch() {
        guard let token = context.deadlines.begin(self) else { return }
        let isLate = state.withLock { state in
            // Both may have come to it at once: the task and its connection.
            guard !state.machine.isEnded, state.waiters.watchToken == nil else { return true }
            state.waiters.watchToken = token
            return false
        }
        if isLate { context.deadlines.end(token) }
    }

    /// Takes the task of this exchange. Resume it only where this gives true: the call may be over already.
    func attach(_ task: URLSessionTask) -> Bool {
        let isWanted = state.withLock { state in
            guard !state.machine.isEnded else { return false }
            state.task = task
            return true
        }
        if isWanted { watch() }
        if isWanted, upload.isBody { context.emit(.sent(TransferProgress(completed: 0, total: upload.length))) }
        return isWanted
    }

    /// Whether the exchange is over.
    var isEnded: Bool { state.withLock { $0.machine.isEnded } }

    /// Waits for the response: complete, or its head.
    func response() async -> Result<HTTPResponse.Delivered, NetworkError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early = state.withLock { $0.waiters.wait(continuation) }
                if let early { continuation.resume(returning: early) }
            }
        } onCancel: {
            cancel(.cancelled)
        }
    }

    /// Ends the exchange for a reason of the call.
    func cancel(_ reason: NetworkError) { act { $0.machine.cancel(reason) } }

    func next() async throws(NetworkError) -> Data? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: ExchangeWaiters.Chunk) in
                let ready = state.withLock { state -> Result<Data?, NetworkError>? in
                    let ready = state.machine.next()
                    if ready == nil { state.waiters.chunk = continuation }
                    return ready
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            act { $0.machine.cancelNext() }
        }
        return try result.get()
    }

    func cancel() { act { $0.machine.abandon() } }

    // MARK: From the session

    func received(_ head: HTTPResponse.Head, isBodyLost: Bool = false) {
        let now = context.clock.now
        let isFirst = state.withLock { state in
            state.lastActivity = now
            return !state.machine.hasHead && !state.machine.isEnded
        }
        if isFirst, head.status.category != .informational { context.received(head) }
        act { $0.machine.receive(head, isBodyLost: isBodyLost) }
    }

    func received(_ data: Data) {
        let now = context.clock.now
        act { state in
            // Bytes moved, and the idle deadline moves with them.
            state.lastActivity = now
            return state.machine.receive(data)
        }
        guard context.isObserved else { return }
        let progress = state.withLock { TransferProgress(completed: $0.machine.received, total: $0.machine.total) }
        context.emit(.progress(progress))
    }

    /// Bytes of the body went out.
    ///
    /// - Parameter total: The session's count, over all times that it sent the body.
    func sent(total: Int64) {
        let now = context.clock.now
        let (completed, step) = state.withLock { state in
            state.lastActivity = now
            let completed = min(max(state.bytesSent, total - state.bytesRewound), upload.length)
            defer { state.bytesSent = completed }
            return (completed, completed - state.bytesSent)
        }
        guard step > 0 else { return }
        context.count(sent: step)
        context.emit(.sent(TransferProgress(completed: completed, total: upload.length)))
    }

    #if canImport(FoundationNetworking)
        /// The body from its beginning: the session sends it once more on another connection.
        ///
        /// - Parameter total: What the session has counted.
        func rewind(total: Int64) -> InputStream? {
            state.withLock { $0.bytesRewound = total }
            guard case .read(let body) = upload.way else { return nil }
            return body.makeStream()
        }
    #endif

    /// The server showed no key that is pinned, and the pins only report.
    func mismatched(_ mismatch: PinMismatch) { context.emit(.pinMismatch(mismatch)) }

    /// A 401 came whose challenge the session wants answered. The SDK answers challenges itself, above the transport,
    /// so the response that came is the outcome.
    func challenged() { state.withLock { $0.isChallenged = true } }

    /// Calls a redirect's handler, unless the task is stopped: FoundationNetworking traps when a task is cancelled while
    /// its handler is pending or is called afterwards, so both happen under one lock.
    func refuseRedirect(_ handler: (URLRequest?) -> Void) {
        state.withLock { if !$0.waiters.isStopped { handler(nil) } }
    }

    /// The task ended.
    ///
    /// - Parameter head: The response's head as the task has it: on Linux a 3xx without a usable Location is told to no
    ///   delegate before, and its body is dropped.
    func completed(_ error: (any Error)?, head: @autoclosure () -> HTTPResponse.Head?) {
        let isMissed = state.withLock { !$0.machine.hasHead && !$0.machine.isEnded }
        if isMissed, error == nil, let head = head(), head.status.category != .informational {
            received(head, isBodyLost: true)
        }
        let failure = state.withLock { state -> NetworkError? in
            if let unreadable = upload.failure { return unreadable }
            guard let error, !(state.isChallenged && state.machine.hasHead) else { return nil }
            return URLErrorTable.error(for: error, hasHead: state.machine.hasHead)
        }
        if failure == nil { context.receivedBody() }
        act { $0.machine.end(failure) }
    }

    // MARK: Deadlines

    func nextDeadline() -> Duration? {
        state.withLock { state in
            guard !state.machine.isEnded else { return nil }
            return Self.deadline(state)
        }
    }

    private static func deadline(_ state: State) -> Duration? {
        state.deadlines.next(hasHead: state.machine.hasHead, lastActivity: state.lastActivity)?.time
    }

    func deadlinePassed(now: Duration) {
        let failure = state.withLock { state -> NetworkError? in
            guard !state.machine.isEnded else { return nil }
            return state.deadlines.failure(at: now, hasHead: state.machine.hasHead, lastActivity: state.lastActivity)
        }
        if let failure { cancel(failure) }
    }

    // MARK: Actions

    private func act(_ event: (inout State) -> ExchangeStateMachine.Actions) {
        var task: URLSessionTask?
        var place: (line: ConnectionLine, origin: Origin, isWaiting: Bool)?
        let step = state.withLock { state in
            let actions = event(&state)
            let step = state.waiters.step(actions, received: state.machine.isEnded ? state.machine.received : nil)
            if step.stops { task = state.task }
            if step.isEnd {
                state.task = nil
                place = state.line.take().map { ($0, $1, state.deadlines.start == nil) }
            }
            return step
        }
        if let place { place.line.leave(self, place.origin, isWaiting: place.isWaiting) }
        step.perform(in: context)
        if let task { URLSessionTransport.cancel(task) }
    }
}
