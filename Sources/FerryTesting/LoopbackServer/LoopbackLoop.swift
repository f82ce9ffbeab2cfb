import Ferry
import Foundation
import Synchronization

/// The server's one thread: waits for sockets, reads, parses, answers what needs no task, and writes.
///
/// Created and used on that thread alone. Handlers run in tasks and come back through the mailbox.
final class LoopbackLoop {
    let core: LoopbackCore
    private let listener: Int32
    let clock = SystemClock()
    private var connections: [Int: LoopbackConnection] = [:]
    private var order: [LoopbackConnection] = []
    private var entries: [Sockets.PollEntry] = []
    var scratch = [UInt8](repeating: 0, count: 256 * 1024)
    private var acceptedCount = 0
    private var isStopping = false
    private var isAcceptPaused = false
    private var lingeringCount = 0

    /// How long a client may take to read a last response and close.
    private static let lingerTime = Duration.seconds(5)

    init(core: LoopbackCore, listener: Int32) {
        self.core = core
        self.listener = listener
    }

    func run() {
        while !isStopping { turn() }
        for connection in order { close(connection) }
        Sockets.close(listener)
        for command in core.mailbox.close() {
            if case .write(_, _, let continuation) = command { continuation.resume(returning: false) }
        }
        core.routes.withLock { $0.removeAll() }
        core.connectionPolicy.withLock { $0 = nil }
        core.recorder.stop()
        core.ended.open()
    }

    private func turn() {
        entries.removeAll(keepingCapacity: true)
        entries.append(Sockets.PollEntry(fd: core.mailbox.reader, events: Sockets.readable, revents: 0))
        entries.append(Sockets.PollEntry(fd: listener, events: isAcceptPaused ? 0 : Sockets.readable, revents: 0))
        for connection in order {
            entries.append(Sockets.PollEntry(fd: connection.descriptor, events: connection.interest, revents: 0))
        }
        Sockets.wait(&entries, timeout: isAcceptPaused ? 10 : lingeringCount > 0 ? 500 : -1)
        isAcceptPaused = false
        let polledCount = order.count
        if entries[0].revents != 0 { for command in core.mailbox.take() { perform(command) } }
        if entries[1].revents != 0 { acceptAll() }
        for index in 0..<polledCount where entries[index + 2].revents != 0 && !order[index].isClosed {
            serve(order[index], entries[index + 2].revents)
        }
        if lingeringCount > 0 { endLingering() }
        if order.count != connections.count { order.removeAll { $0.isClosed } }
    }

    private func serve(_ connection: LoopbackConnection, _ events: Int16) {
        if events & Sockets.writable != 0 {
            flush(connection)
            // The next request may have come while this answer was on its way.
            parse(connection)
        }
        guard !connection.isClosed else { return }
        if events & Sockets.readable != 0 {
            read(connection)
        } else if events & Sockets.broken != 0 {
            close(connection)
        }
    }

    private func perform(_ command: LoopbackCommand) {
        switch command {
        case .write(let address, let data, let continuation):
            guard let (connection, _) = find(address) else { return continuation.resume(returning: false) }
            connection.output.append(data)
            connection.output.writers.append(continuation)
            flush(connection)
        case .answer(let address, let answer):
            guard let (connection, exchange) = find(address) else { return }
            self.answer(connection, exchange, answer)
            parse(connection)
        case .finish(let address, let ending, let keepsAlive):
            guard let (connection, exchange) = find(address) else { return }
            exchange.end = LoopbackExchange.End(ending: ending, keepsAlive: keepsAlive)
            flush(connection)
            if !connection.isClosed { parse(connection) }
        case .wantBody(let address):
            guard let (connection, exchange) = find(address) else { return }
            if exchange.owesContinue {
                exchange.owesContinue = false
                connection.output.append(Self.continueLine)
                flush(connection)
            }
            exchange.isBodyPaused = false
            if !connection.isClosed { parse(connection) }
        case .stop:
            isStopping = true
        }
    }

    static let continueLine = Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private func find(_ address: ExchangeAddress) -> (LoopbackConnection, LoopbackExchange)? {
        guard let connection = connections[address.connection], let exchange = connection.exchange,
            exchange.address == address, exchange.end == nil
        else { return nil }
        return (connection, exchange)
    }

    // MARK: Connections

    private func acceptAll() {
        while true {
            switch Sockets.accept(listener) {
            case .success(let descriptor): open(descriptor)
            case .failure(let error):
                // Without a descriptor left the listener stays readable: looking again at once would spin.
                isAcceptPaused = error.isExhaustion
                return
            }
        }
    }

    private func open(_ descriptor: Int32) {
        acceptedCount += 1
        let connection = LoopbackConnection(
            number: acceptedCount, descriptor: descriptor, headLimit: core.limits.head)
        connections[connection.number] = connection
        order.append(connection)
        core.recorder.connectionOpened()
        let policy = core.connectionPolicy.withLock { $0 }
        switch policy?(connection.number) ?? .serve {
        case .serve: break
        case .close: close(connection)
        case .reset: close(connection, withReset: true)
        case .ignore: connection.mode = .silent
        }
    }

    /// Ends a connection and whatever waits on it.
    func close(_ connection: LoopbackConnection, withReset: Bool = false) {
        guard !connection.isClosed else { return }
        if case .lingering = connection.mode { lingeringCount -= 1 }
        connection.mode = .closed
        connections[connection.number] = nil
        if withReset { Sockets.reset(connection.descriptor) } else { Sockets.close(connection.descriptor) }
        connection.disconnection.open()
        if let exchange = connection.exchange {
            exchange.channel?.finish(.failure(NetworkError(.connectionLost, "The client has left within the body")))
            if exchange.end == nil { exchange.task?.cancel() }
            connection.exchange = nil
        }
        for writer in connection.output.writers { writer.resume(returning: false) }
        connection.output.writers = []
        connection.output.removeAll()
        core.recorder.connectionClosed()
    }

    func linger(_ connection: LoopbackConnection) {
        Sockets.shutdownSending(connection.descriptor)
        connection.mode = .lingering(until: clock.now + Self.lingerTime)
        connection.exchange = nil
        lingeringCount += 1
    }

    private func endLingering() {
        let now = clock.now
        for connection in order {
            if case .lingering(let deadline) = connection.mode, deadline <= now { close(connection) }
        }
    }
}
