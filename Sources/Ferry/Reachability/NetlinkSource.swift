#if os(Linux)
    import Foundation
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The status by the kernel: a thread sleeps on an rtnetlink socket (rtnetlink(7)) and looks at interfaces and
    /// routes again whenever the kernel says that one of them changed.
    final class NetlinkSource: StatusSource {
        private enum State {
            case idle
            /// The writing end of a pipe that the thread watches: closing it ends the thread.
            case running(stop: Int32)
            case stopped
        }

        /// Guards the state, so that the descriptor is closed once: by then its number may belong to somebody else.
        private let state = Mutex(State.idle)

        func start(_ report: @escaping @Sendable (NetworkStatus) -> Void) {
            guard let changes = Self.subscribe() else { return }
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else {
                close(changes)
                return
            }
            let (woken, stop) = (ends[0], ends[1])
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let isStarted = state.withLock { state in
                guard case .idle = state else { return false }
                state = .running(stop: stop)
                return true
            }
            guard isStarted else {
                for descriptor in [changes, woken, stop] { close(descriptor) }
                return
            }
            // Not a task: it blocks, and would take a thread of the cooperative pool.
            let thread = Thread {
                report(Self.currentStatus())
                while Self.waitForChange(changes, woken) { report(Self.currentStatus()) }
                close(changes)
                close(woken)
            }
            thread.name = "ferry.reach"
            thread.stackSize = 256 << 10
            thread.start()
        }

        func stop() {
            state.withLock { state in
                // Closing the writing end ends the thread's poll; the thread closes the rest.
                if case .running(let stop) = state { close(stop) }
                state = .stopped
            }
        }

        deinit { stop() }

        /// A socket that the kernel writes to when links, addresses or routes change.
        private static func subscribe() -> Int32? {
            let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            let descriptor = socket(AF_NETLINK, type, 0)
            guard descriptor >= 0 else { return nil }
            var address = NetlinkAddress()
            let isBound = withUnsafeBytes(of: &address) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { addresses in
                    bind(descriptor, addresses.baseAddress, socklen_t(MemoryLayout<NetlinkAddress>.size)) == 0
                }
            }
            guard isBound else {
                close(descriptor)
                return nil
            }
            return descriptor
        }

        /// Waits for a message of the kernel. False where the watch is to end.
        private static func waitForChange(_ changes: Int32, _ woken: Int32) -> Bool {
            var descriptors = [
                pollfd(fd: changes, events: Int16(POLLIN), revents: 0),
                pollfd(fd: woken, events: Int16(POLLIN), revents: 0),
            ]
            while poll(&descriptors, 2, -1) < 0 {
                guard errno == EINTR else { return false }
            }
            guard descriptors[1].revents == 0 else { return false }
            // What changed does not matter: everything is looked at anew. An overrun (ENOBUFS) means the same.
            var buffer = [UInt8](repeating: 0, count: 8192)
            while true {
                let count = recv(changes, &buffer, buffer.count, 0)
                if count > 0 || (count < 0 && (errno == EINTR || errno == ENOBUFS)) { continue }
                return count < 0 && errno == EAGAIN
            }
        }

        /// Interfaces and routes as they are.
        private static func currentStatus() -> NetworkStatus {
            var first: UnsafeMutablePointer<ifaddrs>?
            guard getifaddrs(&first) == 0 else { return .unknown }
            defer { freeifaddrs(first) }
            var (up, all): (Set<String>, Set<String>) = ([], [])
            var next = first
            while let interface = next?.pointee {
                next = interface.ifa_next
                let flags = Int(interface.ifa_flags)
                guard flags & Int(IFF_LOOPBACK) == 0, let name = interface.ifa_name else { continue }
                all.insert(String(cString: name))
                let needed = Int(IFF_UP) | Int(IFF_RUNNING)
                if flags & needed == needed { up.insert(String(cString: name)) }
            }
            guard let ipv4 = text("/proc/net/route") else { return .unknown }
            return KernelRoutes(ipv4: ipv4, ipv6: text("/proc/net/ipv6_route") ?? "").status(up: up, all: all)
        }

        private static func text(_ path: String) -> String? {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// `sockaddr_nl`, which the C library's module does not show.
    private struct NetlinkAddress {
        var family = UInt16(AF_NETLINK)
        var padding: UInt16 = 0
        /// Zero: the kernel assigns one.
        var port: UInt32 = 0
        /// RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR, RTMGRP_IPV6_ROUTE.
        var groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
    }
#endif
