import Ferry
import Foundation

/// Answers become bytes, and exchanges end.
extension LoopbackLoop {
    func stream(_ exchange: LoopbackExchange) {
        guard case .streaming(let handler) = exchange.action else { return }
        let address = exchange.address
        let channel = LoopbackRequestBody.Channel { [mailbox = core.mailbox] in mailbox.send(.wantBody(address)) }
        exchange.channel = channel
        core.recorder.record(exchange.request)
        start(exchange) { request in try await handler(request, LoopbackRequestBody(channel: channel)) }
    }

    /// Runs a handler in a task, off this thread.
    func start(
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

    func answer(_ connection: LoopbackConnection, _ exchange: LoopbackExchange, _ answer: ImmediateAnswer) {
        for piece in answer.pieces { connection.output.append(piece) }
        exchange.end = LoopbackExchange.End(ending: answer.ending, keepsAlive: answer.keepsAlive)
        flush(connection)
    }

    /// Sends what the client takes, lets writers go on, and ends the exchange after its last byte.
    func flush(_ connection: LoopbackConnection) {
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
