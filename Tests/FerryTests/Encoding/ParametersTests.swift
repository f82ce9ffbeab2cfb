import Foundation
import XCTest

@testable import Ferry

final class ParametersTests: XCTestCase {
    private func query(_ parameters: Parameters, _ style: ParameterStyle = .default) throws -> String {
        QuerySerializer.string(from: try ParameterEncoder(style: style).encode(parameters))
    }

    // MARK: Conformance

    func testQRY01_plusIsEscapedInQuery() throws {
        let row = try ConformanceCase.load("QRY-01", area: "query")
        let items = row.input["query"].array.map { ($0[0].string ?? "", $0[1].string as Parameters.Value) }
        let text = try query(Parameters(items))
        XCTAssertEqual(text, row.expected["query_string"].string)
        let decoded = FormParser.pairs(from: text)
        XCTAssertEqual(
            Dictionary(uniqueKeysWithValues: decoded.map { ($0.name, JSONValue.string($0.value ?? "")) }),
            row.expected["server_decodes_to"].object)
    }

    func testQRY04_arrayStyles() throws {
        let row = try ConformanceCase.load("QRY-04", area: "query")
        let ids = row.input["query"]["ids"].array.compactMap(\.int)
        let styles: [String: ParameterStyle.Arrays] = [
            "brackets": .brackets, "noBrackets": .noBrackets, "indexInBrackets": .indexed,
        ]
        for mode in row.input["modes"].strings {
            let style = ParameterStyle(arrays: try XCTUnwrap(styles[mode]))
            XCTAssertEqual(try query(["ids": ids], style), row.expected[mode].string, mode)
        }
    }

    func testQRY05_boolsAndNumbersStayApart() throws {
        let row = try ConformanceCase.load("QRY-05", area: "query")
        let parameters: Parameters = ["flag": true, "n": 1, "zero": 0]
        XCTAssertEqual(try query(parameters), row.expected["literal"].string)
        XCTAssertEqual(try query(parameters, ParameterStyle(bools: .numeric)), row.expected["numeric"].string)
        let json = try JSONDecoder().decode(JSONValue.self, from: JSONCoding.makeEncoder().encode(parameters))
        XCTAssertEqual(json, row.expected["json"])
    }

    func testQRY07_dates() throws {
        let row = try ConformanceCase.load("QRY-07", area: "query")
        let date = Date(timeIntervalSince1970: try XCTUnwrap(row.input["date_unix"].number))
        XCTAssertEqual(try ParameterEncoder().encode(["d": date]).first?.value, row.expected["iso8601_decoded"].string)
        XCTAssertEqual(try query(["d": date], ParameterStyle(dates: .secondsSince1970)), "d=1700000000")
        XCTAssertEqual(try query(["d": date], ParameterStyle(dates: .millisecondsSince1970)), "d=1700000000000")
    }

    func testQRY08_nilEmptyAndFlag() throws {
        let row = try ConformanceCase.load("QRY-08", area: "query")
        let text = try query(["a": nil as String?, "b": "", "c": .flag])
        XCTAssertEqual(text, row.expected["query_string"].string)
        for word in row.expected["never_contains"].strings { XCTAssertFalse(text.contains(word)) }
    }

    // MARK: The list

    func testLiteral_takesVariablesOfAnyEncodableType() throws {
        let text = "x"
        let page = 2
        let some: String? = "s"
        let none: Int? = nil
        let url = try XCTUnwrap(URL(string: "https://h/?a=b"))
        let id = try XCTUnwrap(UUID(uuidString: "00000000-0000-0000-0000-0000000000AB"))
        let parameters: Parameters = [
            "q": text, "page": page, "some": some, "none": none, "xs": [1, 2], "nil": nil, "ratio": 0.5, "on": false,
            "order": Order.descending, "url": url, "id": id, "data": Data([0xFB, 0xFF]),
            "user": ["name": "n"], "nested": ["b": 1, "a": "x"] as Parameters, "f": .flag,
        ]
        XCTAssertEqual(
            try ParameterEncoder().encode(parameters).map { pair in
                pair.value.map { "\(pair.name)=\($0)" } ?? pair.name
            },
            [
                "q=x", "page=2", "some=s", "xs[]=1", "xs[]=2", "ratio=0.5", "on=false", "order=desc",
                "url=https://h/?a=b", "id=00000000-0000-0000-0000-0000000000AB", "data=+/8=", "user[name]=n",
                "nested[b]=1", "nested[a]=x", "f",
            ])
    }

