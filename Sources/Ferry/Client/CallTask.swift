/// A call under way as an object: started by hand, watched by any number of readers, awaited, cancelled.
///
/// ```swift
/// let task = client.task(GetUser(id: 1))
/// task.start()
/// for await event in task.events { show("\(event)") }
/// let user = try await task.value
/// ```
///
/// Prefer `try await client.request(…)`, which needs no object. A task that is dropped goes on, as Swift's own tasks do.
public final class CallTask<Value: Sendable>: Sendable {
    /// How far a call is.
    public enum State: Hashable, Sendable {
        /// Not started.
        case waiting
        /// Started.
        case running
        /// Over, with a value or an error.
        case finished
    }

    /// What the call came to.
    public typealias Result = Swift.Result<Response<Value>, NetworkError>

    typealias Work = @Sendable (CallObserver) async -> Result

    /// The call's number in the process, also in logs.
    public let id = CallContext.ID.next()

    private let work: Work
    let channel: CallEventChannel
    private let progress = Watched(Progress())

    private struct Progress: Sendable {
        var task: Task<Void, Never>?
        var result: Result?
        /// The last event, held until the result is there, so that whoever reads it finds the task finished.
        var end: CallEvent?
    }

    init(clock: any NetworkClock, work: @escaping Work) {
        self.work = work
        channel = CallEventChannel(clock: clock)
    }

    /// How far the call is.
    public var state: State {
        progress.read { $0.result != nil ? .finished : $0.task != nil ? .running : .waiting }
    }

    /// What happens to the call: every reader sees everything from the start, whenever it comes, and the end once.
    ///
    /// Of progress in a row a reader that is behind sees the first and the newest, so that the memory is bounded. Reading does
    /// not start the call, and leaving the loop does not cancel it.
    public var events: CallEvents { CallEvents(channel) }

    /// Starts the call; has no effect once it is started.
    public func start() { begin(isCancelled: false) }

    /// Cancels the call: it ends with `cancelled`, promptly; has no effect once it is over. One that was not started
    /// ends without having sent anything.
    public func cancel() { begin(isCancelled: true) }

    /// The value of the call; starts it where it is not started.
    ///
    /// - Throws: What the call throws; `cancelled` also where the task that waits here is cancelled, which leaves the
    ///   call as it is.
    public var value: Value {
        get async throws(NetworkError) { try await response.value }
    }

    /// The value of the call with its response; starts it where it is not started.
    ///
    /// - Throws: As `value` does.
    public var response: Response<Value> {
        get async throws(NetworkError) {
            start()
            guard let result = await progress.wait(for: { $0.result }) else { throw .cancelled }
            return try result.get()
        }
    }

    private func begin(isCancelled: Bool) {
        let running = progress.change { progress -> Task<Void, Never>? in
            if let task = progress.task { return task }
            progress.task = Task {
                if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
                let result = await work(CallObserver(id: id) { [self] in take($0) })
                let end = self.progress.change { progress in
                    progress.result = result
                    return progress.end
                }
                if let end { channel.record(end) }
            }
            return nil
        }
        if isCancelled { running?.cancel() }
    }

    private func take(_ event: CallEvent) {
        if case .finished = event {
            progress.change { $0.end = event }
        } else {
            channel.record(event)
        }
    }
}

/// Cancels a call when it is dropped.
final class CallTaskOwner<Value: Sendable>: Sendable {
    let task: CallTask<Value>

    init(_ task: CallTask<Value>) { self.task = task }

    deinit { task.cancel() }
}
