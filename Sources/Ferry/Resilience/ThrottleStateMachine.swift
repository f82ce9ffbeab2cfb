/// Slots and who gets them next. A value without a clock or tasks.
///
/// ```
/// acquire --> granted <---------------+--> release
///    |                                |
///    +-----> queued --> dispatch -----+   whenever a slot, a token or a held host comes free
///              |
///              +------> cancel
/// ```
///
/// Among the queued whose host has a slot and is not held, the highest priority goes first, and in it the oldest.
package struct ThrottleStateMachine: Sendable {
    /// One exchange, queued or granted.
    package struct Ticket: Hashable, Sendable, Comparable {
        let number: UInt64

        package static func < (lhs: Ticket, rhs: Ticket) -> Bool { lhs.number < rhs.number }
    }

    private struct Host: Sendable {
        let limit: Int
        var used = 0
        var heldUntil: Duration?
        /// One a priority; none until somebody waits.
        private var queues: [TicketQueue] = []

        init(limit: Int) { self.limit = limit }

        var hasSlot: Bool { used < limit }
        var isIdle: Bool { used == 0 && heldUntil == nil && queues.allSatisfy(\.isEmpty) }

        /// The next in line and its priority.
        var first: (priority: CallPriority, ticket: Ticket)? {
            guard !queues.isEmpty else { return nil }
            for priority in CallPriority.allCases.reversed() {
                if let ticket = queues[priority.rawValue].first { return (priority, ticket) }
            }
            return nil
        }

        mutating func append(_ ticket: Ticket, _ priority: CallPriority) {
            if queues.isEmpty { queues = Array(repeating: TicketQueue(), count: CallPriority.allCases.count) }
            queues[priority.rawValue].append(ticket)
        }

        mutating func remove(_ ticket: Ticket, _ priority: CallPriority) { queues[priority.rawValue].remove(ticket) }

        func isHeld(at now: Duration) -> Bool { (heldUntil ?? now) > now }
    }

    private let throttle: Throttle
    private let total: Int
    private var bucket: TokenBucket?
    private var hosts: [Origin: Host] = [:]
    private var queued: [Ticket: (origin: Origin, priority: CallPriority)] = [:]
    private var granted: [Ticket: Origin] = [:]
    private var last: UInt64 = 0

    package init(_ throttle: Throttle) {
        self.throttle = throttle
        total = throttle.total.map { max(1, $0) } ?? .max
        bucket = throttle.rate?.bucket
    }

    package var grantedCount: Int { granted.count }
    package var queuedCount: Int { queued.count }
    /// Hosts that are remembered: those with exchanges or a hold.
    package var hostCount: Int { hosts.count }

    /// Asks for a slot.
    ///
    /// - Returns: The ticket, and all tickets that got a slot now: this one is among them, or it is queued.
    package mutating func acquire(
        _ origin: Origin, priority: CallPriority, at now: Duration
    ) -> (ticket: Ticket, granted: [Ticket]) {
        last += 1
        let ticket = Ticket(number: last)
        var host = hosts[origin] ?? newHost(origin)
        // The usual case, without a queue: nobody waits and the host has a slot.
        if queued.isEmpty, granted.count < total, !host.isHeld(at: now), host.hasSlot,
            bucket?.take(at: now) != false
        {
            host.used += 1
            hosts[origin] = host
            granted[ticket] = origin
            return (ticket, [ticket])
        }
        host.append(ticket, priority)
        hosts[origin] = host
        queued[ticket] = (origin, priority)
        return (ticket, dispatch(at: now))
    }

    private func newHost(_ origin: Origin) -> Host { Host(limit: throttle.limit(of: origin)) }

    /// Gives a slot back; a ticket that has none is ignored.
    ///
    /// - Returns: The tickets that got a slot now.
    package mutating func release(_ ticket: Ticket, at now: Duration) -> [Ticket] {
        guard let origin = granted.removeValue(forKey: ticket) else { return [] }
        hosts[origin]?.used -= 1
        forgetIfIdle(origin)
        return dispatch(at: now)
    }

    /// Leaves the queue.
    ///
    /// - Returns: False where the ticket was not queued: it has its slot already and must release it.
    package mutating func cancel(_ ticket: Ticket) -> Bool {
        guard let (origin, priority) = queued.removeValue(forKey: ticket) else { return false }
        hosts[origin]?.remove(ticket, priority)
        forgetIfIdle(origin)
        return true
    }

    /// Leaves a host alone until a time; a later one that is known already stays.
    package mutating func hold(_ origin: Origin, until instant: Duration) {
        var host = hosts[origin] ?? newHost(origin)
        host.heldUntil = max(host.heldUntil ?? instant, instant)
        hosts[origin] = host
    }

    /// Gives out what is free.
    ///
    /// - Returns: The tickets that got a slot now, in order.
    package mutating func dispatch(at now: Duration) -> [Ticket] {
        var given: [Ticket] = []
        while granted.count < total, let (origin, priority, ticket) = next(at: now) {
            if bucket?.take(at: now) == false { break }
            queued[ticket] = nil
            hosts[origin]?.remove(ticket, priority)
            hosts[origin]?.used += 1
            granted[ticket] = origin
            given.append(ticket)
        }
        return given
    }

    /// When `dispatch` is worth calling again though nothing is released; nil where time alone changes nothing.
    package func nextWake(at now: Duration) -> Duration? {
        guard !queued.isEmpty, granted.count < total else { return nil }
        var openings: [Duration] = []
        for host in hosts.values where host.hasSlot && host.first != nil {
            openings.append(max(now, host.heldUntil ?? now))
        }
        guard let opening = openings.min() else { return nil }
        return max(opening, bucket?.nextToken(at: now) ?? opening)
    }

    /// The one to go next, if there is a host for it.
    private func next(at now: Duration) -> (Origin, CallPriority, Ticket)? {
        guard !queued.isEmpty else { return nil }
        var best: (origin: Origin, priority: CallPriority, ticket: Ticket)?
        for (origin, host) in hosts where !host.isHeld(at: now) && host.hasSlot {
            guard let first = host.first else { continue }
            if let best, (best.priority, first.ticket) > (first.priority, best.ticket) { continue }
            best = (origin, first.priority, first.ticket)
        }
        return best
    }

    /// Drops hosts whose hold ended and that nobody uses, so that a crawler's client does not grow.
    private mutating func forgetIfIdle(_ origin: Origin) {
        if hosts[origin]?.isIdle == true { hosts[origin] = nil }
    }

    /// Ends holds whose time has come.
    package mutating func endHolds(at now: Duration) {
        for (origin, host) in hosts {
            guard let until = host.heldUntil, until <= now else { continue }
            hosts[origin]?.heldUntil = nil
            forgetIfIdle(origin)
        }
    }
}

/// Tickets in the order in which they came; leaving from the middle is as cheap as from the front.
struct TicketQueue: Sendable {
    private var tickets: [ThrottleStateMachine.Ticket] = []
    private var head = 0
    private var gone: Set<ThrottleStateMachine.Ticket> = []

    var isEmpty: Bool { head == tickets.count }
    /// The oldest; the front is never one that left.
    var first: ThrottleStateMachine.Ticket? { isEmpty ? nil : tickets[head] }

    mutating func append(_ ticket: ThrottleStateMachine.Ticket) { tickets.append(ticket) }

    /// Takes out a ticket, which must be in the queue.
    mutating func remove(_ ticket: ThrottleStateMachine.Ticket) {
        if tickets[head] == ticket { head += 1 } else { gone.insert(ticket) }
        while !gone.isEmpty, head < tickets.count, gone.remove(tickets[head]) != nil { head += 1 }
        // Half of the storage is waste at most, so clearing it costs each ticket a constant share.
        guard head + gone.count > 32, (head + gone.count) * 2 > tickets.count else { return }
        tickets = tickets[head...].filter { !gone.contains($0) }
        head = 0
        gone = []
    }
}
