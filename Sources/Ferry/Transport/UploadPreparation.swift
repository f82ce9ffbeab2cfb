import Synchronization

/// Makes a body ready within the call's time-outs: a stream is read to its end before the exchange begins, and may take
/// its time or never end.
final class UploadPreparation: DeadlineWatched {
    private let context: CallContext
    private let start: Duration
    private let work: Task<Result<UploadSource, NetworkError>, Never>
    /// Guards what the deadline found, for the call that waits.
    private let expired = Mutex<TimeoutKind?>(nil)

    /// Makes the body of a request ready.
    ///
    /// - Throws: What `UploadSource.make` throws; `timeout`.
    static func run(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> UploadSource {
        guard request.body.readsStreams else { return try await UploadSource.make(request) }
        let preparation = UploadPreparation(request, context)
        let token = context.deadlines.begin(preparation)
        let result = await withTaskCancellationHandler {
            await preparation.work.value
        } onCancel: {
            preparation.work.cancel()
        }
        if let token { context.deadlines.end(token) }
        if case .failure = result, !Task.isCancelled, let kind = preparation.expired.withLock({ $0 }) {
            throw .timedOut(kind, after: context.timeouts[kind])
        }
        return try result.get()
    }

    private init(_ request: HTTPRequest, _ context: CallContext) {
        self.context = context
        start = context.clock.now
        work = Task {
            do throws(NetworkError) {
                return .success(try await UploadSource.make(request))
            } catch {
                return .failure(error)
            }
        }
    }

    func nextDeadline() -> Duration? { expired.withLock { $0 } == nil ? deadline?.time : nil }

    func deadlinePassed(now: Duration) {
        guard let deadline, now >= deadline.time else { return }
        let isFirst = expired.withLock { expired in
            defer { expired = expired ?? deadline.kind }
            return expired == nil
        }
        if isFirst { work.cancel() }
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
