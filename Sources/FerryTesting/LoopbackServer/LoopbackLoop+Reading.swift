import Ferry
import Foundation
import Synchronization

/// Bytes of clients become requests.
extension LoopbackLoop {
    func read(_ connection: LoopbackConnection) {
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

    func parse(_ connection: LoopbackConnection) {
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
}
