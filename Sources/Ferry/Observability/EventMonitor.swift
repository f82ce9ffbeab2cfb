/// Sees what happens to all calls of a client.
///
/// ```swift
/// struct SlowCalls: EventMonitor {
///     func callFinished(_ call: CallContext.ID, _ outcome: CallOutcome) {
///         if case .success(let head, let timings) = outcome, timings.total > .seconds(1) { print(head, timings.total) }
///     }
/// }
/// let client = NetworkClient(baseURL: url) { $0.eventMonitors = [SlowCalls()] }
/// ```
///
/// Each hook does nothing unless it is implemented. They are called as things happen, on whatever thread that is, for one
/// call in order: they must return quickly. Of each call `callQueued` comes first and `callFinished` last, both exactly
/// once, also where it fails or is cancelled.
public protocol EventMonitor: Sendable {
    /// Anything happened. By default it calls the hook of the event.
    func received(_ event: CallEvent, of call: CallContext.ID)
    /// The call begins.
    func callQueued(_ call: CallContext.ID)
    /// An attempt begins; numbers count from 1. Credentials and cookies join the request later.
    func attemptStarted(_ call: CallContext.ID, number: Int, _ request: HTTPRequest)
    /// Bytes of the request body went out.
    func sent(_ call: CallContext.ID, _ progress: TransferProgress)
    /// A response's head came.
    func headReceived(_ call: CallContext.ID, _ head: HTTPResponse.Head)
    /// Bytes of the response body came.
    func bodyReceived(_ call: CallContext.ID, _ progress: TransferProgress)
    /// An attempt failed and another follows after a wait.
    func retryScheduled(_ call: CallContext.ID, after wait: Duration, _ reason: NetworkError)
    /// A cache answered.
    func cacheHit(_ call: CallContext.ID)
    /// A redirect is followed.
    func redirected(_ call: CallContext.ID, _ redirect: Redirect)
    /// A server showed no key that is pinned, under pins that only report.
    func pinMismatched(_ call: CallContext.ID, _ mismatch: PinMismatch)
    /// The call ended.
    func callFinished(_ call: CallContext.ID, _ outcome: CallOutcome)
}

extension EventMonitor {
    /// Calls the hook of the event.
    public func received(_ event: CallEvent, of call: CallContext.ID) {
        switch event {
        case .queued: callQueued(call)
        case .attempt(let number, let request): attemptStarted(call, number: number, request)
        case .sent(let progress): sent(call, progress)
        case .head(let head): headReceived(call, head)
        case .data: break
        case .progress(let progress): bodyReceived(call, progress)
        case .retry(let wait, let reason): retryScheduled(call, after: wait, reason)
        case .cacheHit: cacheHit(call)
        case .redirected(let redirect): redirected(call, redirect)
        case .pinMismatch(let mismatch): pinMismatched(call, mismatch)
        case .finished(let outcome): callFinished(call, outcome)
        }
    }

    /// Does nothing.
    public func callQueued(_ call: CallContext.ID) {}
    /// Does nothing.
    public func attemptStarted(_ call: CallContext.ID, number: Int, _ request: HTTPRequest) {}
    /// Does nothing.
    public func sent(_ call: CallContext.ID, _ progress: TransferProgress) {}
    /// Does nothing.
    public func headReceived(_ call: CallContext.ID, _ head: HTTPResponse.Head) {}
    /// Does nothing.
    public func bodyReceived(_ call: CallContext.ID, _ progress: TransferProgress) {}
    /// Does nothing.
    public func retryScheduled(_ call: CallContext.ID, after wait: Duration, _ reason: NetworkError) {}
    /// Does nothing.
    public func cacheHit(_ call: CallContext.ID) {}
    /// Does nothing.
    public func redirected(_ call: CallContext.ID, _ redirect: Redirect) {}
    /// Does nothing.
    public func pinMismatched(_ call: CallContext.ID, _ mismatch: PinMismatch) {}
    /// Does nothing.
    public func callFinished(_ call: CallContext.ID, _ outcome: CallOutcome) {}
}

/// Several monitors as one, called in order.
public struct CompositeMonitor: EventMonitor {
    private let monitors: [any EventMonitor]

    /// Puts monitors together.
    public init(_ monitors: [any EventMonitor]) { self.monitors = monitors }

    /// Tells each monitor.
    public func received(_ event: CallEvent, of call: CallContext.ID) {
        for monitor in monitors { monitor.received(event, of: call) }
    }
}
