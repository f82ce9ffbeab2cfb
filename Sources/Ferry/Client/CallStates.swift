/// Where a load is, as a screen shows it.
public enum CallState<Value: Sendable>: Sendable {
    /// Under way; with the value of the load before, where that is to be kept.
    case loading(last: Value?)
    /// Ended with a value.
    case loaded(Value)
    /// Ended with an error.
    case failed(NetworkError)

    /// The value that there is to show: the loaded one, or the last one while loading.
    public var value: Value? {
        switch self {
        case .loading(let last): last
        case .loaded(let value): value
        case .failed: nil
        }
    }

    /// The error of a failed load.
    public var error: NetworkError? { if case .failed(let error) = self { error } else { nil } }

    /// Whether it is under way.
    public var isLoading: Bool { if case .loading = self { true } else { false } }
}

extension CallState: Equatable where Value: Equatable {
    /// Compares errors by their kind, status and message.
    public static func == (lhs: CallState, rhs: CallState) -> Bool {
        switch (lhs, rhs) {
        case (.loading(let lhs), .loading(let rhs)): lhs == rhs
        case (.loaded(let lhs), .loaded(let rhs)): lhs == rhs
        case (.failed(let lhs), .failed(let rhs)):
            lhs.kind == rhs.kind && lhs.status == rhs.status && lhs.message == rhs.message
        default: false
        }
    }
}

/// The states of a load: `loading`, then `loaded` or `failed`; the same again for each reload.
///
/// Without a trigger it ends after the first load; with one when the loop is left or its task is cancelled.
public struct CallStates<Value: Sendable>: AsyncSequence, Sendable {
    /// One state.
    public typealias Element = CallState<Value>
    /// It never throws: an error is a state.
    public typealias Failure = Never

    typealias Load = @Sendable () async throws(NetworkError) -> Value

    private let load: Load
    private let trigger: ReloadTrigger?
    private let keepsLast: Bool

    init(trigger: ReloadTrigger?, keepsLast: Bool, load: @escaping Load) {
        self.load = load
        self.trigger = trigger
        self.keepsLast = keepsLast
    }

    /// Iterates over the states of loads of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(load: load, trigger: trigger, keepsLast: keepsLast) }

    /// Iterates over the states of `CallStates`.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case start, load, rest, end
        }

        private let load: Load
        private let trigger: ReloadTrigger?
        private let keepsLast: Bool
        private var phase = Phase.start
        private var last: Value?
        /// How often the trigger had been pulled when the load under way began.
        private var pulls: Int

        fileprivate init(load: @escaping Load, trigger: ReloadTrigger?, keepsLast: Bool) {
            self.load = load
            self.trigger = trigger
            self.keepsLast = keepsLast
            pulls = trigger?.pulls ?? 0
        }

        /// The next state, or nil at the end.
        public mutating func next() async -> CallState<Value>? { await next(isolation: nil) }

        /// The next state, or nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> CallState<Value>? {
            switch phase {
            case .start:
                return begin()
            case .load:
                guard let state = await Self.outcome(of: load, unless: trigger, after: pulls) else {
                    return Task.isCancelled ? end() : begin()
                }
                if Task.isCancelled { return end() }
                phase = trigger == nil ? .end : .rest
                last = state.value ?? last
                return state
            case .rest:
                guard let trigger, await trigger.pulled(after: pulls), !Task.isCancelled else { return end() }
                return begin()
            case .end:
                return nil
            }
        }

        private mutating func begin() -> CallState<Value> {
            phase = .load
            pulls = trigger?.pulls ?? 0
            return .loading(last: keepsLast ? last : nil)
        }

        private mutating func end() -> CallState<Value>? {
            phase = .end
            return nil
        }

        /// What the load comes to; nil where a reload overtook it.
        private static func outcome(
            of load: @escaping Load, unless trigger: ReloadTrigger?, after pulls: Int
        ) async -> CallState<Value>? {
            guard let trigger else { return await outcome(of: load) }
            return await withTaskGroup(of: CallState<Value>?.self) { group in
                group.addTask { await outcome(of: load) }
                group.addTask {
                    _ = await trigger.pulled(after: pulls)
                    return nil
                }
                defer { group.cancelAll() }
                return await group.next() ?? nil
            }
        }

        private static func outcome(of load: @escaping Load) async -> CallState<Value>? {
            do throws(NetworkError) {
                return .loaded(try await load())
            } catch {
                return .failed(error)
            }
        }
    }
}

@available(*, unavailable)
extension CallStates.Iterator: Sendable {}

/// Asks a running `CallStates` to load again.
public final class ReloadTrigger: Sendable {
    private let count = Watched(0)

    /// Creates a trigger, for any number of loops.
    public init() {}

    /// Loads again; a load under way is cancelled and begins anew.
    public func reload() { count.change { $0 += 1 } }

    var pulls: Int { count.read { $0 } }

    /// Waits until it is pulled once more than `count` times; false where the task is cancelled.
    func pulled(after pulls: Int) async -> Bool { await count.wait { $0 > pulls ? true : nil } ?? false }
}
