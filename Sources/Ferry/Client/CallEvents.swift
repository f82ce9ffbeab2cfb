/// What happens to a call, in order and complete: from `queued` to `finished`, which comes exactly once and last.
///
/// It never throws: an error is the last event.
public struct CallEvents: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = CallEvent
    /// It never throws.
    public typealias Failure = Never

    /// A call that lives as long as it is held.
    final class Session: Sendable {
        let channel: CallEventChannel
        private let cancel: @Sendable () -> Void

        init(_ channel: CallEventChannel, cancel: @escaping @Sendable () -> Void) {
            self.channel = channel
            self.cancel = cancel
        }

        deinit { cancel() }
    }

    private enum Source: Sendable {
        case channel(CallEventChannel)
        case call(@Sendable () -> Session)
    }

    private let source: Source

    /// The events of a call that somebody else runs.
    init(_ channel: CallEventChannel) { source = .channel(channel) }

    /// The events of a call that each loop makes for itself.
    init(begin: @escaping @Sendable () -> Session) { source = .call(begin) }

    /// Iterates over the events.
    public func makeAsyncIterator() -> Iterator {
        switch source {
        case .channel(let channel): Iterator(channel: channel, begin: nil)
        case .call(let begin): Iterator(channel: nil, begin: begin)
        }
    }

    /// Iterates over the events of `CallEvents`.
    public struct Iterator: AsyncIteratorProtocol {
        private var channel: CallEventChannel?
        private var begin: (@Sendable () -> Session)?
        /// Held for its end: dropping it cancels the call.
        private var session: Session?
        private var position: UInt64 = 0

        fileprivate init(channel: CallEventChannel?, begin: (@Sendable () -> Session)?) {
            self.channel = channel
            self.begin = begin
        }

        /// The next event, or nil after the last one, or where the task is cancelled.
        public mutating func next() async -> CallEvent? { await next(isolation: nil) }

        /// The next event, or nil after the last one, or where the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> CallEvent? {
            if let begin = begin.take() {
                let session = begin()
                self.session = session
                channel = session.channel
            }
            guard case .event(let event, let position) = await channel?.next(after: position) else {
                (channel, session) = (nil, nil)
                return nil
            }
            self.position = position
            return event
        }
    }
}

@available(*, unavailable)
extension CallEvents.Iterator: Sendable {}
