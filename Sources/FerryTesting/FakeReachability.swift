public import Ferry

/// A network status that a test sets.
///
/// ```swift
/// let network = FakeReachability(.unreachable)
/// let client = NetworkClient(baseURL: url) {
///     $0.retry = .exponential().waitingUntilReachable(network)
/// }
/// network.set(.reachable(NetworkPath(interfaces: [.wifi])))
/// ```
public final class FakeReachability: ReachabilityProviding {
    private let hub: StatusHub

    /// Creates a fake.
    ///
    /// - Parameter status: What it says at first. Default `unknown`.
    public init(_ status: NetworkStatus = .unknown) { hub = StatusHub(status) }

    /// What was set last.
    public var status: NetworkStatus { hub.status }

    /// The current status as soon as it is known, then each change.
    public var updates: AsyncStream<NetworkStatus> { hub.subscribe() }

    /// How many loops over `updates` run.
    public var subscriberCount: Int { hub.subscriberCount }

    /// Changes the status; the same again, and `unknown`, tell nobody and change nothing.
    public func set(_ status: NetworkStatus) { hub.report(status) }
}
