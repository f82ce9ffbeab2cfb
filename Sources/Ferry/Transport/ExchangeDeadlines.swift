/// When an exchange has lasted too long, by each of its time-outs. A value: the exchange asks it under its own lock.
package struct ExchangeDeadlines: Sendable {
    private let timeouts: Timeouts
    /// The end of the whole call.
    private let total: Duration?
    /// When the exchange began, from which all but the total and the silence count; nil before it did, and then only the
    /// total counts.
    package var start: Duration?

    /// - Parameters:
    ///   - context: Gives the time-outs.
    ///   - start: When the exchange began, by the call's clock.
    package init(_ context: CallContext, start: Duration) {
        timeouts = context.timeouts
        total = context.deadline
        self.start = start
    }

    /// The deadline that comes first; nil where there is none.
    ///
    /// - Parameters:
    ///   - hasHead: Whether the response's head has come.
    ///   - lastActivity: When bytes moved last; nil while this side is what holds them up.
    package func next(hasHead: Bool, lastActivity: Duration?) -> (kind: TimeoutKind, time: Duration)? {
        var next: (kind: TimeoutKind, time: Duration)?
        func consider(_ kind: TimeoutKind, _ time: Duration?) {
            guard let time, time < next?.time ?? .seconds(Int64.max) else { return }
            next = (kind, time)
        }
        consider(.total, total)
        guard let start else { return next }
        consider(.attempt, timeouts.attempt.map { start + $0 })
        if !hasHead { consider(.head, timeouts.head.map { start + $0 }) }
        if let lastActivity { consider(.idle, timeouts.idle.map { lastActivity + $0 }) }
        return next
    }

    /// The error of the deadline that has passed; nil where none has.
    package func failure(at now: Duration, hasHead: Bool, lastActivity: Duration?) -> NetworkError? {
        guard let next = next(hasHead: hasHead, lastActivity: lastActivity), next.time <= now else { return nil }
        return .timedOut(next.kind, after: timeouts[next.kind])
    }
}

extension Timeouts {
    /// The time-out of a kind.
    package subscript(kind: TimeoutKind) -> Duration? {
        switch kind {
        case .head: head
        case .connect: nil
        case .idle: idle
        case .attempt: attempt
        case .total: total
        }
    }
}
