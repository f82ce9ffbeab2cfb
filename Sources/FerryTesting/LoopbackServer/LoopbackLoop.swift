import Ferry
import Foundation
import Synchronization

/// What the loop's thread shares with the server and with the tasks of handlers.
final class LoopbackCore: Sendable {
    struct Limits: Sendable {
        var requestBody: Int
        var head: Int
    }

    /// Guards the routes: tests add some while requests are looked up.
    let routes = Mutex(RouteTable())
    /// Guards what happens to new connections, for the same reason.
    let connectionPolicy = Mutex<(@Sendable (Int) -> LoopbackServer.ConnectionAction)?>(nil)
    /// Guards the steps before every route, for the same reason.
    let middleware = Mutex<[@Sendable (LoopbackRequest, LoopbackServer.Next) async throws -> LoopbackResponse]>([])
    /// Guards what must come: tests add and read it from any thread.
    let expectations = Mutex<[LoopbackExpectation]>([])
    let recorder: LoopbackRecorder
    let mailbox: LoopbackMailbox
    let limits: Limits
    /// Opens when the loop has closed everything.
    let ended = Gate()

    init(recorder: LoopbackRecorder, mailbox: LoopbackMailbox, limits: Limits) {
        self.recorder = recorder
        self.mailbox = mailbox
        self.limits = limits
    }
}

/// The server's one thread: waits for sockets, reads, parses, answers what needs no task, and writes.
///
/// Created and used on that thread alone. Handlers run in tasks and come back through the mailbox.
final class LoopbackLoop {
    let core: LoopbackCore
    private let listener: Int32
    private let clock = SystemClock()
    private var connections: [Int: LoopbackConnection] = [:]
    private var order: [LoopbackConnection] = []
    private var entries: [Sockets.PollEntry] = []
    private var scratch = [UInt8](repeating: 0, count: 256 * 1024)
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

