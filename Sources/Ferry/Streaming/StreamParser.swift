// Streaming: text lines, server-sent events and JSON values out of bytes as they arrive. Pure parsers first, thin
// asynchronous sequences over `ByteStream` second.
// May name only Messages and Pipeline; knows no client, no transport and no other room.

public import Foundation

/// An incremental parser: bytes go in at any split, elements come out as soon as their bytes are there.
///
/// ```swift
/// var parser = LineParser()
/// parser.append(Data("one\ntw".utf8))
/// while let line = try parser.next() { print(line) }      // one
/// parser.append(Data("o".utf8))
/// parser.finish()
/// while let line = try parser.next() { print(line) }      // two
/// ```
///
/// The same bytes give the same elements however they are cut. Parsers are values: a copy goes its own way.
public protocol StreamParser<Element>: Sendable, SendableMetatype {
    /// What the parser finds.
    associatedtype Element: Sendable

    /// Takes the next bytes. Nothing is parsed until ``next()`` is called.
    mutating func append(_ bytes: some ContiguousBytes)

    /// Says that the input is complete. A cut input is not: then drop the parser.
    mutating func finish()

    /// The next element, or nil when it takes more bytes, or after the end.
    ///
    /// - Throws: `NetworkError` where the bytes are not what they should be or an element is too large; elements before
    ///   the fault were given first. Afterwards the parser is at its end.
    mutating func next() throws(NetworkError) -> Element?
}

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
