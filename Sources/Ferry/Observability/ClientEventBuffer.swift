/// An event of any call of a client.
public struct ClientEvent: Sendable {
    /// The call's number in the process.
    public let call: CallContext.ID
    /// What happened.
    public let event: CallEvent
    /// How many events between the one before and this one were dropped, because the reader was behind.
    public internal(set) var dropped: Int

    package init(call: CallContext.ID, event: CallEvent, dropped: Int = 0) {
        self.call = call
        self.event = event
        self.dropped = dropped
    }
}

extension ClientEvent: CustomStringConvertible, CustomReflectable {
    /// The call's number and what happened, without header values, query and content.
    public var description: String { "\(call) \(event)" + (dropped > 0 ? " (\(dropped) dropped before)" : "") }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["event": description]) }
}

/// Events that wait for a reader: a pure value. Where it is full the oldest is dropped and counted.
package struct ClientEventBuffer: Sendable {
    private let limit: Int
    private var events: [ClientEvent] = []
    /// The place of the oldest event; what is before it was taken.
    private var first = 0
    private var droppedSince = 0
    private var isEnded = false
    /// Events dropped in all.
    private(set) package var dropped = 0

    /// - Parameter limit: Most events to hold; at least one.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// Takes an event.
    package mutating func append(_ event: ClientEvent) {
        guard !isEnded else { return }
        if events.count - first == limit {
            first += 1
            dropped += 1
            droppedSince += 1
        }
        if first > limit {
            events.removeFirst(first)
            first = 0
        }
        events.append(event)
    }

    /// Notes that no event follows.
    package mutating func end() { isEnded = true }

    /// The oldest event; nil inside where all were read and none follows, nil where there is none yet.
    package mutating func next() -> ClientEvent?? {
        guard first < events.count else { return isEnded ? .some(nil) : nil }
        var event = events[first]
        event.dropped = droppedSince
        droppedSince = 0
        first += 1
        if first == events.count {
            events.removeAll(keepingCapacity: true)
            first = 0
        }
        return event
    }
}

/// Where all events of a client pass, on their way to those who read them.
package final class ClientEventHub: Sendable {
    /// One reader.
    package final class Subscription: Sendable {
        package let buffer: Watched<ClientEventBuffer>
        private let hub: ClientEventHub

        fileprivate init(_ buffer: Watched<ClientEventBuffer>, _ hub: ClientEventHub) {
            (self.buffer, self.hub) = (buffer, hub)
        }

        deinit { hub.buffers.change { [buffer] in $0.removeAll { $0 === buffer } } }
    }

    private let buffers = Watched<[Watched<ClientEventBuffer>]>([])

    package init() {}

    /// Whether anybody reads.
    package var isObserved: Bool { buffers.read { !$0.isEmpty } }

    /// A reader of what happens from now on, until it is dropped.
    package func subscribe(limit: Int) -> Subscription {
        let buffer = Watched(ClientEventBuffer(limit: limit))
        buffers.change { $0.append(buffer) }
        return Subscription(buffer, self)
    }

    /// Hands an event to every reader.
    package func publish(_ event: ClientEvent) {
        for buffer in buffers.read({ $0 }) { buffer.change { $0.append(event) } }
    }

    /// Ends the events of every reader.
    package func end() {
        for buffer in buffers.read({ $0 }) { buffer.change { $0.end() } }
    }
}
