#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system calls of the loopback server: the only file that knows which platform it is on.
///
/// Every descriptor is close-on-exec and non-blocking, and no write raises SIGPIPE.
enum Sockets {
    typealias PollEntry = pollfd

    static let readable = Int16(POLLIN)
    static let writable = Int16(POLLOUT)
    static let broken = Int16(POLLERR) | Int16(POLLHUP) | Int16(POLLNVAL)

    /// What a transfer came to.
    enum Transfer: Equatable {
        case count(Int)
        case wouldBlock
        case ended
        case failed(Int32)
    }

    /// Opens a listener on 127.0.0.1 at a port that the system picks.
    ///
    /// - Returns: Descriptor and port, or the errno of the call that failed.
    static func listen(backlog: Int32) -> Result<(descriptor: Int32, port: UInt16), Errno> {
        let descriptor = streamSocket()
        guard descriptor >= 0 else { return .failure(Errno(code: errno)) }
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        var address = loopbackAddress(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                systemBind(descriptor, address, length) == 0 && systemListen(descriptor, backlog) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard status, setFlags(descriptor) else {
            let code = errno
            close(descriptor)
            return .failure(Errno(code: code))
        }
        return .success((descriptor, UInt16(bigEndian: address.sin_port)))
    }

    /// Takes one waiting connection, or nil where there is none or the process has no descriptor left.
    static func accept(_ listener: Int32) -> Result<Int32, Errno> {
        while true {
            let descriptor = systemAccept(listener)
            if descriptor >= 0 {
                guard setFlags(descriptor) else {
                    close(descriptor)
                    continue
                }
                setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
                return .success(descriptor)
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            default: return .failure(Errno(code: errno))
            }
        }
    }

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .count(count) }
            if count == 0 { return .ended }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .failed(errno)
            }
        }
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        guard !bytes.isEmpty else { return .count(0) }
        while true {
            let count = systemSend(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return .count(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .failed(errno)
            }
        }
    }

    /// Waits until an entry is ready.
    ///
    /// - Parameter timeout: In milliseconds; -1 waits for ever.
    static func wait(_ entries: inout [PollEntry], timeout: Int32) {
        // A signal makes poll return early; the caller's loop comes back here.
        _ = entries.withUnsafeMutableBufferPointer { poll($0.baseAddress, nfds_t($0.count), timeout) }
    }

    static func close(_ descriptor: Int32) { _ = systemClose(descriptor) }

    /// Closes with a reset instead of an orderly end: no linger time leaves the peer an RST.
    static func reset(_ descriptor: Int32) {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    /// Ends the sending direction; the peer reads an end of file.
    static func shutdownSending(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// A pipe, both ends close-on-exec and non-blocking, or nil.
    static func makePipe() -> (reader: Int32, writer: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        guard setFlags(ends[0]), setFlags(ends[1]) else {
            close(ends[0])
            close(ends[1])
            return nil
        }
        return (ends[0], ends[1])
    }

    static func writeByte(_ descriptor: Int32) {
        var byte: UInt8 = 1
        // A full pipe already wakes its reader.
        _ = write(descriptor, &byte, 1)
    }

    static func drain(_ descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }

    private static func setFlags(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
        #endif
        return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
            && fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
    }

    private static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    static func loopbackAddress(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// A system error number.
struct Errno: Error {
    let code: Int32

    /// Whether the process or the system has no descriptor or memory left for now.
    var isExhaustion: Bool { code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM }

    var message: String { String(cString: strerror(code)) }
}

/// A thread that can be joined, which Foundation's cannot.
struct JoinableThread: Sendable {
    /// pthread_t is a number on one platform and a pointer on another.
    private let handle: UInt

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread, or gives nil where the system has none left.
    init?(_ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(run)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
            let status = pthread_create(&thread, nil, { JoinableThread.enter($0) }, body)
            let bits = UInt(bitPattern: thread)
        #else
            var thread = pthread_t()
            let status = pthread_create(&thread, nil, { $0.flatMap { JoinableThread.enter($0) } }, body)
            let bits = UInt(thread)
        #endif
        guard status == 0 else {
            Unmanaged<Body>.fromOpaque(body).release()
            return nil
        }
        handle = bits
    }

    private static func enter(_ body: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
        return nil
    }

    /// Waits for the thread's end. Once, and not after `detach`.
    func join() { withThread { _ = pthread_join($0, nil) } }

    /// Lets the system clean up when the thread ends.
    func detach() { withThread { _ = pthread_detach($0) } }

    private func withThread(_ body: (pthread_t) -> Void) {
        #if canImport(Darwin)
            if let thread = pthread_t(bitPattern: handle) { body(thread) }
        #else
            body(pthread_t(handle))
        #endif
    }
}

// Names that the enum's own functions hide, and calls that differ between the platforms.

private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    bind(descriptor, address, length)
}

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func systemAccept(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }

#if canImport(Darwin)
    private func streamSocket() -> Int32 { socket(AF_INET, SOCK_STREAM, 0) }

    private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        send(descriptor, bytes, count, 0)
    }
#else
    private func streamSocket() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
    }
#endif
