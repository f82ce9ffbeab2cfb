#if canImport(Network)
    import Dispatch
    import Network

    /// The status by the Network framework.
    final class PathMonitorSource: StatusSource {
        private let monitor = NWPathMonitor()

        func start(_ report: @escaping @Sendable (NetworkStatus) -> Void) {
            monitor.pathUpdateHandler = { path in report(NetworkStatus(path)) }
            monitor.start(queue: DispatchQueue(label: "ferry.reachability"))
        }

        func stop() { monitor.cancel() }
    }

    extension NetworkStatus {
        /// What a path means. One that needs a connection first, such as a VPN on demand, counts as reachable.
        init(_ path: NWPath) {
            guard path.status != .unsatisfied else {
                self = .unreachable
                return
            }
            var interfaces: Set<NetworkPath.Interface> = []
            if path.usesInterfaceType(.wifi) { interfaces.insert(.wifi) }
            if path.usesInterfaceType(.cellular) { interfaces.insert(.cellular) }
            if path.usesInterfaceType(.wiredEthernet) { interfaces.insert(.wired) }
            if path.usesInterfaceType(.other) { interfaces.insert(.other) }
            self = .reachable(
                NetworkPath(
                    interfaces: interfaces, isExpensive: path.isExpensive, isConstrained: path.isConstrained))
        }
    }
#endif
