/// What happens to a call, with its value at the end.
public enum ValueEvent<Value: Sendable>: Sendable {
    /// Something happened on the way; never `CallEvent.finished`.
    case event(CallEvent)
    /// The call ended, with its decoded response or its error. Once, last.
    case finished(Result<Response<Value>, NetworkError>)
}

/// What happens to a call, in order and complete, and last its value or error, exactly once. It never throws.
public struct ValueEvents<Value: Sendable>: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = ValueEvent<Value>
    /// It never throws.
    public typealias Failure = Never

    private let begin: @Sendable () -> CallTask<Value>

    init(begin: @escaping @Sendable () -> CallTask<Value>) { self.begin = begin }

    /// Iterates over the events of a call of its own, which begins with the first `next`.
    public func makeAsyncIterator() -> Iterator { Iterator(begin: begin) }

    /// Iterates over the events of `ValueEvents`.
    public struct Iterator: AsyncIteratorProtocol {
        private var begin: (@Sendable () -> CallTask<Value>)?
        /// Held for its end: dropping it cancels the call.
        private var owner: CallTaskOwner<Value>?
        private var events: CallEvents.Iterator?

        fileprivate init(begin: @escaping @Sendable () -> CallTask<Value>) { self.begin = begin }

        /// The next event, or nil after the last one, or where the task is cancelled.
        public mutating func next() async -> ValueEvent<Value>? { await next(isolation: nil) }

        /// The next event, or nil after the last one, or where the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ValueEvent<Value>? {
            if let begin = begin.take() {
                let task = begin()
                owner = CallTaskOwner(task)
                events = task.events.makeAsyncIterator()
                task.start()
            }
            guard let event = await events?.next(isolation: actor), let task = owner?.task else {
                (owner, events) = (nil, nil)
                return nil
            }
            guard case .finished = event else { return .event(event) }
            let result: Result<Response<Value>, NetworkError>
            do throws(NetworkError) {
                result = .success(try await task.response)
            } catch {
                result = .failure(error)
            }
            (owner, events) = (nil, nil)
            return .finished(result)
        }
    }
}

@available(*, unavailable)
extension ValueEvents.Iterator: Sendable {}
