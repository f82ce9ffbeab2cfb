/// What the Linux kernel says about ways out: a value, made from the texts of `/proc/net`.
package struct KernelRoutes: Hashable, Sendable {
    /// Interfaces with a default route that is up.
    package var defaultInterfaces: Set<String> = []

    /// - Parameters:
    ///   - ipv4: The text of `/proc/net/route`.
    ///   - ipv6: The text of `/proc/net/ipv6_route`.
    package init(ipv4: String, ipv6: String) {
        for line in ipv4.split(separator: "\n").dropFirst() {
            // Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT
            let fields = line.split { $0 == " " || $0 == "\t" }
            guard fields.count >= 8, fields[1] == "00000000", fields[7] == "00000000", Self.isUp(fields[3]) else {
                continue
            }
            defaultInterfaces.insert(String(fields[0]))
        }
        for line in ipv6.split(separator: "\n") {
            // Destination PrefixLength Source PrefixLength NextHop Metric RefCnt Use Flags Iface
            let fields = line.split(separator: " ")
            guard fields.count >= 10, fields[1] == "00", fields[0].utf8.allSatisfy({ $0 == UInt8(ascii: "0") }),
                Self.isUp(fields[8])
            else { continue }
            defaultInterfaces.insert(String(fields[9]))
        }
    }

    /// The status where these interfaces are up, the loopback not counted.
    ///
    /// - Parameters:
    ///   - up: Interfaces that are up and have a carrier.
    ///   - all: All interfaces but the loopback.
    package func status(up: Set<String>, all: Set<String>) -> NetworkStatus {
        // Nothing but the loopback: a sandbox, where calls to this machine are all there is.
        guard !all.isEmpty else { return .unknown }
        let out = defaultInterfaces.intersection(up)
        guard !out.isEmpty else { return .unreachable }
        let kinds = Set(out.map(Self.kind))
        return .reachable(NetworkPath(interfaces: kinds, isExpensive: kinds == [.cellular]))
    }

    /// The kind of an interface by the names that kernel and systemd give.
    private static func kind(of name: String) -> NetworkPath.Interface {
        if name.hasPrefix("wl") { return .wifi }
        if name.hasPrefix("ww") || name.hasPrefix("rmnet") { return .cellular }
        if name.hasPrefix("en") || name.hasPrefix("eth") { return .wired }
        return .other
    }

    /// Whether flags in hexadecimal say "up" (RTF_UP) and not "reject" (RTF_REJECT).
    private static func isUp(_ flags: Substring) -> Bool {
        guard let bits = UInt32(flags, radix: 16) else { return false }
        return bits & 0x1 != 0 && bits & 0x200 == 0
    }
}
