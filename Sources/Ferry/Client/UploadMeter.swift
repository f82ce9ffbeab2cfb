import Synchronization

/// Makes the progress of an upload out of the events of its call: never backwards across attempts, and not more often
/// than a person can see.
final class UploadMeter: Sendable {
    private let interval: Duration
    private let clock: any NetworkClock
    private let handler: @Sendable (TransferProgress) -> Void
    /// Guards what was told last; attempts and the session's queue report from different threads.
    private let last = Mutex<(progress: TransferProgress, time: Duration)?>(nil)

    /// - Parameters:
    ///   - interval: Shortest time between two reports, but for the first and the last.
    ///   - clock: Measures it.
    ///   - handler: Called for each report.
    init(
        interval: Duration = .milliseconds(100), clock: any NetworkClock,
        handler: @escaping @Sendable (TransferProgress) -> Void
    ) {
        self.interval = interval
        self.clock = clock
        self.handler = handler
    }

    /// Takes an event of the call.
    func take(_ event: CallEvent) {
        guard case .sent(let progress) = event else { return }
        let now = clock.now
        let isTold = last.withLock { last in
            if let told = last {
                // Another attempt begins at zero: what was shown stays until it is passed.
                guard progress.completed > told.progress.completed else { return false }
                guard progress.completed == progress.total || now - told.time >= interval else { return false }
            }
            last = (progress, now)
            return true
        }
        if isTold { handler(progress) }
    }
}
