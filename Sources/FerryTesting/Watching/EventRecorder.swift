// Watching: what a test asks of calls and of the process: the events of calls, and what was not given back.

public import Ferry
import Synchronization

/// Collects the events of calls, and shows them in a few words.
///
/// ```swift
/// let recorder = EventRecorder()
/// let client = NetworkClient(baseURL: url) { $0.eventMonitors = [recorder] }
/// // … what is tested …
/// XCTAssertEqual(recorder.attempts, [1, 2])
/// XCTAssertEqual(recorder.retries.map(\.wait), [.seconds(1)])
/// print(recorder.dump)
/// ```
public final class EventRecorder: EventMonitor {
    /// Guards the events: they come from whatever thread they happen on.
    private let list = Mutex<[CallEvent]>([])

    /// Creates an empty recorder.
    public init() {}

    /// Takes events: the sink of a `CallContext`.
    public var sink: @Sendable (CallEvent) -> Void { { [self] event in record(event) } }

    /// Takes an event of a client whose monitor this is.
    public func received(_ event: CallEvent, of call: CallContext.ID) { record(event) }

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

    /// The numbers of the attempts that began, in order.
    public var attempts: [Int] {
        events.compactMap { if case .attempt(let number, _) = $0 { number } else { nil } }
    }

    /// The waits between attempts and why each came, in order.
    public var retries: [(wait: Duration, reason: NetworkError)] {
        events.compactMap { if case .retry(let wait, let reason) = $0 { (wait, reason) } else { nil } }
    }

    /// How many calls have begun and not ended: 0 when all is over, whatever became of them.
    public var runningCalls: Int {
        events.reduce(0) { count, event in
            switch event {
            case .queued: count + 1
            case .finished: count - 1
            default: count
            }
        }
    }

    /// Forgets the events.
    public func removeAll() { list.withLock { $0 = [] } }
}
