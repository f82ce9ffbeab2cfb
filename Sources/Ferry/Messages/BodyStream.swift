public import Foundation
import Synchronization

/// A request body produced while it is sent.
///
/// Made from a factory, the stream is replayable: each attempt asks for a new sequence. Made from one sequence, it can
/// be sent once; a call whose first attempt failed then ends with that attempt's error.
public struct BodyStream: Sendable {
    /// Exact length in bytes, or nil where it is not known in advance.
    ///
    /// A stream that yields fewer or more bytes than it declared fails the call with `NetworkError.Kind.invalidBody`.
    public let length: Int64?

    /// Whether the stream can be opened more than once.
    public let isReplayable: Bool

    private let open: @Sendable () throws -> any AsyncSequence<Data, any Error>

    /// A replayable stream.
    ///
    /// - Parameters:
    ///   - length: Exact length in bytes, nil where unknown. Default nil.
    ///   - makeSequence: Called once an attempt; gives the chunks in order.
    public init<Chunks: AsyncSequence & SendableMetatype>(
        length: Int64? = nil, _ makeSequence: @escaping @Sendable () throws -> Chunks
    ) where Chunks.Element == Data {
        self.length = length
        isReplayable = true
        open = { ErasedChunks(base: try makeSequence()) }
    }

    /// A stream that can be sent once.
    ///
    /// - Parameters:
    ///   - sequence: The chunks in order.
    ///   - length: Exact length in bytes, nil where unknown. Default nil.
    public init<Chunks: AsyncSequence & Sendable & SendableMetatype>(
        once sequence: Chunks, length: Int64? = nil
    ) where Chunks.Element == Data {
        self.length = length
        isReplayable = false
        let unused = UnusedFlag()
        open = {
            guard unused.take() else {
                throw NetworkError(.bodyNotReplayable, "The request body is a stream that was already sent once")
            }
            return ErasedChunks(base: sequence)
        }
    }

    /// Opens the stream for one attempt.
    ///
    /// - Throws: `NetworkError` of kind `bodyNotReplayable` where it was opened before and can be sent once only, or
    ///   what the factory throws.
    package func makeSequence() throws -> any AsyncSequence<Data, any Error> { try open() }
}

/// True until taken.
private final class UnusedFlag: Sendable {
    private let isUnused = Mutex(true)

    func take() -> Bool {
        isUnused.withLock { unused in
            defer { unused = false }
            return unused
        }
    }
}

/// A sequence of chunks whose failure type is `any Error`.
private struct ErasedChunks<Base: AsyncSequence>: AsyncSequence where Base.Element == Data {
    let base: Base

    struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator

        mutating func next() async throws -> Data? { try await base.next() }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            try await base.next(isolation: actor)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }
}

extension BodyStream: CustomStringConvertible, CustomReflectable {
    /// How many bytes, as far as it says so.
    public var description: String { length.map { "a stream of \($0) bytes" } ?? "a stream" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["stream": description]) }
}
