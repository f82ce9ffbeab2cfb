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
