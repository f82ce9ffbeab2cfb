import Synchronization

/// The results of several calls, as they are wanted: in the order of the calls or of their ends.
public struct CallResults<Value: Sendable>: AsyncSequence, Sendable {
    /// One call's result.
    public struct Element: Sendable {
        /// The place of the call among all, from 0.
        public let index: Int
        /// The value or the error.
        public let result: Result<Value, NetworkError>

        /// The value.
        ///
        /// - Throws: The call's error.
        public var value: Value {
            get throws(NetworkError) { try result.get() }
        }
    }

    /// In which order results are given.
    public enum Order: Hashable, Sendable {
        /// That of the calls.
        case input
        /// That in which they end.
        case completion
    }

    /// Failures are elements.
    public typealias Failure = Never

    private let count: Int
    private let maxConcurrency: Int
    private let order: Order
    private let run: @Sendable (Int) async -> Result<Value, NetworkError>

    init(
        count: Int, maxConcurrency: Int, order: Order,
        run: @escaping @Sendable (Int) async -> Result<Value, NetworkError>
    ) {
        self.count = count
        self.maxConcurrency = maxConcurrency
        self.order = order
        self.run = run
    }

    /// Every result, in the order of the calls.
    public func all() async -> [Result<Value, NetworkError>] {
        var results = [Result<Value, NetworkError>](repeating: .failure(.cancelled), count: count)
        for await element in self { results[element.index] = element.result }
        return results
    }

    /// Makes the calls. Each iterator makes them anew.
    public func makeAsyncIterator() -> Iterator {
        Iterator(count: count, maxConcurrency: maxConcurrency, order: order, run: run)
    }

    /// Iterates over the results.
    public struct Iterator: AsyncIteratorProtocol {
        private let count: Int
        private let maxConcurrency: Int
        private let order: Order
        private let running: RunningCalls<Value>
        private var started = 0
        /// Results that came before their turn.
        private var early: [Int: Result<Value, NetworkError>] = [:]
        private var given: Set<Int> = []
        /// The first call whose result was not given.
        private var turn = 0
        private var completions: AsyncStream<Element>.Iterator

        fileprivate init(
            count: Int, maxConcurrency: Int, order: Order,
            run: @escaping @Sendable (Int) async -> Result<Value, NetworkError>
        ) {
            self.count = count
            self.maxConcurrency = maxConcurrency
            self.order = order
            let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
            running = RunningCalls(run, continuation)
            completions = stream.makeAsyncIterator()
        }

        /// The next result, or nil after the last.
        public mutating func next() async -> Element? { await next(isolation: nil) }

        /// The next result, or nil after the last.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            guard given.count < count else { return nil }
            while started < count, started - given.count < maxConcurrency, !Task.isCancelled {
                running.start(started)
                started += 1
            }
            while given.contains(turn) { turn += 1 }
            if order == .input, let result = early.removeValue(forKey: turn) { return give(turn, result) }
            while let completion = await completions.next(isolation: actor) {
                if order == .completion || completion.index == turn { return give(completion.index, completion.result) }
                early[completion.index] = completion.result
            }
            // The consumer was cancelled, and with it what it waits for.
            running.cancel()
            return give(turn, .failure(.cancelled))
        }

        private mutating func give(_ index: Int, _ result: Result<Value, NetworkError>) -> Element {
            given.insert(index)
            return Element(index: index, result: result)
        }
    }
}

@available(*, unavailable)
extension CallResults.Iterator: Sendable {}

/// The calls of one iterator; cancelled when it goes.
private final class RunningCalls<Value: Sendable>: Sendable {
    private let run: @Sendable (Int) async -> Result<Value, NetworkError>
    private let completions: AsyncStream<CallResults<Value>.Element>.Continuation
    /// Guards the tasks: they are started and cancelled on the consumer's thread and end on others.
    private let tasks = Mutex<[Int: Task<Void, Never>]>([:])

    init(
        _ run: @escaping @Sendable (Int) async -> Result<Value, NetworkError>,
        _ completions: AsyncStream<CallResults<Value>.Element>.Continuation
    ) {
        self.run = run
        self.completions = completions
    }

    func start(_ index: Int) {
        tasks.withLock { tasks in
            tasks[index] = Task { [run, completions, weak self] in
                let result = await run(index)
                completions.yield(CallResults.Element(index: index, result: result))
                self?.ended(index)
            }
        }
    }

    func cancel() {
        let running = tasks.withLock { tasks in
            defer { tasks = [:] }
            return tasks.values.map(\.self)
        }
        for task in running { task.cancel() }
    }

    private func ended(_ index: Int) { tasks.withLock { _ = $0.removeValue(forKey: index) } }

    deinit { cancel() }
}
