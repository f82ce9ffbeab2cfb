import Synchronization

/// What interceptors and the transport share of one call: identity, options, deadline, attempts, events.
///
/// One instance goes through the whole chain, with all attempts and redirects of the call.
public final class CallContext: Sendable {
    /// Numbers calls within the process, from 1.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// The number.
        public let rawValue: UInt64

        private static let last = Atomic<UInt64>(0)

        package static func next() -> ID {
            ID(rawValue: last.add(1, ordering: .relaxed).newValue)
        }

        /// `#` and the number.
        public var description: String { "#\(rawValue)" }
    }

    /// The call's number.
    public let id: ID
    /// What the call wants differently from its client.
    public let options: CallOptions
    /// How the body is to be handed out.
    public let delivery: Delivery
    /// The time-outs of the call.
    public let timeouts: Timeouts
    /// How much of a response is taken.
    public let limits: Limits
    /// The clock of the client.
    public let clock: any NetworkClock
    /// When the call began, by the clock.
    public let start: Duration
    /// When the call must be over, by the clock; nil where it has all the time.
    public let deadline: Duration?

    /// Watches the deadlines of all calls of the client.
    package let deadlines: DeadlineWatch
    /// What interceptors remember for the time of the call.
    package let store: CallStore

    private let sink: (@Sendable (CallEvent) -> Void)?
    private let state = Mutex(State())

    /// What changes while the call runs. Guarded by `state`: attempts and delegate callbacks come from other threads.
    private struct State {
        var timings = CallTimings()
        var attempts: [CallAttempt] = []
        var attemptStart: Duration = .zero
        var headAt: Duration?
    }

    /// Creates the context of a call that begins now.
    ///
    /// - Parameters:
    ///   - delivery: How the body is to be handed out. Default buffered.
    ///   - timeouts: Default: those of `Timeouts()`.
    ///   - options: Default: none.
    ///   - limits: Default: those of `Limits()`.
    ///   - clock: Default: the system's.
    ///   - sink: Receives each event as it happens, on whatever thread it happens; must return quickly. Default: none.
    public convenience init(
        delivery: Delivery = .buffered, timeouts: Timeouts = Timeouts(), options: CallOptions = CallOptions(),
        limits: Limits = Limits(), clock: any NetworkClock = .system, sink: (@Sendable (CallEvent) -> Void)? = nil
    ) {
        self.init(
            delivery: delivery, timeouts: timeouts, options: options, limits: limits, clock: clock,
            deadlines: DeadlineWatch(clock: clock), sink: sink)
    }

    package init(
        delivery: Delivery, timeouts: Timeouts, options: CallOptions, limits: Limits, clock: any NetworkClock,
        deadlines: DeadlineWatch, id: ID = .next(), store: CallStore = CallStore(),
        sink: (@Sendable (CallEvent) -> Void)?
    ) {
        self.id = id
        self.delivery = delivery
        self.timeouts = timeouts
        self.options = options
        self.limits = limits
        self.clock = clock
        self.deadlines = deadlines
        self.store = store
        self.sink = sink
        start = clock.now
        deadline = timeouts.total.map { [start] in start + $0 }
    }

    /// Whether anybody listens to events.
    public var isObserved: Bool { sink != nil }

    /// Reports an event. Costs nothing where nobody listens: the event is not made.
    public func emit(_ event: @autoclosure () -> CallEvent) { sink?(event()) }

    /// Time since the call began.
    public var elapsed: Duration { clock.now - start }

    /// The attempts that ended, in order.
    public var attempts: [CallAttempt] { state.withLock { $0.attempts } }

    /// Attempts begun so far.
    public var attemptCount: Int { state.withLock { $0.timings.attempts } }

    /// Where the time went so far.
    public var timings: CallTimings {
        var timings = state.withLock { $0.timings }
        timings.total = elapsed
        return timings
    }
}

extension CallContext {
    /// Notes that an attempt begins and reports it.
    ///
    /// - Returns: Its number, from 1.
    @discardableResult
    package func beginAttempt(_ request: HTTPRequest) -> Int {
        let now = clock.now
        let number = state.withLock { state in
            state.timings.attempts += 1
            state.timings.head = nil
            state.timings.body = nil
            state.attemptStart = now
            state.headAt = nil
            return state.timings.attempts
        }
        emit(.attempt(number, request))
        return number
    }

    /// Notes how the current attempt ended.
    package func endAttempt(status: HTTPStatus?, failure: NetworkError.Kind?) {
        let now = clock.now
        state.withLock { state in
            state.attempts.append(
                CallAttempt(
                    number: state.timings.attempts, start: state.attemptStart - start,
                    duration: now - state.attemptStart, status: status, failure: failure))
        }
    }

    /// Notes that the head came and reports it.
    package func received(_ head: HTTPResponse.Head) {
        let now = clock.now
        state.withLock { state in
            state.timings.head = now - state.attemptStart
            state.headAt = now
        }
        emit(.head(head))
    }

    /// Notes that the body is complete.
    package func receivedBody() {
        let now = clock.now
        state.withLock { state in
            state.timings.body = state.headAt.map { now - $0 }
        }
    }

    /// Adds to the counts of bytes.
    package func count(sent: Int64 = 0, received: Int64 = 0) {
        state.withLock { state in
            state.timings.bytesSent += sent
            state.timings.bytesReceived += received
        }
    }

    /// Adds to the time spent waiting. What an attempt was queued does not count as part of it.
    package func waited(queued: Duration = .zero, retry: Duration = .zero) {
        state.withLock { state in
            state.timings.queued += queued
            state.attemptStart += queued
            state.timings.retryWait += retry
        }
    }

    /// Takes over what became of an exchange that this call shared with others: attempts, bytes and times.
    package func adopt(_ shared: CallContext) {
        let (timings, attempts) = shared.state.withLock { ($0.timings, $0.attempts) }
        state.withLock { state in
            state.timings = timings
            state.attempts = attempts
        }
    }
}
