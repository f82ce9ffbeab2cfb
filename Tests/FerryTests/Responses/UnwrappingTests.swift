import Ferry
import Foundation
import XCTest

final class UnwrappingTests: XCTestCase {
    private struct Item: Decodable, Equatable {
        let id: Int
    }

    private struct Named: Decodable, Equatable {
        let name: String
    }

    private func unwrap<Value: Decodable>(
        _ json: String, _ path: JSONKeyPath, as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws(NetworkError) -> Value {
        try ResponseDecoder.unwrap(type, at: path, in: Data(json.utf8), decoder: decoder)
    }

    private func failure<Value: Decodable>(
        _ json: String, _ path: JSONKeyPath, as type: Value.Type, line: UInt = #line
    ) -> NetworkError? {
        do throws(NetworkError) {
            let value = try unwrap(json, path, as: type)
            XCTFail("no error but \(value)", line: line)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Conformance

    func testKEY01_arrayAtTheEnd() throws {
        let row = try ConformanceCase.load("KEY-01", area: "keypath")
        let path = JSONKeyPath(try XCTUnwrap(row.input["keypath"].string))
        let items = try unwrap(try XCTUnwrap(row.input["json"].string), path, as: [Item].self)
        XCTAssertEqual(items.map(\.id), row.expected["ids"].array.compactMap(\.int))
    }

    func testKEY03_nullAtTheEnd() throws {
        let row = try ConformanceCase.load("KEY-03", area: "keypath")
        let json = try XCTUnwrap(row.input["json"].string)
        let path = JSONKeyPath(try XCTUnwrap(row.input["keypath"].string))
        XCTAssertNil(try unwrap(json, path, as: Item?.self))
        let error = try XCTUnwrap(failure(json, path, as: Item.self))
        XCTAssertEqual(error.kind, .unwrapping)
        XCTAssertEqual(error.codingPath, "data")
        XCTAssertTrue(error.message.contains("'data' is null"), error.message)
        guard case DecodingError.valueNotFound? = error.underlyingError else { return XCTFail("\(error)") }
    }

    func testKEY04_missingNullAndWrongContainerAreToldApart() throws {
        let row = try ConformanceCase.load("KEY-04", area: "keypath")
        let docs = row.input["docs"].strings
        XCTAssertEqual(docs.count, 4)
        let path = JSONKeyPath(try XCTUnwrap(row.input["keypath"].string))

        let missing = try XCTUnwrap(failure(docs[0], path, as: Int?.self))
        XCTAssertEqual(missing.kind, .unwrapping)
        XCTAssertEqual(missing.codingPath, "a.b")
        XCTAssertTrue(missing.message.contains("'a' has no key 'b'"), missing.message)
        guard case DecodingError.keyNotFound? = missing.underlyingError else { return XCTFail("\(missing)") }

        XCTAssertNil(try unwrap(docs[1], path, as: Int?.self))

        let wrong = try XCTUnwrap(failure(docs[2], path, as: Int?.self))
        XCTAssertEqual(wrong.kind, .unwrapping)
        XCTAssertEqual(wrong.codingPath, "a")
        guard case DecodingError.typeMismatch? = wrong.underlyingError else { return XCTFail("\(wrong)") }

        XCTAssertNil(try unwrap(docs[3], path, as: Int?.self))
    }

    func testKEY06_numericSegments() throws {
        let row = try ConformanceCase.load("KEY-06", area: "keypath")
        let docs = row.input["docs"].strings
        let path = JSONKeyPath(try XCTUnwrap(row.input["keypath"].string))
        XCTAssertEqual(try unwrap(docs[0], path, as: Int.self), row.expected["values"][0].int)
        XCTAssertEqual(try unwrap(docs[1], path, as: Int.self), row.expected["values"][1].int)
        let error = try XCTUnwrap(failure(docs[2], path, as: Int.self))
        XCTAssertEqual(error.kind, .unwrapping)
        XCTAssertEqual(error.codingPath, "rows[1]")
        XCTAssertTrue(error.message.contains("'rows' has no element 1: it has 1"), error.message)
    }

    func testKEY07_numbersKeepTheirPrecision() throws {
        struct Numbers: Decodable {
            let id: Int64
            let u: UInt64
            let price: Decimal
            let big: Decimal
        }
        let row = try ConformanceCase.load("KEY-07", area: "keypath")
        let json = try XCTUnwrap(row.input["json"].string)
        let numbers = try unwrap(json, "d", as: Numbers.self)
        XCTAssertEqual("\(numbers.id)", row.expected["id"].string)
        XCTAssertEqual("\(numbers.u)", row.expected["u"].string)
        XCTAssertEqual("\(numbers.price)", row.expected["price"].string)
        XCTAssertEqual("\(numbers.big)", row.expected["big"].string)

        let values = try unwrap(json, "d", as: JSON.self)
        for name in ["id", "u", "price", "big"] {
            XCTAssertEqual(values[name]?.number?.description, row.expected[name].string)
        }
    }

    // MARK: The end of the path

    func testUnwrap_scalarsAtTheEnd() throws {
        let json = #"{"a":{"i":7,"s":"x","b":true,"d":1.5,"l":[1,2],"n":12345678901234567890.123456789,"o":{"k":1}}}"#
        XCTAssertEqual(try unwrap(json, "a.i", as: Int.self), 7)
        XCTAssertEqual(try unwrap(json, "a.i", as: Int?.self), 7)
        XCTAssertEqual(try unwrap(json, "a.s", as: String.self), "x")
        XCTAssertEqual(try unwrap(json, "a.b", as: Bool.self), true)
        XCTAssertEqual(try unwrap(json, "a.d", as: Double.self), 1.5)
        XCTAssertEqual(try unwrap(json, "a.l", as: [Int].self), [1, 2])
        XCTAssertEqual(try unwrap(json, "a.n", as: Decimal.self).description, "12345678901234567890.123456789")
        XCTAssertEqual(try unwrap(json, "a.o", as: [String: Int].self), ["k": 1])
    }

    func testUnwrap_decoderStrategiesApplyAtTheEnd() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let json = #"{"a":{"at":"2024-01-02T03:04:05Z","u":"https://e.x/","b":"AQI="}}"#
        XCTAssertEqual(
            try unwrap(json, "a.at", as: Date.self, decoder: decoder), Date(timeIntervalSince1970: 1_704_164_645))
        XCTAssertEqual(
            try unwrap(json, "a.at", as: Date?.self, decoder: decoder), Date(timeIntervalSince1970: 1_704_164_645))
        XCTAssertEqual(try unwrap(json, "a.u", as: URL.self, decoder: decoder), URL(string: "https://e.x/"))
        XCTAssertEqual(try unwrap(json, "a.b", as: Data.self, decoder: decoder), Data([1, 2]))
    }

    func testUnwrap_typeThatReadsNullItself_getsIt() throws {
        XCTAssertEqual(try unwrap(#"{"a":null}"#, "a", as: JSON.self), .null)
    }

    func testUnwrap_failureInsideTheValue_isDecodingWithItsPath() throws {
        let json = #"{"data":{"items":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":4}]}}"#
        let error = try XCTUnwrap(failure(json, "data.items", as: [Named].self))
        XCTAssertEqual(error.kind, .decoding)
        XCTAssertEqual(error.codingPath, "data.items[3].name")
        XCTAssertTrue(error.message.contains("data.items[3].name"), error.message)

        let missing = try XCTUnwrap(failure(#"{"data":[{}]}"#, "data", as: [Named].self))
        XCTAssertEqual(missing.kind, .decoding)
        XCTAssertEqual(missing.codingPath, "data[0]")
        XCTAssertTrue(missing.message.contains("key 'name' is missing"), missing.message)

        let null = try XCTUnwrap(failure(#"{"data":[null]}"#, "data", as: [Named].self))
        XCTAssertEqual(null.kind, .decoding)
        XCTAssertEqual(null.codingPath, "data[0]")
    }

    // MARK: The way

    func testUnwrap_waysThrough() throws {
        let rows: [(json: String, path: JSONKeyPath, value: Int)] = [
            (#"{"a":[{"b":[1,2]}]}"#, "a.0.b.1", 2),
            (#"[{"name":5}]"#, "0.name", 5),
            ("[[[1],[2,3]]]", "0.1.1", 3),
            ("42", "", 42),
            (#"{"a.b":{"c\\":1}}"#, #"a\.b.c\\"#, 1),
            (#"{"ключ":{"日本":1}}"#, "ключ.日本", 1),
            (#"{"\u00e9":1}"#, "é", 1),
            (#"{"":{"a":1}}"#, #"\e.a"#, 1),
            (#"{"0":1}"#, "0", 1),
            (#"{"01":1}"#, "01", 1),
            (#"{"-1":1}"#, "-1", 1),
            (#"{"99999999999999999999":1}"#, "99999999999999999999", 1),
            ("[null,null,7]", "2", 7),
            (#"[{"x":[1]},[2],"s",true,9]"#, "4", 9),
            ("\u{FEFF}{\"a\":1}", "a", 1),
        ]
        for row in rows {
            XCTAssertEqual(try unwrap(row.json, row.path, as: Int.self), row.value, "\(row)")
        }
    }

    func testUnwrap_duplicateKeys_readAsTheDecoderReadsThem() throws {
        let json = #"{"a":1,"a":2}"#
        let plain = try JSONDecoder().decode([String: Int].self, from: Data(json.utf8))["a"]
        XCTAssertEqual(try unwrap(json, "a", as: Int.self), plain)
    }

    func testUnwrap_leadsNowhere_namesTheDeepestPlace() throws {
        let rows: [(json: String, path: JSONKeyPath, codingPath: String, words: String)] = [
            (#"{"a":1}"#, "b", "b", "the document has no key 'b'"),
            (#"{"a":{"b":{}}}"#, "a.b.c.d", "a.b.c", "'a.b' has no key 'c'"),
            (#"{"a":{"b":null}}"#, "a.b.c", "a.b", "'a.b' is null"),
            ("null", "a", "", "the document is null"),
            ("5", "a", "", "the document is neither object nor array"),
            (#"{"a":"s"}"#, "a.0", "a", "'a' is neither object nor array"),
            (#"{"a":true}"#, "a.b", "a", "'a' is neither object nor array"),
            (#"{"a":[]}"#, "a.b", "a", "'a' is an array, and 'b' is not an index"),
            (#"{"a":[1]}"#, "a.-1", "a", "'a' is an array, and '-1' is not an index"),
            (#"{"a":[1,2]}"#, "a.01", "a", "'a' is an array, and '01' is not an index"),
            (#"{"a":[1,2]}"#, "a.٣", "a", "'a' is an array, and '٣' is not an index"),
            (#"{"a":[]}"#, "a.0", "a[0]", "'a' has no element 0: it has 0"),
            (
                #"{"a":[1]}"#, "a.99999999999999999999", "a[\(Int.max)]",
                "'a' has no element 99999999999999999999: it has 1"
            ),
            (#"{"a":[1]}"#, "a.9223372036854775807", "a[\(Int.max)]", "has no element 9223372036854775807"),
            (#"{"a.b":{}}"#, #"a\.b.c"#, #"a\.b.c"#, #"'a\.b' has no key 'c'"#),
        ]
        for row in rows {
            let error = try XCTUnwrap(failure(row.json, row.path, as: Int.self))
            XCTAssertEqual(error.kind, .unwrapping, "\(row)")
            XCTAssertEqual(error.codingPath, row.codingPath, "\(row)")
            XCTAssertTrue(error.message.contains(row.words), error.message)
            XCTAssertNotNil(error.underlyingError as? DecodingError)
        }
    }

    func testUnwrap_notJSON_isDecoding() throws {
        for json in [#"{"a":"#, "<html>", "{", #"{"a":1} x"#] {
            XCTAssertEqual(try XCTUnwrap(failure(json, "a", as: Int.self)).kind, .decoding, json)
        }
    }

    func testUnwrap_malformedPath_isInvalidRequest() throws {
        XCTAssertEqual(try XCTUnwrap(failure("{}", "a..b", as: Int.self)).kind, .invalidRequest)
    }

    func testUnwrap_deepPath_endsAtTheDecodersLimit() throws {
        let depth = 400
        let json = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
        XCTAssertEqual(try unwrap(json, JSONKeyPath(Array(repeating: "a", count: depth)), as: Int.self), 1)
        let long = JSONKeyPath(Array(repeating: "a", count: 100_000))
        XCTAssertEqual(try XCTUnwrap(failure(json, long, as: Int.self)).kind, .unwrapping)
    }

    // MARK: Key strategies

    func testUnwrap_snakeCase_pathIsWrittenEitherWay() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Value: Decodable { let fooBar: Int }
        let json =
            #"{"search_result":{"all_items":[{"foo_bar":1}],"_private_key":[{"foo_bar":2}],"x":[{"foo_bar":3}]}}"#
        let rows: [(JSONKeyPath, Int)] = [
            ("search_result.all_items.0", 1), ("searchResult.allItems.0", 1), ("search_result.allItems.0", 1),
            ("search_result._private_key.0", 2), ("searchResult._privateKey.0", 2), ("search_result.x.0", 3),
        ]
        for (path, value) in rows {
            XCTAssertEqual(try unwrap(json, path, as: Value.self, decoder: decoder).fooBar, value, "\(path)")
        }
    }

    func testUnwrap_customStrategy_pathIsWrittenEitherWay() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .custom { path in
            CustomKey(stringValue: path.last?.stringValue.lowercased() ?? "")
        }
        for path: JSONKeyPath in ["Data.Items", "data.items", "DATA.ITEMS"] {
            XCTAssertEqual(try unwrap(#"{"Data":{"ITEMS":1}}"#, path, as: Int.self, decoder: decoder), 1)
        }
    }

    private struct CustomKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func testUnwrap_sharedDecoder_isNotChanged() async throws {
        let decoder = JSONDecoder()
        let results = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for index in 0..<200 {
                group.addTask {
                    let json = Data(#"{"k\#(index)":{"v":\#(index)}}"#.utf8)
                    let path = JSONKeyPath(["k\(index)", "v"])
                    return (index, try ResponseDecoder.unwrap(Int.self, at: path, in: json, decoder: decoder))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        XCTAssertTrue(results.allSatisfy { $0.0 == $0.1 })
        XCTAssertTrue(decoder.userInfo.isEmpty)
    }

    // MARK: What Foundation does

    /// Pinned facts of Foundation's decoder, without any key path: what they allow is what a key path keeps.
    func testFoundation_decimalKeeps38Digits() throws {
        let digits = "12345678901234567890123456789012345678"
        XCTAssertEqual(try JSONDecoder().decode(Decimal.self, from: Data(digits.utf8)).description, digits)
        XCTAssertEqual(try unwrap(#"{"a":\#(digits)}"#, "a", as: Decimal.self).description, digits)
        XCTAssertEqual(
            try JSONDecoder().decode(Decimal.self, from: Data("1\(digits)".utf8)).description,
            try unwrap(#"{"a":1\#(digits)}"#, "a", as: Decimal.self).description)
    }
}
