import Ferry
import Foundation
import XCTest

final class JSONTests: XCTestCase {
    private func parse(_ text: String) throws -> JSON { try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) }

    func testJSON_readsAnyValue() throws {
        let json = try parse(#"{"a":[1,-2.5,"x",true,false,null,{}],"b":{"c":[]}}"#)
        let expected: JSON = ["a": [1, -2.5, "x", true, false, nil, [:]], "b": ["c": []]]
        XCTAssertEqual(json, expected)
        XCTAssertEqual(json.description, #"{"a":[1,-2.5,"x",true,false,null,{}],"b":{"c":[]}}"#)
        XCTAssertEqual(try parse(json.description), json)
        XCTAssertEqual(try JSONDecoder().decode(JSON.self, from: JSONEncoder().encode(json)), json)
    }

    func testJSON_numbersAreExact() throws {
        let rows = [
            "0", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
            "0.1", "1234567890.1234567", "123456789012345678901234567890",
            "0.12345678901234567890123456789012345678", "12345678901234567890123456789012345678",
        ]
        for text in rows {
            let json = try parse(text)
            XCTAssertEqual(json.number?.description, text)
            XCTAssertEqual(String(decoding: try JSONEncoder().encode([json]), as: UTF8.self), "[\(text)]")
            XCTAssertEqual(json.double, Double(text))
        }
        XCTAssertEqual(try parse("9223372036854775807").int64, .max)
        XCTAssertEqual(try parse("-9223372036854775808").int64, .min)
        XCTAssertNil(try parse("9223372036854775808").int64)
        XCTAssertEqual(try parse("18446744073709551615").uint64, .max)
        XCTAssertNil(try parse("18446744073709551616").uint64)
        XCTAssertNil(try parse("-1").uint64)
        XCTAssertNil(try parse("1.5").int)
        XCTAssertEqual(try parse("1.0").int, 1)
        XCTAssertEqual(try parse("1e3").int, 1000)
        XCTAssertEqual(try parse("1e3"), 1000)
        XCTAssertEqual(try parse("1.50").hashValue, try parse("1.5").hashValue)
    }

    func testJSON_numbersBeyondDecimal_areDoubles() throws {
        for text in ["1e200", "1e-200", "-1.7976931348623157e+308"] {
            XCTAssertEqual(try parse(text).double, Double(text))
            XCTAssertNil(try parse(text).decimal)
        }
        XCTAssertThrowsError(try parse("1e400"))
    }

    func testJSON_numbersFromSwift() throws {
        XCTAssertEqual(JSON.Number(0.1)?.description, "0.1")
        XCTAssertEqual(JSON.Number(UInt64.max).description, "18446744073709551615")
        XCTAssertEqual(JSON.Number(1e300)?.double, 1e300)
        XCTAssertNil(JSON.Number(Double.nan))
        XCTAssertNil(JSON.Number(Double.infinity))
        XCTAssertNil(JSON.Number(Decimal.nan))
        for value in [Double.pi, 1.0 / 3, .leastNormalMagnitude, .greatestFiniteMagnitude, 123456.789, -0.5] {
            XCTAssertEqual(JSON.Number(value)?.double, value)
        }
    }

    func testJSON_access() throws {
        let json = try parse(#"{"data":{"items":[{"name":"x"},null]},"7":1}"#)
        XCTAssertEqual(json["data"]?["items"]?[0]?["name"]?.string, "x")
        XCTAssertEqual(json[path: "data.items.0.name"], "x")
        XCTAssertEqual(json[path: "data.items.1"], .null)
        XCTAssertEqual(json["data"]?["items"]?[1]?.isNull, true)
        XCTAssertEqual(json[path: "7"]?.int, 1)
        XCTAssertEqual(json[path: ""], json)
        for path: JSONKeyPath in ["x", "data.items.2", "data.items.-1", "data..items", "7.a", "data.items.00"] {
            XCTAssertNil(json[path: path], "\(path)")
        }
        XCTAssertNil(json["data"]?["items"]?[-1])
        XCTAssertNil(json[0])
        XCTAssertNil(json.string)
        XCTAssertEqual(json.object?.count, 2)
        XCTAssertEqual(json["data"]?["items"]?.array?.count, 2)
        XCTAssertEqual(try parse("true").bool, true)
        XCTAssertNil(try parse("true").int)
        XCTAssertNil(try parse("1").bool)
        XCTAssertNil(try parse(#""1""#).int)
    }

    func testJSON_descriptionEscapes() throws {
        let json: JSON = ["a\"\\\n\r\t\u{1}\u{1F}é🙂"]
        XCTAssertEqual(json.description, #"["a\"\\\n\r\t\u0001\u001fé🙂"]"#)
        XCTAssertEqual(try parse(json.description), json)
    }
}
