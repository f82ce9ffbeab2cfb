import Foundation
import Synchronization

/// A stream that is connected to when its first chunk is asked for.
final class LazyByteSource: ByteSource {
    typealias Connect = @Sendable () async throws(NetworkError) -> ByteStream

    /// Guards the stream: its reader and whoever drops it are different tasks.
    private let state: Mutex<State>

    private enum State {
        case idle(Connect)
        case connecting
        case connected(ByteStream)
        case over
    }

    init(_ connect: @escaping Connect) { state = Mutex(.idle(connect)) }

    func next() async throws(NetworkError) -> Data? {
        let (connect, stream) = state.withLock { state -> (Connect?, ByteStream?) in
            switch state {
            case .idle(let connect):
                state = .connecting
                return (connect, nil)
            case .connected(let stream): return (nil, stream)
            case .connecting, .over: return (nil, nil)
            }
        }
        if let stream { return try await stream.source.next() }
        guard let connect else { throw .cancelled }
        let connected = try await connect()
        let isWanted = state.withLock { state in
            guard case .connecting = state else { return false }
            state = .connected(connected)
            return true
        }
        guard isWanted else { throw .cancelled }
        return try await connected.source.next()
    }

    var trailers: HTTPHeaders {
        state.withLock { if case .connected(let stream) = $0 { stream.trailers } else { [:] } }
    }

    /// Lets go of the stream, which cancels its transfer.
    func cancel() {
        let dropped = state.withLock { state in
            defer { state = .over }
            return state
        }
        if case .connected(let stream) = dropped { stream.source.cancel() }
    }
}
