// Reachability: whether the device has a network, as the system tells: a hint for waits and for the user interface.
// May name Messages and Pipeline, and no other middle room. Nothing here stops a request: only a request can tell
// whether its server answers.

/// Whether the device has a network.
public enum NetworkStatus: Hashable, Sendable {
    /// Not determined yet, or not to be determined: never take it for offline.
    case unknown
    /// There is no way out.
    case unreachable
    /// There is a way out; whether it leads to a certain server is not known.
    case reachable(NetworkPath)

    /// Whether the system says that there is a network.
    public var isReachable: Bool { if case .reachable = self { true } else { false } }
}

/// How the device is connected.
public struct NetworkPath: Hashable, Sendable {
    /// A kind of network interface.
    public enum Interface: String, Hashable, Sendable, CaseIterable {
        /// Wi-Fi.
        case wifi
        /// A mobile network.
        case cellular
        /// A cable.
        case wired
        /// A tunnel, a bridge, or what the name does not tell.
        case other
    }

    /// The interfaces that lead out.
    public var interfaces: Set<Interface>
    /// Whether traffic costs the user, as on mobile networks and hotspots. On Linux: whether it is mobile.
    public var isExpensive: Bool
    /// Whether the user asked for little traffic (Low Data Mode). Always false on Linux.
    public var isConstrained: Bool

    /// Creates a path.
    public init(interfaces: Set<Interface> = [.other], isExpensive: Bool = false, isConstrained: Bool = false) {
        self.interfaces = interfaces
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }
}
