import Foundation
import Synchronization

/// Which exchange on which connection something is for. A late answer to a finished exchange finds nobody.
struct ExchangeAddress: Hashable, Sendable {
    var connection: Int
    var exchange: Int
}

/// What tasks ask of the loop's thread.
enum LoopbackCommand: Sendable {
    /// Sends bytes; the answer is whether the client is still there, once most of the output is on its way.
    case write(ExchangeAddress, Data, CheckedContinuation<Bool, Never>)
    /// Sends a whole response and ends the exchange.
    case answer(ExchangeAddress, ImmediateAnswer)
    /// Ends the exchange after what was written.
    case finish(ExchangeAddress, LoopbackResponse.Ending?, keepsAlive: Bool)
    /// The handler waits for more of the request's body.
    case wantBody(ExchangeAddress)
    /// Closes every connection and ends the loop.
    case stop
}

/// The way from tasks to the loop's thread: a queue, and a pipe that wakes the thread from `poll`.
final class LoopbackMailbox: Sendable {
    private struct State {
        var commands: [LoopbackCommand] = []
        var isSignalled = false
        var isClosed = false
    }

    /// Guards the queue, and that nobody writes to the pipe after it was closed.
    private let state = Mutex(State())
    /// The end that the loop polls.
    let reader: Int32
    private let writer: Int32

    init?() {
        guard let ends = Sockets.makePipe() else { return nil }
        (reader, writer) = ends
    }

    /// Queues a command.
    ///
    /// - Returns: Whether the loop will see it; false once it has ended.
    @discardableResult
    func send(_ command: LoopbackCommand) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.commands.append(command)
            if !state.isSignalled {
                state.isSignalled = true
                Sockets.writeByte(writer)
            }
            return true
        }
    }

    /// Takes all commands; on the loop's thread.
    func take() -> [LoopbackCommand] {
        state.withLock { state in
            if state.isSignalled {
                Sockets.drain(reader)
                state.isSignalled = false
            }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Closes the pipe and gives back what came too late.
    func close() -> [LoopbackCommand] {
        state.withLock { state in
            guard !state.isClosed else { return [] }
            state.isClosed = true
            Sockets.close(reader)
            Sockets.close(writer)
            defer { state.commands = [] }
            return state.commands
        }
    }
}
