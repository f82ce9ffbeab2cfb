extension RetryPolicy {
    /// This policy, waiting until a monitor says that there is a network when a call failed because there was none.
    ///
    /// - Parameters:
    ///   - limit: The longest wait; the total time-out ends it too. Default 60 s.
    ///   - monitor: Tells the status.
    public func waitingUntilReachable(
        upTo limit: Duration = .seconds(60), _ monitor: any ReachabilityProviding
    ) -> RetryPolicy {
        waitingUntilReachable(upTo: limit) { () throws(CancellationError) in try await monitor.waitUntilReachable() }
    }
}
