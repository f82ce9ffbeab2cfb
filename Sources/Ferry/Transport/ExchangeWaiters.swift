package import Foundation

/// Who waits for an exchange: the call for its response, a consumer for the next chunk, the watch for its deadline.
///
/// The storage between an `ExchangeStateMachine` and its face, the same for every transport: what the machine says becomes one
/// step, taken under the face's lock and performed outside of it.
package struct ExchangeWaiters {
    package typealias Response = CheckedContinuation<Result<HTTPResponse.Delivered, NetworkError>, Never>
    package typealias Chunk = CheckedContinuation<Result<Data?, NetworkError>, Never>

    /// The consumer, once the machine had nothing for it.
    package var chunk: Chunk?
    package var watchToken: UInt64?
    /// Whether the transfer was told to stop.
    package private(set) var isStopped = false
    private var response: Response?
    /// What was decided before anybody waited for it.
    private var early: Result<HTTPResponse.Delivered, NetworkError>?
    private var isOver = false

    package init() {}

    /// The call waits for its response.
    ///
    /// - Returns: What was decided already; else the continuation is resumed by a later step.
    package mutating func wait(_ continuation: Response) -> Result<HTTPResponse.Delivered, NetworkError>? {
        if early == nil { response = continuation }
        return early
    }

    /// What follows from an event.
    ///
    /// - Parameters:
    ///   - actions: What the machine wants done.
    ///   - received: Bytes of the body, where the machine has ended.
    package mutating func step(_ actions: ExchangeStateMachine.Actions, received: Int64?) -> Step {
        var step = Step(actions: actions)
        if let result = actions.deliver {
            step.response = response.take()
            if step.response == nil { early = result }
        }
        if actions.supply != nil { step.chunk = chunk.take() }
        if actions.stop, !isStopped {
            isStopped = true
            step.stops = true
        }
        if let received, !isOver {
            isOver = true
            step.received = received
            step.watchToken = watchToken
        }
        return step
    }

    /// What is to be done outside the lock.
    package struct Step {
        fileprivate let actions: ExchangeStateMachine.Actions
        fileprivate var response: Response?
        fileprivate var chunk: Chunk?
        fileprivate var watchToken: UInt64?
        fileprivate var received: Int64?
        /// Whether to stop the transfer; once an exchange.
        package fileprivate(set) var stops = false

        /// Whether the exchange ended with it; once an exchange.
        package var isEnd: Bool { received != nil }

        /// Counts what was received and resumes who waits; stopping the transfer is the face's part.
        package func perform(in context: CallContext) {
            if let watchToken { context.deadlines.end(watchToken) }
            if let received { context.count(received: received) }
            if let result = actions.deliver { response?.resume(returning: result) }
            if let result = actions.supply { chunk?.resume(returning: result) }
        }
    }
}
