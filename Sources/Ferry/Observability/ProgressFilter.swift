/// Thins out the progress of a call and puts it in order: a pure value on the clock.
///
/// The first and the last progress of each direction of an attempt always pass, in between at most one an interval.
/// What is held back comes before the next event that is no progress. A progress that falls behind an earlier one of
/// its attempt, or says the same again, is dropped.
struct ProgressFilter: Sendable {
    /// Ten a second.
    static let defaultInterval = Duration.milliseconds(100)

    private struct Track: Sendable {
        var passed: TransferProgress?
        var passedAt = Duration.zero
        var held: TransferProgress?

        /// The progress to pass now, if any.
        mutating func admit(_ progress: TransferProgress, at now: Duration, _ interval: Duration) -> TransferProgress? {
            guard let newest = held ?? passed else { return pass(progress, at: now) }
            guard progress.completed > newest.completed || progress.completed == newest.completed && progress != newest
            else { return nil }
            let isLast = progress.total == progress.completed
            if isLast || now - passedAt >= interval { return pass(progress, at: now) }
            held = progress
            return nil
        }

        mutating func flush(at now: Duration) -> TransferProgress? { held.flatMap { pass($0, at: now) } }

        private mutating func pass(_ progress: TransferProgress, at now: Duration) -> TransferProgress {
            (passed, passedAt, held) = (progress, now, nil)
            return progress
        }
    }

    private let interval: Duration
    private var sent = Track()
    private var received = Track()

    /// - Parameter interval: Shortest time between two progresses of one direction. Default 100 ms.
    init(interval: Duration = ProgressFilter.defaultInterval) { self.interval = interval }

    /// What passes when an event happens, in order.
    mutating func pass(_ event: CallEvent, at now: Duration) -> [CallEvent] {
        switch event {
        case .sent(let progress):
            return sent.admit(progress, at: now, interval).map { [.sent($0)] } ?? []
        case .progress(let progress):
            return received.admit(progress, at: now, interval).map { [.progress($0)] } ?? []
        case .data:
            return [event]
        case .attempt(_, let request):
            let passed = flush(at: now) + [event]
            (sent, received) = (Track(), Track())
            guard !request.body.isNone else { return passed }
            // Each attempt begins anew, at nothing.
            return passed + pass(.sent(TransferProgress(completed: 0, total: request.body.knownLength)), at: now)
        case .queued, .head, .retry, .cacheHit, .redirected, .pinMismatch, .finished:
            return flush(at: now) + [event]
        }
    }

    private mutating func flush(at now: Duration) -> [CallEvent] {
        var events: [CallEvent] = []
        if let progress = sent.flush(at: now) { events.append(.sent(progress)) }
        if let progress = received.flush(at: now) { events.append(.progress(progress)) }
        return events
    }
}

extension RequestBody {
    /// The length where it takes no look at the file system.
    fileprivate var knownLength: Int64? {
        switch content {
        case .data(let data): Int64(data.count)
        case .stream(let stream): stream.length
        default: nil
        }
    }
}
