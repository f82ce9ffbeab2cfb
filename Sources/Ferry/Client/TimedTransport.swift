import Foundation
import Synchronization

/// Keeps a call's time-outs over a transport that does not keep them itself, such as a mock.
struct TimedTransport: Transport {
    private let base: any Transport

    init(_ base: any Transport) { self.base = base }

    var enforcesTimeouts: Bool { true }

    func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        let timer = AttemptTimer(context)
        var response = try await timer.within(head: true) { () throws(NetworkError) in
            try await base.send(request, context: context)
        }
        if case .stream(let stream) = response.body {
            response.body = .stream(ByteStream(TimedSource(stream, timer)))
        }
        return response
    }

    func shutdown() { base.shutdown() }
}

/// Races the steps of one attempt against its time-outs.
private struct AttemptTimer: Sendable {
    private let context: CallContext
    private let start: Duration

    init(_ context: CallContext) {
        self.context = context
        start = context.clock.now
    }

    /// Runs a step until the first time-out that it reaches.
    ///
    /// - Parameter head: Whether the step waits for the head. A step has no progress to see, so the idle time-out runs from
    ///   its start.
    func within<Value: Sendable>(
        head: Bool, _ step: @escaping @Sendable () async throws(NetworkError) -> Value
    ) async throws(NetworkError) -> Value {
        guard let (kind, deadline) = next(head: head) else { return try await step() }
        let task = Task { () async -> Result<Value, NetworkError> in
            do throws(NetworkError) {
                return .success(try await step())
            } catch {
                return .failure(error)
            }
        }
        let alarm = Alarm(at: deadline) { task.cancel() }
        let token = context.deadlines.begin(alarm)
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if let token { context.deadlines.end(token) }
        if alarm.hasRung, !Task.isCancelled, case .failure(let error) = result, error.kind == .cancelled {
            throw .timedOut(kind, after: context.timeouts[kind])
        }
        return try result.get()
    }

    private func next(head: Bool) -> (kind: TimeoutKind, time: Duration)? {
        let timeouts = context.timeouts
        let now = context.clock.now
        let times: [(kind: TimeoutKind, time: Duration?)] = [
            (.head, head ? timeouts.head.map { start + $0 } : nil), (.idle, timeouts.idle.map { now + $0 }),
            (.attempt, timeouts.attempt.map { start + $0 }), (.total, context.deadline),
        ]
        return times.compactMap { kind, time in time.map { (kind, $0) } }.min { $0.1 < $1.1 }
    }
}

/// The chunks of a stream, each within the time-outs of its attempt.
private final class TimedSource: ByteSource {
    private let stream: ByteStream
    private let timer: AttemptTimer

    init(_ stream: ByteStream, _ timer: AttemptTimer) {
        self.stream = stream
        self.timer = timer
    }

    func next() async throws(NetworkError) -> Data? {
        try await timer.within(head: false) { [stream] () throws(NetworkError) in try await stream.source.next() }
    }

    var trailers: HTTPHeaders { stream.trailers }

    func cancel() { stream.source.cancel() }
}

/// Does something once when its time has come.
private final class Alarm: DeadlineWatched {
    private let time: Duration
    private let ring: @Sendable () -> Void
    private let isRung = Atomic(false)

    init(at time: Duration, _ ring: @escaping @Sendable () -> Void) {
        self.time = time
        self.ring = ring
    }

    var hasRung: Bool { isRung.load(ordering: .acquiring) }

    func nextDeadline() -> Duration? { hasRung ? nil : time }

    func deadlinePassed(now: Duration) {
        guard now >= time, !isRung.exchange(true, ordering: .acquiringAndReleasing) else { return }
        ring()
    }
}
