// FerryUI: models that a screen observes, and SwiftUI views over them.
// May name Ferry, Observation and, in files of their own, SwiftUI.

public import Ferry
public import Observation

/// One load that a screen shows: its value, whether it is under way, and what went wrong.
///
/// ```swift
/// import FerryUI
///
/// @MainActor func showUser() async {
///     let model = CallModel(client, GetUser(id: 1))
///     await model.load()
///     show(model.value?.name ?? "")
/// }
/// ```
@MainActor
@Observable
public final class CallModel<Value: Sendable> {
    /// Makes the value.
    public typealias Load = @Sendable () async throws(NetworkError) -> Value

    /// Where the load is; nil before the first, and after one that was cancelled without a value before it.
    public private(set) var state: CallState<Value>?

    @ObservationIgnored private let work: Load
    @ObservationIgnored private let keepsLast: Bool
    @ObservationIgnored private var running: Task<Void, Never>?
    /// What `state` goes back to where the load under way is cancelled.
    @ObservationIgnored private var rest: CallState<Value>?
    /// Tells the load under way from those that another overtook.
    @ObservationIgnored private var generation = 0

    /// Creates a model over any load.
    ///
    /// - Parameters:
    ///   - keepsLast: Whether the value stays while it is loaded again. Default true.
    ///   - load: Makes the value; it must end promptly when its task is cancelled.
    public init(keepsLast: Bool = true, load: @escaping Load) {
        self.keepsLast = keepsLast
        work = load
    }

    /// Creates a model over a call that is described as a type.
    ///
    /// - Parameters:
    ///   - client: Makes the call.
    ///   - api: The call.
    ///   - keepsLast: Whether the value stays while it is loaded again. Default true.
    public convenience init<A: Api>(_ client: NetworkClient, _ api: A, keepsLast: Bool = true)
    where A.Response == Value {
        self.init(keepsLast: keepsLast) { () throws(NetworkError) in try await client.request(api) }
    }

    /// Creates a model over a call.
    ///
    /// - Parameters:
    ///   - client: Makes the call.
    ///   - call: The call.
    ///   - type: What to decode; inferred where possible.
    ///   - keepsLast: Whether the value stays while it is loaded again. Default true.
    public convenience init(
        _ client: NetworkClient, _ call: NetworkCall, as type: Value.Type = Value.self, keepsLast: Bool = true
    ) where Value: Decodable {
        self.init(keepsLast: keepsLast) { () throws(NetworkError) in try await client.request(call, as: type) }
    }

    /// The value that there is to show: the loaded one, or the one before while loading.
    public var value: Value? { state?.value }
    /// What went wrong with the last load.
    public var error: NetworkError? { state?.error }
    /// Whether a load is under way.
    public var isLoading: Bool { state?.isLoading ?? false }

    /// Loads, and returns when the load is over; joins one that is under way.
    ///
    /// Where the task that began the load is cancelled, so is the load; one that joined only stops to wait at its end.
    public func load() async {
        if let running { return await running.value }
        await run()
    }

    /// Loads anew, and returns when that is over; a load under way is cancelled.
    public func reload() async {
        cancel()
        await run()
    }

    /// Cancels the load under way; the state goes back to what it was before it.
    public func cancel() {
        guard let running else { return }
        running.cancel()
        finish(rest)
    }

    private func run() async {
        let last = keepsLast ? state?.value : nil
        rest = state
        state = .loading(last: last)
        generation += 1
        let (work, current) = (work, generation)
        let task = Task { [weak self] in
            let outcome: CallState<Value>
            do throws(NetworkError) {
                outcome = .loaded(try await work())
            } catch {
                outcome = .failed(error)
            }
            guard let self, self.generation == current, self.running != nil else { return }
            // What a cancelled load gives, if anything, is not wanted any more.
            self.finish(Task.isCancelled ? self.rest : outcome)
        }
        running = task
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func finish(_ state: CallState<Value>?) {
        running = nil
        rest = nil
        self.state = state
    }
}
