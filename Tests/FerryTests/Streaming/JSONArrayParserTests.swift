import Ferry
import FerryTesting
import XCTest

final class JSONArrayParserTests: XCTestCase {
    private func check(
        _ text: String, path: [String] = [], _ elements: [String], _ failure: NetworkError.Kind? = nil,
        line: UInt = #line
    ) {
        let expected = Parsed(elements: elements.map { Data($0.utf8) }, failure: failure)
        assertParses(JSONArrayParser(path: path), Array(text.utf8), gives: expected, text, line: line)
    }

    func testElements_ofTheTopArray() {
        check("[]", [])
        check(" [ ] \n", [])
        check("\u{FEFF}[1]", ["1"])
        check("[1, -2.5e+10 ,0,\"a\",true,false,null]", ["1", "-2.5e+10", "0", "\"a\"", "true", "false", "null"])
        check(#"[{"a":[1,{"b":"]}"}]},[[]],{}]"#, [#"{"a":[1,{"b":"]}"}]}"#, "[[]]", "{}"])
        check(#"["\"]","\\","\u00e9\\\"",  "[{"]"#, [#""\"]""#, #""\\""#, #""\u00e9\\\"""#, #""[{""#])
    }

    func testElements_belowAPath() {
        check(#"{"total":2,"items":[1,2],"next":null}"#, path: ["items"], ["1", "2"])
        check(
            #"{"x":{"items":[9]},"data":{"y":[8],"items":[{"id":1}]},"z":[7]}"#, path: ["data", "items"], [#"{"id":1}"#]
        )
        check(#"{"rows":[[1],[2,3]]}"#, path: ["rows", "1"], ["2", "3"])
        check(#"{"rows":{"1":[4]}}"#, path: ["rows", "1"], ["4"])
        check(#"{"\u0069tems":[1]}"#, path: ["items"], ["1"])
        check(#"{"a\"b":[1]}"#, path: ["a\"b"], ["1"])
        check(#"{"items":[1],"items":[2]}"#, path: ["items"], ["1"])
        check(#"{"items":[]}"#, path: ["items"], [])
        check(#"[{"items":[1]}]"#, path: ["0", "items"], ["1"])
    }

    func testPath_thatLeadsNowhereThrowsUnwrapping() throws {
        let rows: [(String, [String], String)] = [
            (#"{"a":1}"#, ["items"], "The JSON text has no member \"items\""),
            (#"{"data":{}}"#, ["data", "items"], "The value at data has no member \"items\""),
            (#"{"data":null}"#, ["data", "items"], "The value at data is null, not an object"),
            (#"{"data":{"items":{}}}"#, ["data", "items"], "The value at data.items is an object, not an array"),
            (#"{"data":{"items":null}}"#, ["data", "items"], "The value at data.items is null, not an array"),
            (#"{"rows":[[1]]}"#, ["rows", "1"], "The value at rows has no element \"1\""),
            (#"{"rows":[[1]]}"#, ["rows", "x"], "The value at rows is an array, which has no member \"x\""),
            ("{}", [], "The JSON text is an object, not an array"),
            ("5", [], "The JSON text is a number, not an array"),
        ]
        for (text, path, message) in rows {
            check(text, path: path, [], .unwrapping)
            var parser = JSONArrayParser(path: path)
            parser.append(Array(text.utf8))
            XCTAssertThrowsError(try parser.next()) { XCTAssertEqual(($0 as? NetworkError)?.message, message) }
        }
    }

    func testStructure_isStrict() {
        check("[1,]", ["1"], .decoding)
        check("[,1]", [], .decoding)
        check("[1 2]", ["1"], .decoding)
        check("[1}", ["1"], .decoding)
        check("[1", [], .decoding)
        check("[1,", ["1"], .decoding)
        check("[{\"a\":1}", ["{\"a\":1}"], .decoding)
        check("[1] x", ["1"], .decoding)
        check("[1][2]", ["1"], .decoding)
        check("", [], .emptyBody)
        check(" \r\n\t", [], .emptyBody)
        check("\u{FEFF}", [], .emptyBody)
        check("[01]", ["0"], .decoding)
        check("[1.]", [], .decoding)
        check("[-]", [], .decoding)
        check("[+1]", [], .decoding)
        check("[1e]", [], .decoding)
        check("[tru]", [], .decoding)
        check("[truE]", [], .decoding)
        check("[NaN]", [], .decoding)
        check("[\"a\nb\"]", [], .decoding)
        check(#"["\x"]"#, [], .decoding)
        check(#"["\u12g4"]"#, [], .decoding)
        check(#"[{"a" 1}]"#, [], .decoding)
        check(#"[{"a":1,}]"#, [], .decoding)
        check(#"[{a:1}]"#, [], .decoding)
        check(#"[{"a":}]"#, [], .decoding)
        check(#"[1,2"#, ["1"], .decoding)
        check(#"{"items":[1]"#, path: ["items"], ["1"], .decoding)
        check(#"{"items":[1],"x":[}"#, path: ["items"], ["1"], .decoding)
        check(#"{"x":[1,],"items":[1]}"#, path: ["items"], [], .decoding)
        check("['a']", [], .decoding)
        check("[1] // x", ["1"], .decoding)
    }

    func testLimits_ofSizeAndDepth() {
        let parser = JSONArrayParser(maxElementSize: 4, maxDepth: 3)
        func parsed(_ text: String) -> Parsed<Data> { parse(parser, text.utf8.map { [$0] }) }
        XCTAssertEqual(
            parsed("[1234,\"ab\",12345]"),
            Parsed(elements: [Data("1234".utf8), Data("\"ab\"".utf8)], failure: .bodyTooLarge))
        XCTAssertEqual(parsed("[[[]]]"), Parsed(elements: [Data("[[]]".utf8)]))
        XCTAssertEqual(parsed("[[[["), Parsed(failure: .decoding))
        XCTAssertEqual(parsed("[      1]"), Parsed(elements: [Data("1".utf8)]))
    }

    func testElement_isGivenAtItsLastByte() throws {
        var parser = JSONArrayParser()
        parser.append(Array("[{\"a\":1}".utf8))
        XCTAssertEqual(try parser.next(), Data("{\"a\":1}".utf8))
    }

    func testDecoder_namesThePlaceOfABadElement() throws {
        struct Item: Decodable, Sendable { var id: Int }
        var parser = JSONArrayDecoder<Item>(path: ["items"])
        parser.append(Array(#"{"items":[{"id":1},{"id":"x"},{"id":3}]}"#.utf8))
        XCTAssertEqual(try parser.next()?.id, 1)
        XCTAssertThrowsError(try parser.next()) { error in
            XCTAssertEqual((error as? NetworkError)?.kind, .decoding)
            XCTAssertEqual((error as? NetworkError)?.codingPath, "items[1].id")
        }
        XCTAssertNil(try parser.next())
    }

    func testFuzz_agreesWithJSONSerialization() {
        // Valid arrays and the same with one character changed: accepted where Foundation accepts, with as many
        // elements. No digits are put in: Foundation also refuses numbers that a Double cannot hold.
        var generator = SeededGenerator(seed: 4)
        let words = ["{", "}", "[", "]", ",", ":", "\"a\"", "\"b\\n\"", "-", ".", "true", "null", " ", "\\", "x"]
        for round in 0..<20_000 {
            var text =
                "[" + Self.value(depth: 3, using: &generator) + "," + Self.value(depth: 3, using: &generator) + "]"
            if round % 2 == 1, let index = text.indices.randomElement(using: &generator) {
                let end = text.index(after: index)
                text.replaceSubrange(index..<end, with: words.randomElement(using: &generator) ?? "")
            }
            // Foundation takes a trailing comma for well-formed; RFC 8259 §5 does not.
            if text.contains(/,\s*[\]}]/) { continue }
            let bytes = Array(text.utf8)
            let reference = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) as? [Any]
            let parsed = parse(JSONArrayParser(), Fuzz.cut(bytes, using: &generator))
            guard
                (parsed.failure == nil) != (reference != nil)
                    || reference.map({ $0.count != parsed.elements.count }) ?? false
            else { continue }
            return XCTFail("round \(round): \(text) gave \(parsed)")
        }
    }

    private static func value(depth: Int, using generator: inout SeededGenerator) -> String {
        func children(_ make: (inout SeededGenerator) -> String) -> String {
            (0..<Int(generator.next() % 3)).map { _ in make(&generator) }.joined(separator: ", ")
        }
        switch generator.next() % (depth > 0 ? 7 : 5) {
        case 0: return "\(Int(truncatingIfNeeded: generator.next() % 1000))"
        case 1: return "\"x\\\"]}\\u00e9é\""
        case 2: return "true"
        case 3: return "null"
        case 4: return "-1.5E+2"
        case 5: return "[" + children { value(depth: depth - 1, using: &$0) } + "]"
        default:
            var count = 0
            return "{"
                + children {
                    count += 1
                    return "\"k\(count)\" : " + value(depth: depth - 1, using: &$0)
                } + "}"
        }
    }
}
