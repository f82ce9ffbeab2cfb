public import Foundation

/// The clock by which Ferry measures, waits and judges dates.
///
/// One for monotonic time and wall-clock dates, so that a test moves both together; `FerryTesting.ManualClock` is one.
public protocol NetworkClock: Sendable {
    /// A monotonic reading, from an origin of the clock's own.
    var now: Duration { get }

    /// The wall-clock date, for what servers say in dates.
    var date: Date { get }

    /// Waits until a reading.
    ///
    /// - Parameter instant: A reading of `now`; one in the past returns at once.
    /// - Throws: `CancellationError` promptly when the task is cancelled.
    func sleep(until instant: Duration) async throws(CancellationError)
}

extension NetworkClock {
    /// Waits for a time.
    ///
    /// - Throws: `CancellationError` promptly when the task is cancelled.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        try await sleep(until: now + duration)
    }
}

/// The system's clocks: continuous time, which goes on while the device sleeps, and the date.
public struct SystemClock: NetworkClock {
    private static let origin = ContinuousClock.now

    /// Creates the clock.
    public init() {}

    /// Continuous time since the process first asked.
    public var now: Duration { Self.origin.duration(to: .now) }

    /// The date of the system.
    public var date: Date { Date() }

    /// Waits until a reading of `now`.
    public func sleep(until instant: Duration) async throws(CancellationError) {
        // Far beyond any wait, and far from where the runtime's own arithmetic of instants traps.
        let reachable = min(instant, .seconds(1 << 40))
        do {
            try await ContinuousClock().sleep(until: Self.origin.advanced(by: reachable), tolerance: nil)
        } catch {
            throw CancellationError()
        }
    }
}

extension NetworkClock where Self == SystemClock {
    /// The system's clocks.
    public static var system: SystemClock { SystemClock() }
}
