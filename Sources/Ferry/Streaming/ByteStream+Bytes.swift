extension ByteStream {
    /// The bytes of the stream, one by one. Convenient, not fast: prefer chunks or a parser for large content.
    public var bytes: Bytes { Bytes(stream: self) }

    /// The bytes of a stream, one by one.
    public struct Bytes: AsyncSequence, Sendable {
        /// One byte.
        public typealias Element = UInt8
        /// Every failure is a `NetworkError`.
        public typealias Failure = NetworkError

        fileprivate let stream: ByteStream

        /// Iterates over the bytes. The second iterator throws at once: the bytes are gone.
        public func makeAsyncIterator() -> Iterator { Iterator(chunks: stream.makeAsyncIterator()) }

        /// Iterates over the bytes of a stream.
        ///
        /// Inlinable in part, so that a byte that is there already costs no call.
        public struct Iterator: AsyncIteratorProtocol {
            private var chunks: ByteStream.Iterator?
            @usableFromInline var chunk: [UInt8] = []
            @usableFromInline var position = 0

            fileprivate init(chunks: ByteStream.Iterator) { self.chunks = chunks }

            /// The next byte, or nil at the end.
            ///
            /// - Throws: What the stream throws; afterwards the sequence is finished.
            @inlinable
            public mutating func next() async throws(NetworkError) -> UInt8? { try await next(isolation: nil) }

            /// The next byte, or nil at the end.
            ///
            /// - Throws: What the stream throws; afterwards the sequence is finished.
            @inlinable
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> UInt8? {
                if position == chunk.count {
                    guard try await refill(isolation: actor) else { return nil }
                }
                defer { position += 1 }
                return chunk[position]
            }

            /// Takes the next chunk; false at the end.
            @usableFromInline
            mutating func refill(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Bool {
                (chunk, position) = ([], 0)
                do throws(NetworkError) {
                    guard let next = try await chunks?.next(isolation: actor) else {
                        chunks = nil
                        return false
                    }
                    chunk = Array(next)
                    return true
                } catch {
                    chunks = nil
                    throw error
                }
            }
        }
    }
}

@available(*, unavailable)
extension ByteStream.Bytes.Iterator: Sendable {}
