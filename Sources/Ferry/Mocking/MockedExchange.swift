import Foundation

/// The exchange that a mock stands for: the one implementation behind mock mode and the mock transport.
///
/// It behaves as a transport does: it takes the request's body, waits, reports the head, and hands the body out in the
/// delivery that the context asks for.
package enum MockedExchange {
    /// Makes the exchange.
    ///
    /// The request's body is read to its end, as a server would, and its bytes count as sent: a missing file or a
    /// stream of another length than declared fails here as on a real connection, and a stream that can be sent once
    /// is then used up. Failures before a connection stands leave the body alone.
    ///
    /// - Parameters:
    ///   - request: A validated request whose body is encoded.
    ///   - mock: The answer.
    ///   - fixtures: Where the answer's fixture is found.
    ///   - context: The call.
    /// - Throws: The mock's own failure; of kind `mock` for one that is missing or contradicts itself, before anything
    ///   else happens; `cancelled` promptly.
    package static func respond(
        to request: HTTPRequest, with mock: MockResponse, fixtures: FixtureSource, context: CallContext
    ) async throws(NetworkError) -> HTTPResponse {
        do throws(NetworkError) {
            return try await exchange(request, mock, fixtures, context)
        } catch {
            throw error.describing(request)
        }
    }

    private static func exchange(
        _ request: HTTPRequest, _ mock: MockResponse, _ fixtures: FixtureSource, _ context: CallContext
    ) async throws(NetworkError) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        let plan = try MockPlan(mock, for: request, fixtures: fixtures)
        if plan.readsRequestBody { try await send(request.body, context) }
        try await context.wait(until: context.clock.now + max(mock.delay, .zero))
        switch plan.outcome {
        case .failure(let error):
            throw error
        case .response(let head, let steps, let total, let end):
            context.received(head)
            // As a transport has it: a body that is cut behind its head tells the head too.
            let end = end?.describing(request).with { $0.response = $0.response ?? head }
            let source = MockByteSource(steps: steps, total: total, end: end, context: context)
            switch context.delivery {
            case .streamed:
                return HTTPResponse(head: head, body: .stream(ByteStream(source)), source: .mock)
            case .buffered:
                var data = Data()
                while let chunk = try await source.next() { data.append(chunk) }
                return HTTPResponse(head: head, body: .data(data), source: .mock)
            }
        }
    }

    private static func send(_ body: RequestBody, _ context: CallContext) async throws(NetworkError) {
        let total = try body.length
        var sent: Int64 = 0
        try await body.read { (chunk) throws(NetworkError) in
            sent += Int64(chunk.count)
            context.count(sent: Int64(chunk.count))
            context.emit(.sent(TransferProgress(completed: sent, total: total)))
        }
    }
}
