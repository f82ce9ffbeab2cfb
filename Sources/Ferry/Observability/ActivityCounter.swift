import Synchronization

/// Counts the calls under way: what a network indicator shows.
///
/// ```swift
/// let activity = ActivityCounter { count in print(count > 0 ? "busy" : "idle") }
/// let client = NetworkClient(baseURL: url) { $0.eventMonitors = [activity] }
/// ```
///
/// One counter may serve several clients. Every call that is counted is counted off, however it ends.
public final class ActivityCounter: EventMonitor {
    /// Guards the calls under way: they begin and end on any thread.
    private let running = Mutex<Set<CallContext.ID>>([])
    private let onChange: @Sendable (Int) -> Void

    /// Creates a counter at zero.
    ///
    /// - Parameter onChange: Takes the count each time it changes, on whatever thread it does; of changes at the same time
    ///   the order is not certain, so read ``count`` where the last one matters. Default: nothing.
    public init(onChange: @escaping @Sendable (Int) -> Void = { _ in }) { self.onChange = onChange }

    /// How many calls are under way.
    public var count: Int { running.withLock { $0.count } }

    /// Whether any call is under way.
    public var isActive: Bool { count > 0 }

    /// Counts the call.
    public func callQueued(_ call: CallContext.ID) {
        let count = running.withLock { $0.insert(call).inserted ? $0.count : nil }
        if let count { onChange(count) }
    }

    /// Counts the call off.
    public func callFinished(_ call: CallContext.ID, _ outcome: CallOutcome) {
        let count = running.withLock { $0.remove(call) == nil ? nil : $0.count }
        if let count { onChange(count) }
    }
}
