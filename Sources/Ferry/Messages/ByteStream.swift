public import Foundation
import Synchronization

/// The bytes of a response as they arrive: a single-pass sequence of chunks.
///
/// Leaving the loop, dropping the iterator or cancelling the task stops the transfer at once. A transfer that was cut
/// throws after the chunks that came, and never ends as if it were complete.
///
/// The memory behind a stream is bounded whatever the consumer does; see the transport's documentation for the bound
/// and for what happens beyond it.
public struct ByteStream: AsyncSequence, Sendable {
    /// A chunk; never empty.
    public typealias Element = Data
    /// Every failure is a `NetworkError`.
    public typealias Failure = NetworkError

    private let owner: Owner

    /// Creates a stream over a source.
    ///
    /// - Parameter source: Where chunks come from. The stream cancels it when it is dropped.
    public init(_ source: any ByteSource) { owner = Owner(source) }

    /// Creates a stream of given chunks, for mocks and tests.
    public init(_ chunks: [Data]) { self.init(ChunkSource(chunks)) }

    /// Where the chunks come from, for a source around this one; that must keep this stream, which cancels its source
    /// when it is dropped.
    package var source: any ByteSource { owner.source }

    /// The fields behind the body (RFC 9110 §6.5), as far as the transport shows them; empty before the stream has ended.
    public var trailers: HTTPHeaders { owner.source.trailers }

    /// Iterates over the chunks. The second iterator of a stream throws at once: the bytes are gone.
    public func makeAsyncIterator() -> Iterator { Iterator(owner.claim() ? Reader(owner) : nil) }

    /// Reads the stream to its end.
    ///
    /// - Parameter limit: Most bytes to take. Default: no limit.
    /// - Throws: What the stream throws, or `NetworkError` of kind `bodyTooLarge` beyond the limit.
    public func collect(limit: Int = .max) async throws(NetworkError) -> Data {
        var data = Data()
        var iterator = makeAsyncIterator()
        while let chunk = try await iterator.next() {
            guard chunk.count <= limit - data.count else {
                throw NetworkError(.bodyTooLarge, "The response body is larger than \(limit) bytes")
            }
            data.append(chunk)
        }
        return data
    }

    /// Iterates over the chunks of a `ByteStream`.
    public struct Iterator: AsyncIteratorProtocol {
        /// Nil where another iterator has the bytes.
        private let reader: Reader?
        private var isFinished = false

        fileprivate init(_ reader: Reader?) { self.reader = reader }

        /// The next chunk, or nil at the end of a complete body.
        ///
        /// - Throws: `NetworkError`; afterwards the sequence is finished.
        public mutating func next() async throws(NetworkError) -> Data? { try await next(isolation: nil) }

        /// The next chunk, or nil at the end of a complete body.
        ///
        /// - Throws: `NetworkError`; afterwards the sequence is finished.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Data? {
            guard !isFinished else { return nil }
            guard let reader else {
                isFinished = true
                throw NetworkError(.streamConsumed, "A response stream can be read once only")
            }
            do throws(NetworkError) {
                while let chunk = try await reader.owner.source.next() {
                    if !chunk.isEmpty { return chunk }
                }
            } catch {
                isFinished = true
                throw error
            }
            isFinished = true
            return nil
        }
    }

    /// Cancels the source when the loop is left, though somebody keeps the stream: nobody can read the rest.
    fileprivate final class Reader: Sendable {
        let owner: Owner

        init(_ owner: Owner) { self.owner = owner }

        deinit { owner.source.cancel() }
    }

    /// Cancels the source when a stream goes that nobody read.
    fileprivate final class Owner: Sendable {
        let source: any ByteSource
        private let isClaimed = Mutex(false)

        init(_ source: any ByteSource) { self.source = source }

        /// Whether the caller is the first to iterate.
        func claim() -> Bool {
            isClaimed.withLock { claimed in
                defer { claimed = true }
                return !claimed
            }
        }

        deinit { source.cancel() }
    }
}

@available(*, unavailable)
extension ByteStream.Iterator: Sendable {}

extension ByteStream: CustomStringConvertible, CustomReflectable {
    /// That it is one: the content may be secret.
    public var description: String { "a stream" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}

/// Where the chunks of a `ByteStream` come from.
public protocol ByteSource: Sendable {
    /// The next chunk, or nil at the end of a complete body. Called by one consumer at a time.
    ///
    /// - Throws: `NetworkError`; of kind `cancelled` promptly when the task is cancelled.
    func next() async throws(NetworkError) -> Data?

    /// Stops the transfer; has no effect once it ended. Called when nobody reads any more.
    func cancel()

    /// The fields behind the body, once it has ended. Default none.
    var trailers: HTTPHeaders { get }
}

extension ByteSource {
    /// None.
    public var trailers: HTTPHeaders { [:] }
}

/// Given chunks, one after the other.
private final class ChunkSource: ByteSource {
    private let remaining: Mutex<ArraySlice<Data>>

    init(_ chunks: [Data]) { remaining = Mutex(chunks[...]) }

    func next() async throws(NetworkError) -> Data? {
        if Task.isCancelled { throw .cancelled }
        return remaining.withLock { $0.popFirst() }
    }

    func cancel() { remaining.withLock { $0 = [] } }
}
