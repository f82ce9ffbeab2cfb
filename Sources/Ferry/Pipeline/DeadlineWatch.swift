import Synchronization

/// Something that must be over by a time that may move while it runs.
package protocol DeadlineWatched: AnyObject, Sendable {
    /// The next deadline, by the clock; nil where there is none.
    func nextDeadline() -> Duration?

    /// Called once the deadline may have passed; the receiver compares it with `now` itself.
    func deadlinePassed(now: Duration)
}

/// Watches the deadlines of many exchanges with one sleeping task.
///
/// A task a call would cost more than the call: nearly every deadline is moved or dropped long before it comes. So
/// deadlines are only looked at when the earliest known one is due, and then the next one is found among what still
/// runs. Moving a deadline later costs nothing here.
package final class DeadlineWatch: Sendable {
    private let clock: any NetworkClock
    /// Guards the watched exchanges and the sleeper: calls come and go on many threads.
    private let state = Mutex(State())

    private struct State {
        var lastToken: UInt64 = 0
        var watched: [UInt64: any DeadlineWatched] = [:]
        var wakeAt: Duration?
        var sleeper: Task<Void, Never>?
    }

    package init(clock: any NetworkClock) { self.clock = clock }

    deinit { state.withLock { $0.sleeper?.cancel() } }

    /// Begins to watch; an earlier deadline than any known one wakes the watch then.
    ///
    /// - Returns: What `end` takes, or nil where there is no deadline.
    package func begin(_ watched: any DeadlineWatched) -> UInt64? {
        guard let deadline = watched.nextDeadline() else { return nil }
        return state.withLock { state in
            state.lastToken += 1
            state.watched[state.lastToken] = watched
            sleep(until: deadline, &state)
            return state.lastToken
        }
    }

    /// Looks again at a deadline that moved to an earlier time.
    package func moved(to deadline: Duration) {
        state.withLock { sleep(until: deadline, &$0) }
    }

    /// Ends to watch.
    package func end(_ token: UInt64) {
        state.withLock { _ = $0.watched.removeValue(forKey: token) }
    }

    private func sleep(until deadline: Duration, _ state: inout State) {
        if let wakeAt = state.wakeAt, wakeAt <= deadline { return }
        state.sleeper?.cancel()
        state.wakeAt = deadline
        // Weak, so that a forgotten watch goes at once and not at its last deadline.
        state.sleeper = Task { [weak self, clock] in
            guard (try? await clock.sleep(until: deadline)) != nil else { return }
            self?.wake(deadline)
        }
    }

    private func wake(_ deadline: Duration) {
        let watched = state.withLock { state -> [any DeadlineWatched] in
            // A sleeper that was replaced while it woke.
            guard state.wakeAt == deadline else { return [] }
            state.wakeAt = nil
            state.sleeper = nil
            return Array(state.watched.values)
        }
        let now = clock.now
        for one in watched { one.deadlinePassed(now: now) }
        if let next = watched.compactMap({ $0.nextDeadline() }).filter({ $0 > now }).min() { moved(to: next) }
    }
}
