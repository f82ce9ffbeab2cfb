public import Ferry
public import Foundation
import Synchronization

/// The body of a request as it arrives, for handlers that take large uploads in constant memory.
///
/// At most about 1 MiB waits here; a handler that reads slowly slows the client. Read it once, in one task.
public struct LoopbackRequestBody: AsyncSequence, Sendable {
    /// A piece of the body, without framing.
    public typealias Element = Data
    /// Kind `connectionLost` where the client left before the end.
    public typealias Failure = NetworkError

    let channel: Channel

    /// Iterates over the pieces.
    public func makeAsyncIterator() -> Iterator { Iterator(channel: channel) }

    /// Reads to the end.
    ///
    /// - Returns: How many bytes came.
    /// - Throws: `NetworkError` of kind `connectionLost` where the client left before the end.
    @discardableResult
    public func drain() async throws(NetworkError) -> Int {
        var count = 0
        while let piece = try await channel.next() { count += piece.count }
        return count
    }

    /// The iterator.
    public struct Iterator: AsyncIteratorProtocol {
        let channel: Channel

        /// The next piece, or nil at the end.
        public mutating func next() async throws(NetworkError) -> Data? { try await channel.next() }

        /// The next piece, or nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Data? {
            try await channel.next()
        }
    }
}

@available(*, unavailable)
extension LoopbackRequestBody.Iterator: Sendable {}

extension LoopbackRequestBody {
    /// Between the loop's thread, which fills it, and the handler's task, which empties it.
    final class Channel: Sendable {
        private struct State {
            var pieces: [Data] = []
            var byteCount = 0
            var isPaused = false
            var end: Result<Void, NetworkError>?
            var waiter: CheckedContinuation<Result<Data?, NetworkError>, Never>?
        }

        /// Guards the pieces and the one waiter: filled on the loop's thread, emptied in a task.
        private let state = Mutex(State())
        /// Asks the loop to read on.
        private let wantMore: @Sendable () -> Void

        private static let highWater = 1 << 20
        private static let lowWater = 1 << 18

        init(wantMore: @escaping @Sendable () -> Void) { self.wantMore = wantMore }

        /// Whether no more should be read from the client for now.
        var isFull: Bool {
            state.withLock { state in
                state.isPaused = state.byteCount >= Self.highWater
                return state.isPaused
            }
        }

        /// Whether the whole body has come.
        var isWhole: Bool {
            state.withLock { state in
                if case .success? = state.end { true } else { false }
            }
        }

        func push(_ data: Data) {
            let waiter = state.withLock { state -> CheckedContinuation<Result<Data?, NetworkError>, Never>? in
                if let waiter = state.waiter {
                    state.waiter = nil
                    return waiter
                }
                state.pieces.append(data)
                state.byteCount += data.count
                return nil
            }
            waiter?.resume(returning: .success(data))
        }

        /// Ends the body, whole or cut. The first end counts.
        func finish(_ result: Result<Void, NetworkError>) {
            let waiter = state.withLock { state -> CheckedContinuation<Result<Data?, NetworkError>, Never>? in
                if state.end == nil { state.end = result }
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: result.map { nil })
        }

        func next() async throws(NetworkError) -> Data? {
            wantIfNeeded()
            return try await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> Result<Data?, NetworkError>? in
                    if !state.pieces.isEmpty {
                        let piece = state.pieces.removeFirst()
                        state.byteCount -= piece.count
                        return .success(piece)
                    }
                    if let end = state.end { return end.map { nil } }
                    if state.waiter != nil {
                        return .failure(NetworkError(.streamConsumed, "Two tasks read one request body"))
                    }
                    state.waiter = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }.get()
        }

        private func wantIfNeeded() {
            let isNeeded = state.withLock { state in
                guard state.end == nil else { return false }
                // An empty channel may owe the client a 100 Continue.
                let isNeeded = state.isPaused && state.byteCount <= Self.lowWater || state.byteCount == 0
                if isNeeded { state.isPaused = false }
                return isNeeded
            }
            if isNeeded { wantMore() }
        }
    }
}
