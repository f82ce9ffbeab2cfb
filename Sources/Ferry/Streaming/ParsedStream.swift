/// What a parser finds in a `ByteStream`: delivers each element as soon as its bytes are there.
///
/// Single-pass like its stream. Leaving the loop, or cancelling the task, stops the transfer. A transfer that was cut
/// throws after the complete elements that came; an incomplete one at the cut is never given out.
public struct ParsedStream<Parser: StreamParser>: AsyncSequence, Sendable {
    /// What the parser finds.
    public typealias Element = Parser.Element
    /// Every failure is a `NetworkError`.
    public typealias Failure = NetworkError

    private let stream: ByteStream
    private let parser: Parser

    /// Creates a sequence.
    ///
    /// - Parameters:
    ///   - stream: Where the bytes come from.
    ///   - parser: A parser in its initial state.
    public init(_ stream: ByteStream, parser: Parser) {
        self.stream = stream
        self.parser = parser
    }

    /// Iterates over the elements. The second iterator throws at once: the bytes are gone.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: stream.makeAsyncIterator(), parser: parser) }

    /// Iterates over the elements of a `ParsedStream`.
    public struct Iterator: AsyncIteratorProtocol {
        /// Nil after the end, so that the transfer is let go of.
        @usableFromInline var stream: ByteStream.Iterator?
        @usableFromInline var parser: Parser
        @usableFromInline var isComplete = false

        fileprivate init(stream: ByteStream.Iterator, parser: Parser) {
            self.stream = stream
            self.parser = parser
        }

        /// The next element, or nil at the end.
        ///
        /// - Throws: What the stream or the parser throws; afterwards the sequence is finished.
        @inlinable
        public mutating func next() async throws(NetworkError) -> Element? { try await next(isolation: nil) }

        /// The next element, or nil at the end.
        ///
        /// - Throws: What the stream or the parser throws; afterwards the sequence is finished.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Element? {
            guard stream != nil else { return nil }
            do throws(NetworkError) {
                while true {
                    if Task.isCancelled { throw .cancelled }
                    if let element = try parser.next() { return element }
                    if isComplete { break }
                    if let chunk = try await stream?.next(isolation: actor) {
                        parser.append(chunk)
                    } else {
                        isComplete = true
                        parser.finish()
                    }
                }
            } catch {
                stream = nil
                throw error
            }
            stream = nil
            return nil
        }
    }
}

@available(*, unavailable)
extension ParsedStream.Iterator: Sendable {}
