extension NetworkClient {
    /// What happens to all calls of this client that begin from now on.
    ///
    /// ```swift
    /// for await event in client.allEvents() { show("\(event)") }
    /// ```
    ///
    /// A reader that is behind loses the oldest events: each event says how many were dropped before it. Leaving the loop
    /// ends it and cancels no call. It ends with the client's `shutdown`.
    ///
    /// - Parameter limit: Most events that wait for the reader. Default 1,024.
    public nonisolated func allEvents(limit: Int = 1024) -> ClientEvents { ClientEvents(hub.subscribe(limit: limit)) }

    /// Who takes the events of a call: whoever asked for them, the monitors, the log and readers of all events.
    ///
    /// Nil where nobody listens, so that no event is made.
    nonisolated func observer(
        of id: CallContext.ID, _ sink: (@Sendable (CallEvent) -> Void)?
    ) -> (@Sendable (CallEvent) -> Void)? {
        let monitors = configuration.eventMonitors
        let logger = configuration.logger
        let redaction = configuration.redaction
        let hub = self.hub.isObserved ? self.hub : nil
        guard !monitors.isEmpty || logger != nil || hub != nil else { return sink }
        return { event in
            sink?(event)
            for monitor in monitors { monitor.received(event, of: id) }
            logger?.log(event, of: id, redaction: redaction)
            hub?.publish(ClientEvent(call: id, event: event))
        }
    }
}

/// What happens to all calls of a client, as far as the reader keeps up. One reader: each loop goes on where the one before ended.
public struct ClientEvents: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = ClientEvent
    /// It never throws.
    public typealias Failure = Never

    private let subscription: ClientEventHub.Subscription

    init(_ subscription: ClientEventHub.Subscription) { self.subscription = subscription }

    /// How many events were dropped so far.
    public var dropped: Int { subscription.buffer.read { $0.dropped } }

    /// Iterates over the events.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

    /// Iterates over the events of `ClientEvents`.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: ClientEventHub.Subscription

        /// The next event, or nil after the client's shutdown, or where the task is cancelled.
        public mutating func next() async -> ClientEvent? { await next(isolation: nil) }

        /// The next event, or nil after the client's shutdown, or where the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ClientEvent? {
            await subscription.buffer.wait { $0.next() } ?? nil
        }
    }
}

@available(*, unavailable)
extension ClientEvents.Iterator: Sendable {}
