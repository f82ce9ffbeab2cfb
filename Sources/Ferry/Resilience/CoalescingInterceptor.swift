import Foundation
import Synchronization

extension CallOptions {
    private enum CoalescingKey: CallOptionKey { typealias Value = Bool }

    /// Whether this call may share its exchange with identical ones in flight; nil takes the client's setting.
    ///
    /// Only safe requests without a body whose response is buffered are ever shared (RFC 9110 §9.2.1).
    public var coalesces: Bool? {
        get { self[CoalescingKey.self] }
        set { self[CoalescingKey.self] = newValue }
    }
}

/// Lets identical safe requests in flight share one exchange.
///
/// Identical means: the same method, URL but for the fragment, header fields, limits, time-outs of an attempt, and
/// options. So two calls with different credentials never share, nor two that the server may tell apart by any field.
/// Calls with an option that cannot be compared (such as one with a closure) are sent by themselves.
///
/// The exchange runs in a task of its own under a context of its own. Each call waits for it with its own cancel and its
/// own total time-out, and leaves alone; the last one to leave cancels the exchange. All get the same response or error.
/// A call that joins sees the events from then on, and the attempts and times of the whole exchange at its end.
package final class CoalescingInterceptor: Interceptor {
    private let isDefault: Bool
    /// Guards the exchanges and their waiters: calls join and leave on any thread.
    private let exchanges = Mutex<[Key: Exchange]>([:])

    /// - Parameter isDefault: Whether calls share that do not say. Default true.
    package init(isDefault: Bool = true) { self.isDefault = isDefault }

    /// Exchanges in flight that can be joined.
    package var count: Int { exchanges.withLock { $0.count } }
    /// Calls that wait for them.
    package var waiterCount: Int { exchanges.withLock { $0.values.reduce(0) { $0 + $1.waiters.count } } }

    package func intercept(
        _ request: HTTPRequest, context: CallContext, next: Next
    ) async throws(NetworkError) -> HTTPResponse {
        guard context.options.coalesces ?? isDefault, context.delivery == .buffered, request.method.isSafe,
            request.body.isNone, let key = Key(request, context)
        else { return try await next(request) }
        if Task.isCancelled { throw .cancelled }

        let waiter = CoalescedWaiter(context)
        let id = ObjectIdentifier(waiter)
        let (exchange, isNew) = exchanges.withLock { exchanges in
            let known = exchanges[key]
            var exchange = known ?? Exchange(context: sharedContext(like: context, key))
            exchange.waiters[id] = waiter
            exchanges[key] = exchange
            return (exchange, known == nil)
        }
        if isNew { start(exchange.context, key, request, next) }

        waiter.onExpiry = { [weak self] waiter in self?.leave(key, waiter) }
        let token = context.deadlines.begin(waiter)
        let result = await withTaskCancellationHandler {
            await waiter.result()
        } onCancel: {
            waiter.resolve(.failure(.cancelled))
            leave(key, waiter)
        }
        if let token { context.deadlines.end(token) }
        context.adopt(exchange.context)
        return try result.get()
    }

    /// One exchange and those who wait for it.
    private struct Exchange: Sendable {
        let context: CallContext
        var task: Task<Void, Never>?
        var waiters: [ObjectIdentifier: CoalescedWaiter] = [:]
    }

    /// The context of the exchange: without a total time-out, for each waiter keeps its own.
    private func sharedContext(like context: CallContext, _ key: Key) -> CallContext {
        let id = CallContext.ID.next()
        return CallContext(
            delivery: .buffered, timeouts: key.timeouts, options: context.options, limits: context.limits,
            clock: context.clock, deadlines: context.deadlines, id: id,
            sink: { [weak self] event in
                // An exchange that all left may still be ending while another has its place.
                let waiters = self?.exchanges.withLock { exchanges in
                    exchanges[key].flatMap { $0.context.id == id ? Array($0.waiters.values) : nil }
                }
                for waiter in waiters ?? [] { waiter.context.emit(event) }
            })
    }

    private func start(_ context: CallContext, _ key: Key, _ request: HTTPRequest, _ next: Next) {
        let task = Task {
            let result: Result<HTTPResponse, NetworkError>
            do throws(NetworkError) {
                result = .success(try await next(request, context: context))
            } catch {
                result = .failure(error)
            }
            let waiters = exchanges.withLock { exchanges -> [CoalescedWaiter] in
                // Where all left, another exchange may have taken the place.
                guard let exchange = exchanges[key], exchange.context === context else { return [] }
                exchanges[key] = nil
                return Array(exchange.waiters.values)
            }
            for waiter in waiters { waiter.resolve(result) }
        }
        let isWanted = exchanges.withLock { exchanges in
            guard exchanges[key]?.context === context else { return false }
            exchanges[key]?.task = task
            return true
        }
        // Over already, or all left before the task was known here.
        if !isWanted { task.cancel() }
    }

    private func leave(_ key: Key, _ waiter: CoalescedWaiter) {
        let abandoned = exchanges.withLock { exchanges -> Task<Void, Never>? in
            guard exchanges[key]?.waiters.removeValue(forKey: ObjectIdentifier(waiter)) != nil,
                let exchange = exchanges[key], exchange.waiters.isEmpty
            else { return nil }
            exchanges[key] = nil
            return exchange.task
        }
        abandoned?.cancel()
    }

    /// What makes two requests identical.
    private struct Key: Hashable, Sendable {
        let method: HTTPMethod
        let url: String
        /// Values by lower-case name: the order of names means nothing, that of one name's values does (RFC 9110 §5.3).
        let headers: [String: [String]]
        let limits: Limits
        let timeouts: Timeouts
        let options: CallOptions

        init?(_ request: HTTPRequest, _ context: CallContext) {
            var options = context.options
            // How often, how soon and whether to share makes no other exchange; the first call's policy counts.
            options.retry = nil
            options.priority = nil
            options.coalesces = nil
            options.idempotencyKey = nil
            guard options.isComparable else { return nil }
            self.options = options
            method = request.method
            let text = request.url.absoluteString
            url = text.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(text[..<$0]) } ?? text
            headers = Dictionary(grouping: request.headers) { $0.name.lowercased() }.mapValues { $0.map(\.value) }
            limits = context.limits
            var timeouts = context.timeouts
            timeouts.total = nil
            self.timeouts = timeouts
        }

        static func == (lhs: Key, rhs: Key) -> Bool {
            lhs.method == rhs.method && lhs.url == rhs.url && lhs.headers == rhs.headers
                && lhs.limits == rhs.limits && lhs.timeouts == rhs.timeouts && lhs.options.matches(rhs.options)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(method)
            hasher.combine(url)
            hasher.combine(headers)
        }
    }
}

