// Stands in for Apple's `Network` where there is none: as much of `NWPathMonitor` as PathMonitorSource.swift uses, without
// effect.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Dispatch

/// Stands in for what is known of the routes to the network at one time.
public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }

    public var status: Status { .satisfied }
    public var isExpensive: Bool { false }
    public var isConstrained: Bool { false }
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { false }
}

/// Stands in for an interface, of which only the kinds are used.
public struct NWInterface: Sendable {
    public enum InterfaceType: Sendable { case other, wifi, cellular, wiredEthernet, loopback }
}

/// Stands in for the monitor that reports each new path on a queue.
public final class NWPathMonitor: Sendable {
    public init() {}
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { nil }
        set {}
    }
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
