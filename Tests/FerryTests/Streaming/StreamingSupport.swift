import Ferry
import Foundation
import XCTest

/// What a parser gave: its elements, and the kind of error at their end.
struct Parsed<Element: Equatable>: Equatable {
    var elements: [Element] = []
    var failure: NetworkError.Kind?
}

/// Feeds pieces to a parser, taking what it has after each.
func parse<Parser: StreamParser>(_ parser: Parser, _ pieces: [[UInt8]]) -> Parsed<Parser.Element>
where Parser.Element: Equatable {
    var parser = parser
    var parsed = Parsed<Parser.Element>()
    do throws(NetworkError) {
        for piece in pieces {
            parser.append(piece)
            while let element = try parser.next() { parsed.elements.append(element) }
        }
        parser.finish()
        while let element = try parser.next() { parsed.elements.append(element) }
    } catch {
        parsed.failure = error.kind
    }
    return parsed
}

/// The same bytes whole, byte by byte, and cut at every point, must give the same.
func assertParses<Parser: StreamParser>(
    _ parser: Parser, _ bytes: [UInt8], gives expected: Parsed<Parser.Element>, _ note: String = "",
    file: StaticString = #filePath, line: UInt = #line
) where Parser.Element: Equatable {
    XCTAssertEqual(parse(parser, [bytes]), expected, "whole. \(note)", file: file, line: line)
    XCTAssertEqual(parse(parser, bytes.map { [$0] }), expected, "by byte. \(note)", file: file, line: line)
    for cut in bytes.indices {
        let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
        XCTAssertEqual(parse(parser, pieces), expected, "cut at \(cut). \(note)", file: file, line: line)
    }
}

extension ConformanceCase {
    /// The pieces of the row's input.
    func chunks() throws -> [[UInt8]] {
        try input["chunks_hex"].strings.map { hex in
            let digits = Array(hex)
            return try stride(from: 0, to: digits.count, by: 2).map {
                try XCTUnwrap(UInt8(String(digits[$0...($0 + 1)]), radix: 16))
            }
        }
    }
}

/// Everything that a sequence gives, and its error.
func collect<Sequence: AsyncSequence>(
    _ sequence: Sequence
) async -> (elements: [Sequence.Element], error: NetworkError?) where Sequence.Failure == NetworkError {
    var elements: [Sequence.Element] = []
    do throws(NetworkError) {
        for try await element in sequence { elements.append(element) }
    } catch {
        return (elements, error)
    }
    return (elements, nil)
}