/// A call that waits for a shared exchange; the first outcome counts.
private final class CoalescedWaiter: DeadlineWatched {
    typealias Outcome = Result<HTTPResponse, NetworkError>

    let context: CallContext
    /// Guards who waits and what came: the exchange, a cancel and a deadline race one another.
    private let state = Mutex(State())

    private struct State {
        var outcome: Outcome?
        var continuation: CheckedContinuation<Outcome, Never>?
        var onExpiry: (@Sendable (CoalescedWaiter) -> Void)?
    }

    init(_ context: CallContext) { self.context = context }

    var onExpiry: (@Sendable (CoalescedWaiter) -> Void)? {
        get { state.withLock { $0.onExpiry } }
        set { state.withLock { $0.onExpiry = newValue } }
    }

    func result() async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state -> Outcome? in
                if state.outcome == nil { state.continuation = continuation }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    func resolve(_ outcome: Outcome) {
        let continuation = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            return state.continuation.take()
        }
        continuation?.resume(returning: outcome)
    }

    func nextDeadline() -> Duration? { context.deadline }

    func deadlinePassed(now: Duration) {
        guard let deadline = context.deadline, deadline <= now else { return }
        resolve(.failure(.timedOut(.total, after: context.timeouts.total)))
        onExpiry?(self)
    }
}
