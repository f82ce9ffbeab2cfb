import Synchronization

/// Makes bodies ready within their calls' time-outs: a stream is read, wholly or in part, before its exchange begins, and may
/// take its time or never end. A transport has one, and ends what still goes on when it is shut down.
package final class UploadPreparations: Sendable {
    /// Guards what goes on: calls add and remove, a shutdown ends.
    private let state = Mutex(State())

    private struct State {
        var running: [ObjectIdentifier: any StoppablePreparation] = [:]
        var isShutDown = false
    }

    package init() {}

    /// Makes a body ready.
    ///
    /// - Parameter make: Reads the body; cancelled when it takes too long.
    /// - Throws: What `make` throws; `timeout`; `cancelled` after a shutdown.
    package func run<Source: Sendable>(
        _ body: RequestBody, context: CallContext,
        _ make: @escaping @Sendable () async throws(NetworkError) -> Source
    ) async throws(NetworkError) -> Source {
        guard body.readsStreams else { return try await make() }
        let preparation = UploadPreparation(context, make)
        let isShutDown = state.withLock { state in
            state.running[ObjectIdentifier(preparation)] = preparation
            return state.isShutDown
        }
        defer { _ = state.withLock { $0.running.removeValue(forKey: ObjectIdentifier(preparation)) } }
        if isShutDown { preparation.shutDown() }
        return try await preparation.value()
    }

    /// Ends what goes on with `cancelled`, and what begins later.
    package func shutDown() {
        let running = state.withLock { state in
            state.isShutDown = true
            return Array(state.running.values)
        }
        for preparation in running { preparation.shutDown() }
    }
}

private protocol StoppablePreparation: Sendable {
    func shutDown()
}

/// The preparation of one body.
private final class UploadPreparation<Source: Sendable>: DeadlineWatched, StoppablePreparation {
    private let context: CallContext
    private let start: Duration
    private let work: Task<Result<Source, NetworkError>, Never>
    /// Guards why the work was ended from outside, for the call that waits.
    private let reason = Mutex<NetworkError?>(nil)

    init(_ context: CallContext, _ make: @escaping @Sendable () async throws(NetworkError) -> Source) {
        self.context = context
        start = context.clock.now
        work = Task {
            do throws(NetworkError) {
                return .success(try await make())
            } catch {
                return .failure(error)
            }
        }
    }

    func value() async throws(NetworkError) -> Source {
        let token = context.deadlines.begin(self)
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        if let token { context.deadlines.end(token) }
        if case .failure = result, !Task.isCancelled, let reason = reason.withLock({ $0 }) { throw reason }
        return try result.get()
    }

    func shutDown() { stop(NetworkError(.cancelled, "The transport was shut down")) }

    private func stop(_ error: NetworkError) {
        let isFirst = reason.withLock { reason in
            defer { reason = reason ?? error }
            return reason == nil
        }
        if isFirst { work.cancel() }
    }

    func nextDeadline() -> Duration? { reason.withLock { $0 == nil } ? deadline?.time : nil }

    func deadlinePassed(now: Duration) {
        guard let deadline, now >= deadline.time else { return }
        stop(.timedOut(deadline.kind, after: context.timeouts[deadline.kind]))
    }

    /// Of one attempt or the whole call: nothing is transferred yet that could be idle.
    private var deadline: (kind: TimeoutKind, time: Duration)? {
        let attempt = context.timeouts.attempt.map { (kind: TimeoutKind.attempt, time: start + $0) }
        let total = context.deadline.map { (kind: TimeoutKind.total, time: $0) }
        guard let attempt, let total else { return attempt ?? total }
        return attempt.time <= total.time ? attempt : total
    }
}

extension RequestBody {
    /// Whether a stream has to be read before the body can be sent.
    fileprivate var readsStreams: Bool {
        switch content {
        case .stream: true
        case .segments(let body): body.segments.contains { if case .stream = $0 { true } else { false } }
        case .none, .data, .file, .multipart, .value: false
        }
    }
}
