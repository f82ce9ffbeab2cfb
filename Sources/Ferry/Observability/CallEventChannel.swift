/// The events of one call on their way from wherever they happen to whoever reads.
package final class CallEventChannel: Sendable {
    private let log: Watched<CallEventLog>
    private let clock: any NetworkClock

    /// - Parameters:
    ///   - clock: By which progress is thinned out.
    ///   - keepsHistory: Whether there may be several readers, who all see everything from the start. Default true.
    package init(clock: any NetworkClock, keepsHistory: Bool = true) {
        self.clock = clock
        log = Watched(CallEventLog(keepsHistory: keepsHistory))
    }

    /// Takes an event.
    package func record(_ event: CallEvent) {
        let now = clock.now
        log.change { _ = $0.record(event, at: now) }
    }

    /// Takes an event and waits until it was read, so that what has much to say is no faster than its reader.
    package func deliver(_ event: CallEvent) async {
        let now = clock.now
        let position = log.change { $0.record(event, at: now) }
        _ = await log.wait { $0.isTaken(position) ? true : nil }
    }

    /// The next event after a position, or `end`; nil where the task is cancelled.
    package func next(after position: UInt64) async -> CallEventLog.Step? {
        await log.wait { $0.next(after: position) }
    }
}
