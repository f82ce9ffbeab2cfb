import Foundation
import Synchronization

/// Hands a stream on and stores it once it was read to its end; as soon as it is too large, it is only handed on.
final class StoringSource: ByteSource {
    private let stream: ByteStream
    private let limit: Int
    private let store: @Sendable (Data) async -> Void
    /// Guards what came so far, nil where it is too large: the consumer reads on one thread and may leave on another.
    private let collected = Mutex<Data?>(Data())

    init(_ stream: ByteStream, limit: Int, store: @escaping @Sendable (Data) async -> Void) {
        self.stream = stream
        self.limit = limit
        self.store = store
    }

    func next() async throws(NetworkError) -> Data? {
        guard let chunk = try await stream.source.next() else {
            let body = collected.withLock { $0.take() }
            if let body { await store(body) }
            return nil
        }
        collected.withLock { data in
            if chunk.count > limit - (data?.count ?? 0) { data = nil } else { data?.append(chunk) }
        }
        return chunk
    }

    var trailers: HTTPHeaders { stream.trailers }

    func cancel() {
        stream.source.cancel()
        collected.withLock { $0 = nil }
    }
}
