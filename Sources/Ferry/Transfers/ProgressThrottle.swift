/// Lets reports of progress pass at most once an interval; the first passes always, and the last is its user's business.
package struct ProgressThrottle: Sendable {
    private let interval: Duration
    private var last: Duration?

    package init(interval: Duration) { self.interval = max(.zero, interval) }

    /// Whether a report may go out now; notes that it does.
    package mutating func passes(at now: Duration) -> Bool {
        if let last, now - last < interval { return false }
        last = now
        return true
    }
}
