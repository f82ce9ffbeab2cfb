import Synchronization

/// Keeps a call's time-outs over a transport that does not keep them itself, such as a mock.
struct TimedTransport: Transport {
    private let base: any Transport

    init(_ base: any Transport) { self.base = base }

    var enforcesTimeouts: Bool { true }

    func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        let timeouts = context.timeouts
        let now = context.clock.now
        // Without a head there is no progress to see, so the idle time-out runs from the start.
        let limits: [(TimeoutKind, Duration?)] = [
            (.head, timeouts.head), (.idle, timeouts.idle), (.attempt, timeouts.attempt),
            (.total, context.deadline.map { $0 - now }),
        ]
        var first: (kind: TimeoutKind, limit: Duration)?
        for (kind, limit) in limits {
            if let limit, limit < first?.limit ?? .seconds(Int64.max) { first = (kind, limit) }
        }
        guard let first else { return try await base.send(request, context: context) }
        return try await race(request, context, first.kind, at: now + first.limit)
    }

    func shutdown() { base.shutdown() }

    private func race(
        _ request: HTTPRequest, _ context: CallContext, _ kind: TimeoutKind, at deadline: Duration
    ) async throws(NetworkError) -> HTTPResponse {
        let exchange = Task { () async -> Result<HTTPResponse, NetworkError> in
            do throws(NetworkError) {
                return .success(try await base.send(request, context: context))
            } catch {
                return .failure(error)
            }
        }
        let alarm = Alarm(at: deadline) { exchange.cancel() }
        let token = context.deadlines.begin(alarm)
        let result = await withTaskCancellationHandler {
            await exchange.value
        } onCancel: {
            exchange.cancel()
        }
        if let token { context.deadlines.end(token) }
        if alarm.hasRung, !Task.isCancelled, case .failure(let error) = result, error.kind == .cancelled {
            throw .timedOut(kind, after: context.timeouts[kind])
        }
        return try result.get()
    }
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
