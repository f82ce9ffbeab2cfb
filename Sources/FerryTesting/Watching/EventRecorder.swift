// Watching: what a test asks of calls and of the process: the events of calls, and what was not given back.

public import Ferry
import Synchronization

/// Collects the events of calls, and shows them in a few words.
///
/// ```swift
/// let recorder = EventRecorder()
/// let context = CallContext(sink: recorder.sink)
/// print(recorder.dump)
/// ```
public final class EventRecorder: Sendable {
    /// Guards the events: they come from whatever thread they happen on.
    private let list = Mutex<[CallEvent]>([])

    /// Creates an empty recorder.
    public init() {}

    /// Takes events: the sink of a `CallContext`.
    public var sink: @Sendable (CallEvent) -> Void { { [self] event in record(event) } }

    /// Takes one event.
    public func record(_ event: CallEvent) { list.withLock { $0.append(event) } }

    /// The events so far, in order.
    public var events: [CallEvent] { list.withLock { $0 } }

    /// Each event in a few words, without header values, query and content.
    public var words: [String] { events.map(\.description) }

    /// The events as numbered lines.
    public var dump: String {
        words.enumerated().map { "\($0.offset + 1). \($0.element)" }.joined(separator: "\n")
    }

    /// Forgets the events.
    public func removeAll() { list.withLock { $0 = [] } }
}
