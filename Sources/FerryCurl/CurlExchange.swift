#if os(Linux)
    import Ferry
    import Foundation
    import Synchronization

    /// One exchange over libcurl: the face around `ExchangeStateMachine` for the three parties that use it at once.
    ///
    /// Whoever has the loop's turn tells what came, the call's task waits, the deadline watch looks. What each is told to do is done
    /// outside the lock. Buffered bytes gather in the transfer, in the loop's turn, and come here once.
    final class CurlExchange: ByteSource, DeadlineWatched {
        /// Guards the state machine, who waits for it, and what is paused.
        private let state: Mutex<State>
        let context: CallContext
        let request: HTTPRequest
        private let mailbox: CurlMailbox
        private let idle: Duration?
        private let deadlines: ExchangeDeadlines

        private struct State {
            var machine: ExchangeStateMachine
            var waiters = ExchangeWaiters()
            var lastActivity: Duration
            /// Whether the transfer waits for the consumer.
            var isReceivingPaused = false
            /// Whether the transfer waits for the producer of the body.
            var isSendingPaused = false
            var trailers = HTTPHeaders()

            /// Since when nothing moves; nil while this side keeps the silence, which is no fault of the server's.
            var silence: Duration? { isReceivingPaused || isSendingPaused ? nil : lastActivity }
        }

        init(_ request: HTTPRequest, context: CallContext, mailbox: CurlMailbox) {
            self.context = context
            self.request = request
            self.mailbox = mailbox
            idle = context.timeouts.idle
            let start = context.clock.now
            deadlines = ExchangeDeadlines(context, start: start)
            var limits = context.limits
            // The transfer is paused at that limit, so nothing ever spills; a chunk may go beyond it.
            limits.streamMemory = .max
            state = Mutex(
                State(
                    machine: ExchangeStateMachine(method: request.method, delivery: context.delivery, limits: limits),
                    lastActivity: start))
        }

        // MARK: From the call

        /// Whether the exchange is over.
        var isEnded: Bool { state.withLock { $0.machine.isEnded } }

        /// Begins the exchange and waits for the response: complete, or its head.
        ///
        /// - Parameter begin: Hands the exchange to its loop.
        func response(_ begin: () -> Void) async -> Result<HTTPResponse.Delivered, NetworkError> {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let early = state.withLock { $0.waiters.wait(continuation) }
                    if let early { return continuation.resume(returning: early) }
                    begin()
                    watch()
                }
            } onCancel: {
                cancel(.cancelled)
            }
        }

        private func watch() {
            guard let token = context.deadlines.begin(self) else { return }
            let isLate = state.withLock { state in
                state.waiters.watchToken = token
                return state.machine.isEnded
            }
            if isLate { context.deadlines.end(token) }
        }

        /// Ends the exchange for a reason of the call.
        func cancel(_ reason: NetworkError) { act { $0.machine.cancel(reason) } }

        func next() async throws(NetworkError) -> Data? {
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: ExchangeWaiters.Chunk) in
                    let (ready, resumes) = state.withLock { state in
                        let ready = state.machine.next()
                        if ready == nil { state.waiters.chunk = continuation }
                        return (ready, resumesReceiving(&state))
                    }
                    if resumes { resumed() }
                    if let ready { continuation.resume(returning: ready) }
                }
            } onCancel: {
                act { $0.machine.cancelNext() }
            }
            return try result.get()
        }

        func cancel() { act { $0.machine.abandon() } }

        var trailers: HTTPHeaders { state.withLock { $0.trailers } }

        /// Lets a paused transfer go on once half of what waited was taken.
        private func resumesReceiving(_ state: inout State) -> Bool {
            guard state.isReceivingPaused, state.machine.waitingBytes <= context.limits.streamMemory / 2 else {
                return false
            }
            state.isReceivingPaused = false
            return true
        }

        private func resumed() {
            let now = context.clock.now
            let isEnded = state.withLock { state in
                state.lastActivity = now
                return state.machine.isEnded
            }
            if isEnded { return }
            if let idle { context.deadlines.moved(to: now + idle) }
            mailbox.post(.resumeReceiving(self))
        }

        // MARK: From the loop

        /// A final head came.
        ///
        /// - Returns: Whether the transfer is to go on.
        func received(_ head: HTTPResponse.Head) -> Bool {
            let now = context.clock.now
            state.withLock { $0.lastActivity = now }
            context.received(head)
            act { $0.machine.receive(head) }
            return !isEnded
        }

        /// Bytes moved in either direction.
        func touch() {
            let now = context.clock.now
            state.withLock { $0.lastActivity = now }
        }

        /// Bytes came that the transfer keeps for now.
        func reportReceived(_ count: Int64, total: Int64?) {
            touch()
            if context.isObserved { context.emit(.progress(TransferProgress(completed: count, total: total))) }
        }

        /// Bytes for the consumer of a stream.
        ///
        /// - Returns: Whether the transfer is to go on.
        func received(_ data: Data) -> Bool {
            let now = context.clock.now
            act { state in
                state.lastActivity = now
                return state.machine.receive(data)
            }
            let (received, total, isEnded) = state.withLock {
                ($0.machine.received, $0.machine.total, $0.machine.isEnded)
            }
            if context.isObserved { context.emit(.progress(TransferProgress(completed: received, total: total))) }
            return !isEnded
        }

        /// Whether as much waits for the consumer as may; then `resumeReceiving` comes once it took enough.
        func pausesIfFull() -> Bool {
            state.withLock { state in
                // Nothing that waits is never too much: a consumer that took all asks no more before more comes.
                guard state.machine.waitingBytes >= max(1, context.limits.streamMemory) else { return false }
                state.isReceivingPaused = true
                return true
            }
        }

        func sent(_ count: Int, completed: Int64, total: Int64) {
            touch()
            context.count(sent: Int64(count))
            if context.isObserved { context.emit(.sent(TransferProgress(completed: completed, total: total))) }
        }

        /// The producer of the body has nothing yet, or has again.
        func sendingPaused(_ isPaused: Bool) {
            let now = context.clock.now
            state.withLock { state in
                state.isSendingPaused = isPaused
                state.lastActivity = now
            }
            if !isPaused, let idle { context.deadlines.moved(to: now + idle) }
        }

        /// The transfer ended.
        ///
        /// - Parameters:
        ///   - body: What a buffered exchange has not been given yet.
        ///   - failure: What went wrong, or nil.
        func ended(body: Data, trailers: HTTPHeaders, _ failure: NetworkError?) {
            if failure == nil { context.receivedBody() }
            act { state in
                state.trailers = trailers
                if failure == nil, !body.isEmpty {
                    let actions = state.machine.receive(body)
                    if actions.deliver != nil { return actions }
                }
                return state.machine.end(failure)
            }
        }

        // MARK: Deadlines

        func nextDeadline() -> Duration? {
            state.withLock { state in
                guard !state.machine.isEnded else { return nil }
                return deadlines.next(hasHead: state.machine.hasHead, lastActivity: state.silence)?.time
            }
        }

        func deadlinePassed(now: Duration) {
            let failure = state.withLock { state -> NetworkError? in
                guard !state.machine.isEnded else { return nil }
                return deadlines.failure(at: now, hasHead: state.machine.hasHead, lastActivity: state.silence)
            }
            if let failure { cancel(failure) }
        }

        // MARK: Actions

        private func act(_ event: (inout State) -> ExchangeStateMachine.Actions) {
            let step = state.withLock { state in
                let actions = event(&state)
                return state.waiters.step(actions, received: state.machine.isEnded ? state.machine.received : nil)
            }
            if step.stops { mailbox.post(.remove(self)) }
            step.perform(in: context)
        }
    }
#endif
