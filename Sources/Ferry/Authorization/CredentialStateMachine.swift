/// Decides who sends with which credential, who waits, and when the credential is renewed. No task, clock or lock.
///
///     none ──set──▶ valid ──401, expired──▶ refreshing ──ok──▶ valid
///      ▲              ▲ ◀──transient failure────┤
///      └──sign-out────┴────────refused──────────┘
///
/// Each request is sent with a ticket that says which credential it carried and how many refreshes had ended by then.
/// So a late 401 is told from a new one: for an older credential it is sent again without a refresh, and a refresh that
/// failed since then fails it without another.
package struct CredentialStateMachine<Credential: Sendable>: Sendable {
    package typealias Waiter = UInt64

    /// What a request was sent with.
    package struct Ticket: Hashable, Sendable {
        /// Counts sign-outs and refusals: requests of one session are never sent again with another's credential.
        package var session: UInt64 = 0
        /// Counts credentials.
        package var generation: UInt64 = 0
        /// Counts refreshes that ended.
        package var refreshes: UInt64 = 0
    }

    package struct Grant: Sendable {
        package let credential: Credential
        package let ticket: Ticket
    }

    /// What a request does next.
    package enum Decision: Sendable {
        /// Send with this credential.
        case send(Grant)
        /// Send without one; after a rejection: hand out the response.
        case none
        /// Wait for the refresh.
        case wait
        /// Start this refresh, then wait for it.
        case refresh(id: UInt64, Credential)
        case fail(NetworkError)
    }

    /// What the waiters of a refresh do once it has ended.
    package struct Release: Sendable {
        package let waiters: [Waiter]
        package let result: Result<Grant, NetworkError>
    }

    package private(set) var credential: Credential?
    private var now = Ticket()
    private var running: (id: UInt64, waiters: [Waiter])?
    private var lastRefresh: UInt64 = 0
    private let coolDown: Duration
    /// The last transient failure since the credential came, and until when nobody tries again.
    private var failure: (error: NetworkError, until: Duration)?
    /// The last final failure, with the session that it ended.
    private var refusal: (error: NetworkError, session: UInt64)?

    /// - Parameters:
    ///   - credential: Nil while nobody is signed in.
    ///   - coolDown: How long after a failed refresh none is started.
    package init(credential: Credential?, coolDown: Duration = .zero) {
        self.credential = credential
        self.coolDown = coolDown
    }

    package var session: UInt64 { now.session }
    package var isRefreshing: Bool { running != nil }
    package func isRunning(_ refresh: UInt64) -> Bool { running?.id == refresh }
    package var waiterCount: Int { running?.waiters.count ?? 0 }

    private var grant: Grant? { credential.map { Grant(credential: $0, ticket: now) } }
}

extension CredentialStateMachine {
    /// A request is about to be sent.
    package mutating func request(_ waiter: Waiter, isExpired: (Credential) -> Bool, at time: Duration) -> Decision {
        guard let grant else { return .none }
        if running != nil { return wait(waiter) }
        guard isExpired(grant.credential) else { return .send(grant) }
        return refresh(waiter, at: time)
    }

    /// The server rejected what a request carried.
    ///
    /// - Parameter waiter: Nil for a request that cannot be sent again and so waits for nothing.
    package mutating func rejected(_ ticket: Ticket, _ waiter: Waiter?, at time: Duration) -> Decision {
        guard ticket.session == now.session, let grant else {
            if let refusal, refusal.session == ticket.session { return .fail(refusal.error) }
            return .none
        }
        if running != nil { return wait(waiter) }
        if ticket.generation != now.generation { return .send(grant) }
        // A refresh that failed after this request was sent has failed for it too.
        if ticket.refreshes != now.refreshes, let failure { return .fail(failure.error) }
        return refresh(waiter, at: time)
    }

    /// A waiter gives up: only for itself.
    package mutating func cancelled(_ waiter: Waiter) { running?.waiters.removeAll { $0 == waiter } }

    /// A refresh ended. Nil where it was superseded by `set` or `signOut`, so that its result does not count.
    ///
    /// - Parameter isFinal: Whether a failure removes the credential.
    package mutating func refreshed(
        _ id: UInt64, _ result: Result<Credential, NetworkError>, isFinal: Bool, at time: Duration
    ) -> Release? {
        guard let running, running.id == id else { return nil }
        self.running = nil
        now.refreshes += 1
        switch result {
        case .success(let renewed):
            return Release(waiters: running.waiters, result: .success(take(renewed)))
        case .failure(let error):
            if isFinal {
                end(refusedWith: error)
            } else {
                failure = (error, time + coolDown)
            }
            return Release(waiters: running.waiters, result: .failure(error))
        }
    }

    /// A credential from outside: a sign-in, or one that somebody else renewed. A running refresh is superseded, and
    /// its waiters use this one.
    package mutating func set(_ credential: Credential) -> Release {
        let waiters = running?.waiters ?? []
        running = nil
        return Release(waiters: waiters, result: .success(take(credential)))
    }

    /// Removes the credential. A running refresh is superseded, and its waiters fail.
    package mutating func signOut() -> Release {
        let waiters = running?.waiters ?? []
        running = nil
        end(refusedWith: nil)
        return Release(
            waiters: waiters,
            result: .failure(NetworkError(.authentication, "Signed out while the call waited for a credential")))
    }

    private mutating func wait(_ waiter: Waiter?) -> Decision {
        if let waiter { running?.waiters.append(waiter) }
        return .wait
    }

    private mutating func refresh(_ waiter: Waiter?, at time: Duration) -> Decision {
        guard let credential else { return .none }
        if let failure, time < failure.until { return .fail(failure.error) }
        lastRefresh += 1
        running = (lastRefresh, waiter.map { [$0] } ?? [])
        return .refresh(id: lastRefresh, credential)
    }

    private mutating func take(_ credential: Credential) -> Grant {
        self.credential = credential
        now.generation += 1
        failure = nil
        return Grant(credential: credential, ticket: now)
    }

    private mutating func end(refusedWith error: NetworkError?) {
        if let error { refusal = (error, now.session) }
        credential = nil
        failure = nil
        now.session += 1
    }
}
