import Foundation
import Synchronization

/// A download to a file, as the sequence of its events.
///
/// ```swift
/// for try await event in client.download(call, to: file) {
///     switch event {
///     case .progress(let progress): show(progress.fraction)
///     case .finished(let file): open(file.url)
///     }
/// }
/// ```
///
/// The download begins when the loop begins, and goes on while the loop asks for events. Leaving the loop or cancelling
/// the task ends it; what came stays as a partial file where it can be resumed, and the next download of the same call to
/// the same place goes on from there. Each loop is a download of its own.
public struct Download: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = DownloadEvent
    /// Every failure is a `NetworkError`.
    public typealias Failure = NetworkError

    private let client: NetworkClient
    private let call: NetworkCall
    private let target: URL
    private let options: DownloadOptions
    private let control = DownloadControl()

    init(_ client: NetworkClient, _ call: NetworkCall, to target: URL, options: DownloadOptions) {
        self.client = client
        self.call = call
        self.target = target
        self.options = options
    }

    /// Stops the transfer; the loop waits for ``resume()``. Has no effect while it is paused.
    ///
    /// The connection is given up, for a transfer cannot be held everywhere. Where the server gave a strong validator only
    /// the rest is asked for afterwards, else the whole again.
    public func pause() { control.pause() }

    /// Goes on after ``pause()``.
    public func resume() { control.resume() }

    /// Whether the download is paused.
    public var isPaused: Bool { control.isPaused }

    /// Begins a download, which moves when it is asked for events.
    public func makeAsyncIterator() -> Iterator {
        let control = control
        let engine = DownloadEngine(client, call, to: target, options: options) { control.isPaused }
        return Iterator(engine: engine, control: control)
    }

    /// Iterates over the events of a `Download`.
    public struct Iterator: AsyncIteratorProtocol {
        private let engine: DownloadEngine
        private let control: DownloadControl
        private let owner: Owner
        private var isFinished = false

        fileprivate init(engine: DownloadEngine, control: DownloadControl) {
            self.engine = engine
            self.control = control
            owner = Owner(engine.lease)
        }

        /// The next event, or nil after the last.
        ///
        /// - Throws: `NetworkError`; afterwards the sequence is finished.
        public mutating func next() async throws(NetworkError) -> DownloadEvent? { try await next(isolation: nil) }

        /// The next event, or nil after the last.
        ///
        /// - Throws: `NetworkError`; afterwards the sequence is finished.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkError) -> DownloadEvent? {
            guard !isFinished else { return nil }
            while true {
                let result: Result<DownloadEngine.Step, NetworkError>
                if control.isPaused { await engine.pause() }
                if await control.waitUntilResumed() {
                    result = await control.run(engine)
                } else {
                    result = .failure(await engine.abort(.cancelled))
                }
                switch result {
                case .success(.event(let event)): return event
                case .success(.paused): continue
                case .success(.end):
                    isFinished = true
                    return nil
                case .failure(let error):
                    isFinished = true
                    throw error
                }
            }
        }

        /// Ends the download when its last iterator goes.
        private final class Owner {
            private let lease: DownloadLease

            init(_ lease: DownloadLease) { self.lease = lease }

            deinit { lease.end(.cancelled, nil) }
        }
    }
}

@available(*, unavailable)
extension Download.Iterator: Sendable {}

/// Pauses and resumes what runs, from any thread.
private final class DownloadControl: Sendable {
    private struct State {
        var isPaused = false
        var running: [UInt64: Task<Result<DownloadEngine.Step, NetworkError>, Never>] = [:]
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var lastID: UInt64 = 0
    }

    /// Guards the flag and all who are to hear of a change: they come from other threads.
    private let state = Mutex(State())

    var isPaused: Bool { state.withLock { $0.isPaused } }

    func pause() {
        let running = state.withLock { state in
            state.isPaused = true
            return state.running.values
        }
        for task in running { task.cancel() }
    }

    func resume() {
        let waiting = state.withLock { state in
            state.isPaused = false
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    /// Runs one step in a task of its own, so that a pause can stop it and leave the caller's task alone.
    func run(_ engine: DownloadEngine) async -> Result<DownloadEngine.Step, NetworkError> {
        let task = Task<Result<DownloadEngine.Step, NetworkError>, Never> {
            do throws(NetworkError) { return .success(try await engine.step()) } catch { return .failure(error) }
        }
        let (id, isPaused) = state.withLock { state in
            state.lastID += 1
            state.running[state.lastID] = task
            return (state.lastID, state.isPaused)
        }
        if isPaused { task.cancel() }
        defer { state.withLock { _ = $0.running.removeValue(forKey: id) } }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Waits while the download is paused.
    ///
    /// - Returns: False where the task was cancelled.
    func waitUntilResumed() async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    if !state.isPaused { return true }
                    state.waiting[id] = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: false)
        }
    }
}
