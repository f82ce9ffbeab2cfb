#if os(Linux)
    import Ferry
    import Foundation
    import Synchronization

    /// A body stream of a declared length, sent while it is produced, in bounded memory.
    ///
    ///     producer (a task) ──> [ at most `limit` bytes ] ──> transfer (in the loop's turn)
    ///       waits while full                                    pauses while empty
    ///
    /// Nothing is sent before the first `limit` bytes or the end are there: a short stream whose length is wrong fails before
    /// any connection, and one that fits is kept, so that it can be sent again.
    final class StreamReader: CurlReader {
        let length: Int64
        private let stream: BodyStream
        /// Guards what waits: the producer's task puts in, the transfer takes out.
        private let state = Mutex(State())

        private struct State {
            var chunks: [Data] = []
            /// Place in `chunks` and in the chunk there of the next byte to give.
            var chunk = 0
            var offset = 0
            /// Bytes that wait.
            var waiting = 0
            var produced: Int64 = 0
            var taken: Int64 = 0
            var isAtEnd = false
            var failure: NetworkError?
            var isReaderWaiting = false
            var notify: (@Sendable () -> Void)?
            var room: CheckedContinuation<Void, Never>?
            var opening: CheckedContinuation<Void, Never>?
            var task: Task<Void, Never>?
            /// Counts the times the stream was opened; an older producer's bytes are dropped.
            var edition = 0
        }

        /// Bytes that may wait.
        private static let limit = 256 << 10

        private init(_ stream: BodyStream, length: Int64) {
            self.stream = stream
            self.length = length
        }

        /// Opens a stream and waits for its first bytes.
        ///
        /// - Throws: What opening throws, `invalidBody` where the stream failed or is of another length already.
        static func open(_ stream: BodyStream, length: Int64) async throws(NetworkError) -> CurlUpload {
            let reader = StreamReader(stream, length: length)
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    reader.state.withLock { $0.opening = continuation }
                    reader.begin()
                }
            } onCancel: {
                reader.cancel()
            }
            if Task.isCancelled {
                reader.cancel()
                throw .cancelled
            }
            if let failure = reader.state.withLock({ $0.failure }) {
                reader.cancel()
                throw failure
            }
            return .source(reader)
        }

        // MARK: From the transfer

        func read(into room: UnsafeMutableRawBufferPointer) -> CurlRead {
            let (result, waiter) = state.withLock { state -> (CurlRead, CheckedContinuation<Void, Never>?) in
                if let failure = state.failure { return (.failed(failure), nil) }
                guard state.waiting > 0 else {
                    if state.isAtEnd { return (.bytes(0), nil) }
                    state.isReaderWaiting = true
                    return (.later, nil)
                }
                // The last byte waits for the stream's end, which tells whether there is more than was declared.
                let most = state.isAtEnd ? room.count : Int(min(Int64(room.count), length - state.taken - 1))
                guard most > 0 else {
                    state.isReaderWaiting = true
                    return (.later, nil)
                }
                var filled = 0
                while filled < most, state.chunk < state.chunks.count {
                    let chunk = state.chunks[state.chunk]
                    let count = min(most - filled, chunk.count - state.offset)
                    let start = chunk.startIndex + state.offset
                    chunk.copyBytes(
                        to: UnsafeMutableRawBufferPointer(rebasing: room[filled...]), from: start..<(start + count))
                    filled += count
                    state.offset += count
                    if state.offset == chunk.count {
                        state.chunk += 1
                        state.offset = 0
                    }
                }
                state.waiting -= filled
                state.taken += Int64(filled)
                // Once more was produced than may wait, what was given is not kept: it could not be sent again anyway.
                if state.produced > Int64(Self.limit) {
                    state.chunks.removeFirst(state.chunk)
                    state.chunk = 0
                }
                let waiter = state.waiting < Self.limit ? state.room.take() : nil
                return (.bytes(filled), waiter)
            }
            waiter?.resume()
            return result
        }

        func rewind() -> Bool {
            let (isKept, isOpened) = state.withLock { state -> (Bool, Bool) in
                if state.taken == 0 { return (true, false) }
                if state.produced <= Int64(Self.limit) {
                    state.waiting += Int(state.taken)
                    state.taken = 0
                    state.chunk = 0
                    state.offset = 0
                    return (true, false)
                }
                return (false, stream.isReplayable)
            }
            guard isOpened else { return isKept }
            stop()
            begin()
            return true
        }

        func onReady(_ notify: @escaping @Sendable () -> Void) { state.withLock { $0.notify = notify } }

        func cancel() {
            stop()
            let opening = state.withLock { $0.opening.take() }
            opening?.resume()
        }

        // MARK: The producer

        private func begin() {
            let edition = state.withLock { $0.edition }
            let task = Task { [self] in await produce(edition) }
            let isStale = state.withLock { state in
                guard state.edition == edition else { return true }
                state.task = task
                return false
            }
            if isStale { task.cancel() }
        }

        /// Ends the producer and forgets what it gave.
        private func stop() {
            let (task, room) = state.withLock { state in
                state.edition += 1
                state.chunks = []
                state.chunk = 0
                state.offset = 0
                state.waiting = 0
                state.produced = 0
                state.taken = 0
                state.isAtEnd = false
                return (state.task.take(), state.room.take())
            }
            task?.cancel()
            room?.resume()
        }

        private func produce(_ edition: Int) async {
            do {
                for try await chunk in try stream.makeSequence() {
                    guard await put(chunk, edition) else { return }
                }
                end(edition, nil)
            } catch let error as NetworkError {
                end(edition, error)
            } catch {
                end(
                    edition,
                    error is CancellationError
                        ? .cancelled : NetworkError(.invalidBody, "The body stream failed", underlying: error))
            }
        }

        /// Adds a chunk and waits until there is room for another.
        ///
        /// - Returns: Whether to go on.
        private func put(_ chunk: Data, _ edition: Int) async -> Bool {
            guard !chunk.isEmpty else { return state.withLock { $0.edition == edition } }
            let isTooLong = state.withLock { state in
                state.edition == edition && state.produced + Int64(chunk.count) > length
            }
            if isTooLong {
                end(edition, NetworkError(.invalidBody, "The body stream declared \(length) bytes and gave more"))
                return false
            }
            await withCheckedContinuation { continuation in
                let (isFull, opening, notify) = state.withLock {
                    state -> (Bool, CheckedContinuation<Void, Never>?, (@Sendable () -> Void)?) in
                    guard state.edition == edition else { return (false, nil, nil) }
                    state.chunks.append(chunk)
                    state.waiting += chunk.count
                    state.produced += Int64(chunk.count)
                    let isFull = state.waiting >= Self.limit
                    if isFull { state.room = continuation }
                    return (isFull, isFull ? state.opening.take() : nil, ready(&state))
                }
                opening?.resume()
                notify?()
                if !isFull { continuation.resume() }
            }
            return state.withLock { $0.edition == edition }
        }

        private func end(_ edition: Int, _ failure: NetworkError?) {
            let (opening, notify) = state.withLock {
                state -> (CheckedContinuation<Void, Never>?, (@Sendable () -> Void)?) in
                guard state.edition == edition else { return (nil, nil) }
                state.isAtEnd = true
                state.failure = failure
                if failure == nil, state.produced < length {
                    state.failure = NetworkError(
                        .invalidBody, "The body stream declared \(length) bytes and gave only \(state.produced)")
                }
                return (state.opening.take(), ready(&state))
            }
            opening?.resume()
            notify?()
        }

        private func ready(_ state: inout State) -> (@Sendable () -> Void)? {
            guard state.isReaderWaiting else { return nil }
            state.isReaderWaiting = false
            return state.notify
        }
    }
#endif