    func testList_ofOneTypeIsMadeFromASequence() throws {
        XCTAssertEqual(try query(Parameters((0..<2).map { ("k\($0)", $0) })), "k0=0&k1=1")
        XCTAssertEqual(try query(Parameters([("b", 1), ("a", 2), ("b", 3)])), "b=1&a=2&b=3")
        XCTAssertEqual(try query(Parameters([("a", "x"), ("b", nil)])), "a=x")
    }

    func testLiterals_ofSeveralTypesAreFormsAndJSON() throws {
        func text(_ body: RequestBody) throws -> String {
            guard case .data(let data) = try BodyEncoder().encode(body).content else { return "no data" }
            return String(decoding: data, as: UTF8.self)
        }
        XCTAssertEqual(
            try text(.form(["name": "a b", "page": 2, "debug": .flag])), "name=a+b&page=2&debug=",
            "WHATWG URL §5.2: a pair always has its equals sign")
        XCTAssertEqual(try text(.form(["b": "1", "a": "2"])), "a=2&b=1", "a dictionary, in the order of its keys")
        XCTAssertEqual(try text(.json(["stars": [1, "two", nil]])), #"{"stars":[1,"two",null]}"#)
        XCTAssertEqual(try text(.json("x")), #""x""#)
    }

    func testList_keepsOrderAndRepetition() throws {
        var list: Parameters = ["b": 1, "a": 2, "b": 3]
        XCTAssertEqual(try query(list), "b=1&a=2&b=3")
        list.append("a", 4)
        XCTAssertEqual(try query(list), "b=1&a=2&b=3&a=4")
        list["b"] = "x"
        XCTAssertEqual(try query(list), "b=x&a=2&a=4")
        XCTAssertEqual(try query(list.merging(["a": 9, "c": 1, "a": 8])), "b=x&a=9&c=1&a=8")
        list["a"] = nil
        XCTAssertEqual(list.names, ["b"])
        list["new"] = 1
        XCTAssertEqual(list["new"] as? Int, 1)
        list.append(contentsOf: ["b": 5])
        XCTAssertEqual(try query(list), "b=x&new=1&b=5")
    }

    func testList_neverShowsValues() {
        let list: Parameters = ["token": "hunter2"]
        var dumped = ""
        dump(list, to: &dumped)
        for text in ["\(list)", String(reflecting: list), dumped] {
            XCTAssertFalse(text.contains("hunter2"), text)
            XCTAssertTrue(text.contains("token"), text)
        }
        XCTAssertFalse(String(reflecting: [ParameterPair(name: "a", value: "hunter2")]).contains("hunter2"))
    }

    func testList_fromEncodableTakesTheStyleLater() throws {
        struct Search: Encodable {
            var perPage = 50
            var tags = ["a", "b"]
            var text: String?
            var since = Date(timeIntervalSince1970: 0)
        }
        let list = try Parameters(encoding: Search())
        XCTAssertEqual(try query(list), "perPage=50&tags%5B%5D=a&tags%5B%5D=b&since=1970-01-01T00%3A00%3A00Z")
        let style = ParameterStyle(
            arrays: .commaSeparated, dates: .secondsSince1970, keys: .snakeCase, nils: .emptyValue)
        XCTAssertEqual(try query(list, style), "per_page=50&tags=a%2Cb&text=&since=0")
        XCTAssertThrowsError(try Parameters(encoding: 1)) {
            XCTAssertEqual(($0 as? NetworkError)?.kind, .encoding)
        }
    }

    func testList_asJSON() throws {
        let inner = try Parameters(encoding: ["k": [1, 2]])
        let list: Parameters = ["a": nil, "b": inner, "f": .flag, "d": 1.5]
        let json = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(list))
        XCTAssertEqual(
            json,
            .object([
                "a": .null, "b": .object(["k": .array([.number(1), .number(2)])]), "f": .bool(true), "d": .number(1.5),
            ]))
    }
}

private enum Order: String, Codable { case descending = "desc" }
