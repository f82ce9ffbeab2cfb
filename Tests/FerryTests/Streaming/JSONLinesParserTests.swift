import Ferry
import FerryTesting
import XCTest

final class JSONLinesParserTests: XCTestCase {
    private struct Item: Codable, Equatable, Sendable { var a: Int }

    func testLIN02_theLastRecordNeedsNoLineEnd() throws {
        let row = try ConformanceCase.load("LIN-02", area: "ndjson")
        let decoder = JSONLinesDecoder<[String: JSONValue]>()
        let expected = Parsed(elements: row.expected["values"].array.map(\.object))
        XCTAssertEqual(parse(decoder, try row.chunks()), expected)
        assertParses(decoder, Array(try row.chunks().joined()), gives: expected)
    }

    func testLIN04_aBadRecordThrowsAfterTheRecordsBeforeIt() throws {
        let row = try ConformanceCase.load("LIN-04", area: "ndjson")
        var parser = JSONLinesDecoder<Item>()
        for chunk in try row.chunks() { parser.append(chunk) }
        parser.finish()
        XCTAssertEqual(try parser.next(), Item(a: row.expected["yields"][0]["a"].int ?? 0))
        XCTAssertThrowsError(try parser.next()) { error in
            let error = error as? NetworkError
            XCTAssertEqual(error?.kind, .decoding)
            XCTAssertEqual(error?.message, "Record 2 (line 2) is not valid JSON, or has a number out of range")
            XCTAssertEqual(error?.codingPath, "[1]")
        }
        XCTAssertNil(try parser.next())
    }

    func testRecord_ofAnotherTypeNamesItsPlace() throws {
        var parser = JSONLinesDecoder<Item>()
        parser.append(Array("\n{\"a\":\"x\"}\n".utf8))
        XCTAssertThrowsError(try parser.next()) { error in
            let error = error as? NetworkError
            XCTAssertEqual(error?.codingPath, "[0].a")
            XCTAssertEqual(error?.message.hasPrefix("Record 1 (line 2)"), true)
        }
    }

    func testRecords_areCutAtLFOnly() {
        let rows: [(String, [Int], NetworkError.Kind?)] = [
            ("{\"a\":1}\r\n\r\n \t\n{\"a\":2}\r\n", [1, 2], nil),
            ("\u{FEFF}{\"a\":1}\n", [1], nil),
            ("{\"a\":\r1}\n", [1], nil),
            ("{\"a\":1}\u{2028}{\"a\":2}\n", [], .decoding),
            ("{\"a\":1}{\"a\":2}\n", [], .decoding),
            ("{\"a\":1}\n{\"a\":", [1], .decoding),
            ("\n\r\n  \n", [], nil), ("", [], nil), ("\u{FEFF}", [], nil),
        ]
        for (text, values, failure) in rows {
            let expected = Parsed(elements: values.map { Item(a: $0) }, failure: failure)
            assertParses(JSONLinesDecoder<Item>(), Array(text.utf8), gives: expected, text.debugDescription)
        }
    }

    func testRecord_largerThanTheLimitThrows() {
        let decoder = JSONLinesDecoder<Item>(maxRecordSize: 7)
        let expected = Parsed(elements: [Item(a: 1)], failure: .bodyTooLarge)
        assertParses(decoder, Array("{\"a\":1}\n{\"a\":12}\n".utf8), gives: expected)
    }

    func testFuzz_recordsAgreeWithASlowReference() {
        var generator = SeededGenerator(seed: 3)
        for round in 0..<20_000 {
            let bytes = Fuzz.bytes(using: &generator)
            let pieces = Fuzz.cut(bytes, using: &generator)
            let records = parse(JSONLinesParser(), pieces).elements
            let expected = Reference.records(bytes)
            let contents = records.map { Array($0.data) }
            let numbers = expected.indices.map { $0 + 1 }
            guard
                records.map(\.line) != expected.map(\.line) || contents != expected.map(\.bytes)
                    || records.map(\.number) != numbers
            else { continue }
            return XCTFail("round \(round): \(pieces) gave \(records), not \(expected)")
        }
    }
}
