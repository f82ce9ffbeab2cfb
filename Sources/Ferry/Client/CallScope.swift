import Synchronization

/// Owns calls, and cancels them when it goes away.
///
/// ```swift
/// @MainActor final class ProfileModel {
///     private let scope = CallScope()
///     private(set) var user: User?
///
///     func load() {
///         scope.task { @MainActor [weak self] in
///             let user = try? await client.request(GetUser(id: 1))
///             self?.user = user
///         }
///     }                          // cancelled with the model: nothing to keep, nothing to dispose of
/// }
/// ```
///
/// In place of dispose bags. Where the calls' lifetime is a function's, plain `async let` and task groups do the same.
public final class CallScope: Sendable {
    private let storage = Storage()

    /// Creates a scope that owns nothing yet.
    public init() {}

    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool { storage.tasks.withLock { $0 == nil } }

    /// How many of its tasks run.
    package var count: Int { storage.tasks.withLock { $0?.count ?? 0 } }

    /// Starts a task that the scope owns. Capture what owns the scope weakly: the task would keep it alive.
    ///
    /// - Parameters:
    ///   - priority: Default: that of the caller.
    ///   - operation: In a cancelled scope it starts cancelled.
    /// - Returns: The task, for those who want to cancel it alone or wait for it.
    @discardableResult
    public func task(
        priority: TaskPriority? = nil, _ operation: @escaping @Sendable @isolated(any) () async -> Void
    ) -> Task<Void, Never> {
        storage.start { [storage] id in
            Task(priority: priority) {
                storage.cancelIfLate()
                await operation()
                storage.ended(id)
            }
        }
    }

    /// Runs an operation as part of the scope, and waits for it.
    ///
    /// The scope lives on as long as somebody waits here; `cancel()` ends the operation.
    ///
    /// - Parameter operation: Cancelled with the scope, and with the caller's task.
    /// - Throws: What the operation throws.
    public func run<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws(NetworkError) -> Value
    ) async throws(NetworkError) -> Value {
        let task = storage.start { [storage] id in
            Task { () async -> Result<Value, NetworkError> in
                defer { storage.ended(id) }
                storage.cancelIfLate()
                do throws(NetworkError) { return .success(try await operation()) } catch { return .failure(error) }
            }
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    /// Cancels every task of the scope, and each that is started later.
    public func cancel() { storage.cancel() }

    deinit { storage.cancel() }

    /// What tasks may hold without holding the scope.
    private final class Storage: Sendable {
        /// Guards the cancel actions by number, nil once cancelled: tasks end on many threads.
        let tasks = Mutex<[UInt64: @Sendable () -> Void]?>([:])
        private let lastID = Atomic<UInt64>(0)

        func start<Value, Failure: Error>(_ make: (UInt64) -> Task<Value, Failure>) -> Task<Value, Failure> {
            let id = lastID.add(1, ordering: .relaxed).newValue
            // Under the lock, so that a task which ends at once is not added after it was removed.
            return tasks.withLock { tasks in
                let task = make(id)
                tasks?[id] = { task.cancel() }
                return task
            }
        }

        /// Cancels the current task where the scope was cancelled before it: from inside, so that it does not run
        /// ahead of its cancel.
        func cancelIfLate() {
            if tasks.withLock({ $0 == nil }) { withUnsafeCurrentTask { $0?.cancel() } }
        }

        func ended(_ id: UInt64) { tasks.withLock { _ = $0?.removeValue(forKey: id) } }

        func cancel() {
            let cancels = tasks.withLock { tasks in
                defer { tasks = nil }
                return tasks?.values.map(\.self) ?? []
            }
            for cancel in cancels { cancel() }
        }
    }
}
