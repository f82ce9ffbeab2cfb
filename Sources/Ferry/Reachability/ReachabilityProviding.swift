/// Tells whether the device has a network: ``ReachabilityMonitor``, or a fake in tests.
public protocol ReachabilityProviding: Sendable {
    /// What is known now.
    var status: NetworkStatus { get }

    /// The current status as soon as it is known, then each change; never the same twice in a row, and never `unknown`.
    ///
    /// Each access is a subscription of its own, which ends with its loop.
    var updates: AsyncStream<NetworkStatus> { get }
}

extension ReachabilityProviding {
    /// Waits until the status is `reachable`.
    ///
    /// Also waits while it is `unknown`, so give it a limit.
    ///
    /// - Throws: `CancellationError` promptly when the task is cancelled, and where the monitor was stopped.
    public func waitUntilReachable() async throws(CancellationError) {
        for await status in updates where status.isReachable { return }
        throw CancellationError()
    }
}
