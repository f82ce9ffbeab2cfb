/// Watches whether the device has a network.
///
/// ```swift
/// let monitor = ReachabilityMonitor()
/// for await status in monitor.updates { print(status.isReachable) }
/// ```
///
/// The status is `unknown` until the system has told, shortly after the monitor was made. On Apple platforms the
/// Network framework tells. On Linux the kernel does (rtnetlink): there is a network where an interface that is up has a
/// default route, and none where no such route is left; with no interface but the loopback, as in a sandbox, or without
/// leave to ask, the status stays `unknown`. Elsewhere it stays `unknown`.
///
/// It is a hint: a call is never refused for it. One monitor for the whole process is enough. On Linux it costs one
/// sleeping thread and three descriptors until it is stopped or dropped.
public final class ReachabilityMonitor: ReachabilityProviding {
    private let hub = StatusHub()
    private let source: (any StatusSource)?

    /// Creates a monitor and starts it.
    public convenience init() { self.init(SystemStatus.makeSource()) }

    package init(_ source: (any StatusSource)?) {
        self.source = source
        source?.start { [hub] status in hub.report(status) }
    }

    /// What is known now; `unknown` at first.
    public var status: NetworkStatus { hub.status }

    /// The current status as soon as it is known, then each change.
    public var updates: AsyncStream<NetworkStatus> { hub.subscribe() }

    /// Ends the watch and every subscription, and gives back what the watch holds. The status stays as it was.
    public func stop() {
        source?.stop()
        hub.finish()
    }

    deinit { stop() }
}

/// Where a monitor learns the status.
package protocol StatusSource: Sendable {
    /// Begins to report: the status as it is, and again whenever it may have changed. Called once.
    func start(_ report: @escaping @Sendable (NetworkStatus) -> Void)

    /// Ends it; may be called more than once, and from a report.
    func stop()
}

/// The source of the platform.
enum SystemStatus {
    static func makeSource() -> (any StatusSource)? {
        #if canImport(Network)
            PathMonitorSource()
        #elseif os(Linux)
            NetlinkSource()
        #else
            nil
        #endif
    }
}
