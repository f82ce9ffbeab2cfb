import Ferry
import FerryTesting
import XCTest

final class LineParserTests: XCTestCase {
    func testLIN01_emptyLinesStayAndOnlyCRAndLFEndLines() throws {
        let row = try ConformanceCase.load("LIN-01", area: "lines")
        let expected = Parsed(elements: row.expected["lines"].strings)
        XCTAssertEqual(parse(LineParser(), try row.chunks()), expected)
        assertParses(LineParser(), Array(try row.chunks().joined()), gives: expected)
    }

    func testLines_endAtCRLFAndNothingElse() {
        let rows: [(String, [String])] = [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("\r", [""]), ("\r\n", [""]),
            ("\n\r", ["", ""]), ("\r\r", ["", ""]), ("\r\n\r\n", ["", ""]), ("\n\n", ["", ""]),
            ("a\r\nb\rc\nd", ["a", "b", "c", "d"]), ("a\r\r\nb", ["a", "", "b"]), ("a\n\r\nb", ["a", "", "b"]),
            ("a\u{2028}b\u{2029}c\u{85}d\u{B}e\u{C}f\n", ["a\u{2028}b\u{2029}c\u{85}d\u{B}e\u{C}f"]),
            ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}", []), ("a\0b\n", ["a\0b"]),
            ("é\n中\r\n😀", ["é", "中", "😀"]),
        ]
        for (text, lines) in rows {
            assertParses(LineParser(), Array(text.utf8), gives: Parsed(elements: lines), text.debugDescription)
        }
    }

    func testLines_replaceMalformedUTF8ByMaximalSubparts() {
        // Unicode 16, §3.9, tables 3-8 to 3-11.
        let rows: [([UInt8], String)] = [
            ([0x61, 0xFF, 0x62], "a\u{FFFD}b"),
            ([0xC0, 0xAF, 0xE0, 0x80, 0xBF, 0xF0, 0x81, 0x82, 0x41], String(repeating: "\u{FFFD}", count: 8) + "A"),
            ([0xED, 0xA0, 0x80, 0x41], "\u{FFFD}\u{FFFD}\u{FFFD}A"),
            (
                [0xF4, 0x91, 0x92, 0x93, 0xFF, 0x41, 0x80, 0xBF, 0x42],
                "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}A\u{FFFD}\u{FFFD}B"
            ),
            ([0xE1, 0x80, 0xE2, 0xF0, 0x91, 0x92, 0xF1, 0xBF, 0x41], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}A"),
            ([0xEF, 0xBB], "\u{FFFD}"),
            ([0xEF, 0xBB, 0x0A], "\u{FFFD}"),
            ([0xE4, 0xB8, 0x0A, 0xAD], "\u{FFFD}|\u{FFFD}"),
        ]
        for (bytes, text) in rows {
            let lines = text.split(separator: "|").map(String.init)
            assertParses(LineParser(), bytes, gives: Parsed(elements: lines), "\(bytes)")
        }
    }

    func testLine_endingInCRIsGivenWithoutWaiting() throws {
        var parser = LineParser()
        parser.append(Array("a\r".utf8))
        XCTAssertEqual(try parser.next(), "a")
        XCTAssertNil(try parser.next())
        parser.append(Array("\nb\r".utf8))
        XCTAssertEqual(try parser.next(), "b")
        parser.finish()
        XCTAssertNil(try parser.next())
    }

    func testLine_longerThanTheLimitThrowsAfterTheLinesBefore() {
        let parser = LineParser(maxLength: 3)
        for (text, lines, failure) in [
            ("abc\nabc", ["abc", "abc"], nil), ("abc\r\nabcd\nx", ["abc"], NetworkError.Kind.bodyTooLarge),
            ("a\nabcd", ["a"], .bodyTooLarge), ("\u{FEFF}abc\r", ["abc"], nil), ("abcd", [], .bodyTooLarge),
        ] {
            assertParses(parser, Array(text.utf8), gives: Parsed(elements: lines, failure: failure), text)
        }
        var copy = parser
        copy.append(Array("abcdef\nx\n".utf8))
        XCTAssertThrowsError(try copy.next())
        XCTAssertNil(try copy.next())
    }

    func testAppend_withoutTakingKeepsEverything() throws {
        var parser = LineParser()
        for number in 0..<100 {
            parser.append(Array("\(number)\r\n".utf8))
            if number % 3 == 0 { XCTAssertNotNil(try parser.next()) }
        }
        var last: String?
        while let line = try parser.next() { last = line }
        XCTAssertEqual(last, "99")
    }

    func testFuzz_linesAgreeWithASlowReference() {
        var generator = SeededGenerator(seed: 1)
        for round in 0..<40_000 {
            let bytes = Fuzz.bytes(using: &generator)
            let expected = Parsed(elements: Reference.lines(bytes).map { String(decoding: $0, as: UTF8.self) })
            let pieces = Fuzz.cut(bytes, using: &generator)
            let parsed = parse(LineParser(), pieces)
            guard parsed != expected else { continue }
            return XCTFail("round \(round): \(pieces) gave \(parsed), not \(expected)")
        }
    }
}
