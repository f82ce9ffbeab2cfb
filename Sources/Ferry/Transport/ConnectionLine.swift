import Synchronization

/// Which exchanges of a session have a connection, and which wait for one inside the session.
///
/// A session opens so many connections to a host and starts no more exchanges than that, in the order in which they came.
/// It tells nobody which of them wait, so this counts along: the time-outs of an exchange begin with its connection.
final class ConnectionLine: Sendable {
    private struct Host {
        var running = 0
        var waiting: [URLSessionExchange] = []
    }

    /// Connections to one host.
    let limit: Int
    /// Guards the hosts: exchanges begin on their own threads and end on the session's.
    private let hosts = Mutex<[Origin: Host]>([:])

    /// - Parameter limit: That of the session; for libcurl zero and less are no limit.
    init(limit: Int) { self.limit = limit > 0 ? limit : .max }

    /// An exchange goes to the session.
    ///
    /// - Returns: Whether it has to wait for a connection.
    func enter(_ exchange: URLSessionExchange, _ origin: Origin) -> Bool {
        hosts.withLock { hosts in
            var host = hosts[origin] ?? Host()
            defer { hosts[origin] = host }
            guard host.running >= limit else {
                host.running += 1
                return false
            }
            host.waiting.append(exchange)
            return true
        }
    }

    /// An exchange ended; the one that waited for longest goes on.
    ///
    /// - Parameter isWaiting: Whether it knows of no connection yet; it may have got one at this moment.
    func leave(_ exchange: URLSessionExchange, _ origin: Origin, isWaiting: Bool) {
        let next = hosts.withLock { hosts -> URLSessionExchange? in
            guard hosts[origin] != nil else { return nil }
            if isWaiting, let index = hosts[origin]?.waiting.firstIndex(where: { $0 === exchange }) {
                hosts[origin]?.waiting.remove(at: index)
                return nil
            }
            if hosts[origin]?.waiting.isEmpty == false { return hosts[origin]?.waiting.removeFirst() }
            hosts[origin]?.running -= 1
            if hosts[origin]?.running == 0 { hosts[origin] = nil }
            return nil
        }
        next?.gotConnection()
    }
}