    private static let continueLine = Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)

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
    private func close(_ connection: LoopbackConnection, withReset: Bool = false) {
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

    private func linger(_ connection: LoopbackConnection) {
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

    // MARK: Reading

    private func read(_ connection: LoopbackConnection) {
        let result = scratch.withUnsafeMutableBytes { Sockets.receive(connection.descriptor, into: $0) }
        switch result {
        case .count(let count):
            guard case .serving = connection.mode else { return }
            scratch.withUnsafeBytes { connection.parser.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            parse(connection)
        case .wouldBlock: break
        case .ended, .failed: clientLeft(connection, isOrderly: result == .ended)
        }
    }

    private func clientLeft(_ connection: LoopbackConnection, isOrderly: Bool) {
        if case .serving = connection.mode, connection.exchange.map({ !$0.isBodyComplete }) ?? !connection.parser.isIdle
        {
            core.recorder.reject("Connection \(connection.number): the client left within a request")
        }
        guard isOrderly, connection.exchange?.end != nil, !connection.output.isEmpty else { return close(connection) }
        // It ended its sending direction: the response is on its way, and nothing comes after it.
        connection.disconnection.open()
        connection.exchange?.end?.keepsAlive = false
        if connection.exchange?.end?.ending != .reset { connection.exchange?.end?.ending = .close }
        connection.isInputEnded = true
    }

    private func parse(_ connection: LoopbackConnection) {
        while connection.mayParse {
            do throws(RequestFailure) {
                guard let event = try connection.parser.next() else { return }
                switch event {
                case .head(let head): try begin(connection, head)
                case .body(let data): try receive(connection, data)
                case .end(let trailers): complete(connection, trailers)
                }
            } catch {
                reject(connection, error)
            }
        }
    }

    private func begin(_ connection: LoopbackConnection, _ head: RequestHead) throws(RequestFailure) {
        connection.exchangeCount += 1
        var request = LoopbackRequest(
            head, connection: connection.number, number: connection.exchangeCount,
            disconnection: connection.disconnection)
        let path = request.path
        let match = core.routes.withLock { $0.match(head.method, path) }
        request.pathParameters = match?.parameters ?? [:]
        let exchange = LoopbackExchange(
            address: ExchangeAddress(connection: connection.number, exchange: connection.exchangeCount),
            context: ResponsePlan.Context(
                isHead: head.method == .head, minorVersion: head.minorVersion, wantsKeepAlive: head.wantsKeepAlive),
            action: core.wrapped(
                match?.action ?? .canned(.text("No route for \(head.method) \(path)\n", status: .notFound))),
            request: request)
        connection.exchange = exchange
        let isWaiting = head.expectsContinue && head.framing != .none && connection.parser.bufferedCount == 0
        if case .streaming = exchange.action {
            exchange.owesContinue = isWaiting
            stream(exchange)
            return
        }
        if case .contentLength(let length) = head.framing {
            try checkSize(length)
            exchange.request.body.reserveCapacity(min(length, 1 << 20))
        }
        if isWaiting {
            connection.output.append(Self.continueLine)
            flush(connection)
        }
    }

    private func checkSize(_ length: Int) throws(RequestFailure) {
        guard length > core.limits.requestBody else { return }
        throw RequestFailure(status: 413, reason: "The body is larger than \(core.limits.requestBody) bytes")
    }

    private func receive(_ connection: LoopbackConnection, _ data: Data) throws(RequestFailure) {
        guard let exchange = connection.exchange else { return }
        exchange.owesContinue = false
        exchange.receivedCount += data.count
        if let channel = exchange.channel {
            channel.push(data)
            exchange.isBodyPaused = channel.isFull
        } else {
            try checkSize(exchange.receivedCount)
            exchange.request.body.append(data)
        }
    }

    private func complete(_ connection: LoopbackConnection, _ trailers: HTTPHeaders) {
        guard let exchange = connection.exchange else { return }
        exchange.isBodyComplete = true
        if let channel = exchange.channel {
            channel.finish(.success(()))
            return flush(connection)
        }
        exchange.request.trailers = trailers
        core.recorder.record(exchange.request)
        switch exchange.action {
        case .canned(let response) where response.isImmediate:
            answer(connection, exchange, ImmediateAnswer(response, exchange.context))
        case .canned(let response):
            start(exchange) { _ in response }
        case .handler(let handler):
            start(exchange, handler)
        case .script, .streaming:
            // A script's turn is taken by the route table; a streaming handler has its channel.
            close(connection)
        }
    }

    private func reject(_ connection: LoopbackConnection, _ failure: RequestFailure) {
        core.recorder.reject("Connection \(connection.number): \(failure.reason)")
        guard connection.exchange?.channel == nil else {
            // A streaming handler may be writing its response: nothing else can be said.
            return close(connection)
        }
        let context = ResponsePlan.Context(isHead: false, minorVersion: 1, wantsKeepAlive: false)
        let answer = ImmediateAnswer(.text(failure.reason + "\n", status: failure.status), context)
        answer.pieces.forEach { connection.output.append($0) }
        let exchange = LoopbackExchange(
            address: ExchangeAddress(connection: connection.number, exchange: -1), context: context,
            action: .script([]), request: connection.exchange?.request ?? Self.unknownRequest(connection))
        exchange.end = LoopbackExchange.End(ending: nil, keepsAlive: false)
        connection.exchange = exchange
        flush(connection)
    }

    private static func unknownRequest(_ connection: LoopbackConnection) -> LoopbackRequest {
        let head = RequestHead(method: .get, target: "/", minorVersion: 1, headers: [:], framing: .none)
        return LoopbackRequest(
            head, connection: connection.number, number: 0, disconnection: connection.disconnection)
    }

    // MARK: Answering

    private func stream(_ exchange: LoopbackExchange) {
        guard case .streaming(let handler) = exchange.action else { return }
        let address = exchange.address
        let channel = LoopbackRequestBody.Channel { [mailbox = core.mailbox] in mailbox.send(.wantBody(address)) }
        exchange.channel = channel
        core.recorder.record(exchange.request)
        start(exchange) { request in try await handler(request, LoopbackRequestBody(channel: channel)) }
    }

    /// Runs a handler in a task, off this thread.
    private func start(
        _ exchange: LoopbackExchange,
        _ handler: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse
    ) {
        let (address, request, channel) = (exchange.address, exchange.request, exchange.channel)
        let planned = exchange.context
        exchange.task = Task { [mailbox = core.mailbox] in
            var response: LoopbackResponse
            do {
                response = try await handler(request)
            } catch {
                response = .text("The handler of \(request) threw: \(error)\n", status: .internalServerError)
            }
            var context = planned
            // What is left of the body would be in the way of the next request.
            if let channel, !channel.isWhole { context.wantsKeepAlive = false }
            if response.isImmediate {
                mailbox.send(.answer(address, ImmediateAnswer(response, context)))
            } else {
                await LoopbackWriter.transmit(
                    response, context, to: address, mailbox, disconnection: request.disconnection)
            }
        }
    }

    private func answer(_ connection: LoopbackConnection, _ exchange: LoopbackExchange, _ answer: ImmediateAnswer) {
        for piece in answer.pieces { connection.output.append(piece) }
        exchange.end = LoopbackExchange.End(ending: answer.ending, keepsAlive: answer.keepsAlive)
        flush(connection)
    }

    /// Sends what the client takes, lets writers go on, and ends the exchange after its last byte.
    private func flush(_ connection: LoopbackConnection) {
        guard connection.output.flush(to: connection.descriptor) else { return close(connection) }
        if connection.output.byteCount <= OutputQueue.lowWater, !connection.output.writers.isEmpty {
            let writers = connection.output.writers
            connection.output.writers = []
            for writer in writers { writer.resume(returning: true) }
        }
        if connection.output.isEmpty, let exchange = connection.exchange, let end = exchange.end {
            conclude(connection, exchange, end)
        }
    }

    private func conclude(
        _ connection: LoopbackConnection, _ exchange: LoopbackExchange, _ end: LoopbackExchange.End
    ) {
        switch end.ending {
        case .close: close(connection)
        case .reset: close(connection, withReset: true)
        case .keepOpen:
            connection.mode = .silent
            connection.exchange = nil
        case nil where end.keepsAlive && exchange.isBodyComplete:
            connection.exchange = nil
        case nil where exchange.isBodyComplete && connection.parser.isIdle:
            close(connection)
        case nil:
            exchange.channel?.finish(.failure(NetworkError(.connectionLost, "The response came before the body's end")))
            linger(connection)
        }
    }
}
