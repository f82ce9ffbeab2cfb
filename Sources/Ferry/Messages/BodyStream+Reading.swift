package import Foundation

extension BodyStream {
    /// Reads the stream to its end.
    ///
    /// - Parameter take: Takes each chunk; chunks are not empty.
    /// - Throws: `NetworkError`: `invalidBody` where the stream fails or is of another length than it declared,
    ///   `bodyNotReplayable` where it was used up, `cancelled`, what `take` throws.
    package func read(_ take: (Data) throws(NetworkError) -> Void) async throws(NetworkError) {
        var count: Int64 = 0
        do {
            try await Self.drain(makeSequence()) { (chunk) throws(NetworkError) in
                if Task.isCancelled { throw .cancelled }
                count += Int64(chunk.count)
                if let length, count > length { throw mismatch(length, "more") }
                if !chunk.isEmpty { try take(chunk) }
            }
        } catch let error as NetworkError {
            throw error
        } catch {
            if Task.isCancelled || error is CancellationError { throw .cancelled }
            throw NetworkError(.invalidBody, "The body stream failed", underlying: error)
        }
        // A cancelled sequence may just end.
        if Task.isCancelled { throw .cancelled }
        if let length, count < length { throw mismatch(length, "only \(count)") }
    }

    private func mismatch(_ length: Int64, _ actual: String) -> NetworkError {
        NetworkError(.invalidBody, "The body stream declared \(length) bytes and gave \(actual)")
    }

    private static func drain<Chunks: AsyncSequence>(
        _ chunks: Chunks, _ take: (Data) throws(NetworkError) -> Void
    ) async throws where Chunks.Element == Data {
        for try await chunk in chunks { try take(chunk) }
    }
}
