public import Ferry
public import Foundation
import Synchronization

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// let client = NetworkClient(baseURL: url) { $0.clock = clock }
/// async let value = client.request(call)
/// await clock.waitForSleepers(1)      // the client waits between two attempts
/// clock.advance(by: .seconds(5))
/// ```
///
/// Time and date move together. Sleepers wake in the order of their deadlines.
public final class ManualClock: NetworkClock {
    /// Guards everything that changes: tests advance on one thread while calls wait on others.
    private let state: Mutex<State>
    private let startDate: Date
    private let advancesItself: Bool

    private struct Sleeper {
        let id: UInt64
        let deadline: Duration
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Watcher {
        let id: UInt64
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now: Duration = .zero
        var nextID: UInt64 = 0
        var sleepers: [Sleeper] = []
        var watchers: [Watcher] = []
        var cancelledEarly: Set<UInt64> = []
        var requested: [Duration] = []
    }

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - date: The date at reading zero. Default 2026-01-01T00:00:00Z.
    ///   - advancesItself: Whether a sleep moves the clock and returns at once, for tests of one task after the other
    ///     that look at `requestedSleeps` alone. The time-outs of a client are sleeps too: switch them off there, with
    ///     `Timeouts(idle: nil)`. Default false.
    public init(date: Date = Date(timeIntervalSince1970: 1_767_225_600), advancesItself: Bool = false) {
        startDate = date
        self.advancesItself = advancesItself
        state = Mutex(State())
    }

    /// Time by which the clock was advanced.
    public var now: Duration { state.withLock { $0.now } }

    /// The start date plus `now`.
    public var date: Date { startDate.addingTimeInterval(TimeInterval(now / .milliseconds(1)) / 1000) }

    /// How long each sleeper asked to wait, in the order in which they asked; the ones that woke included.
    public var requestedSleeps: [Duration] { state.withLock { $0.requested } }

    /// How many tasks wait now.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// When the next sleeper wakes, or nil where nobody waits.
    public var nextDeadline: Duration? { state.withLock { $0.sleepers.map(\.deadline).min() } }

    /// Moves the clock and wakes every sleeper whose deadline has come, in the order of their deadlines.
    ///
    /// - Parameter duration: How far; not negative.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += max(duration, .zero)
            let due = state.sleepers.filter { $0.deadline <= state.now }.sorted { $0.deadline < $1.deadline }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume(returning: true) }
    }

    /// Moves the clock to the next sleeper's deadline and wakes it.
    ///
    /// - Returns: How far the clock moved, or nil where nobody waits.
    @discardableResult
    public func advanceToNextDeadline() -> Duration? {
        guard let deadline = nextDeadline else { return nil }
        let step = max(deadline - now, .zero)
        advance(by: step)
        return step
    }

    /// Waits until a number of tasks wait on this clock.
    ///
    /// - Parameter count: How many, at least. Default 1.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.nextID += 1
                state.watchers.append(Watcher(id: state.nextID, count: count, continuation: continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    /// Waits until the clock was advanced to a reading.
    public func sleep(until instant: Duration) async throws(CancellationError) {
        let id = state.withLock { state in
            state.nextID += 1
            state.requested.append(max(instant - state.now, .zero))
            return state.nextID
        }
        let completed = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enter(id: id, until: instant, continuation)
            }
        } onCancel: {
            cancel(id)
        }
        // A cancel that came after the wake left its mark behind.
        state.withLock { _ = $0.cancelledEarly.remove(id) }
        if !completed { throw CancellationError() }
    }

    private func enter(id: UInt64, until instant: Duration, _ continuation: CheckedContinuation<Bool, Never>) {
        enum Outcome {
            case resume(Bool)
            case wait([Watcher])
        }
        let outcome = state.withLock { state -> Outcome in
            if state.cancelledEarly.remove(id) != nil { return .resume(false) }
            if advancesItself { state.now = max(state.now, instant) }
            if instant <= state.now { return .resume(true) }
            state.sleepers.append(Sleeper(id: id, deadline: instant, continuation: continuation))
            let count = state.sleepers.count
            let ready = state.watchers.filter { $0.count <= count }
            state.watchers.removeAll { $0.count <= count }
            return .wait(ready)
        }
        switch outcome {
        case .resume(let completed): continuation.resume(returning: completed)
        case .wait(let watchers): for watcher in watchers { watcher.continuation.resume() }
        }
    }

    private func cancel(_ id: UInt64) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelledEarly.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(returning: false)
    }
}
