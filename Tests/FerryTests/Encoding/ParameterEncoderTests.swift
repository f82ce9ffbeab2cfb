import Foundation
import XCTest

@testable import Ferry

final class ParameterEncoderTests: XCTestCase {
    private func lines(_ value: some Encodable, _ style: ParameterStyle = .default) throws -> [String] {
        try ParameterEncoder(style: style).encode(value).map { pair in
            pair.value.map { "\(pair.name)=\($0)" } ?? pair.name
        }
    }

    private struct User: Encodable {
        var name = "Ann"
        var tags = ["x", "y"]
        var address = Address()
        struct Address: Encodable { var zip = "1" }
    }

    func testArrays_table() throws {
        struct Item: Encodable { var id: Int }
        struct Value: Encodable {
            var xs: [Int?] = [1, nil, 3]
            var none: [Int] = []
            var deep = [[1], [2, 3]]
            var items = [Item(id: 1), Item(id: 2)]
        }
        let rows: [(ParameterStyle.Arrays, [String])] = [
            (
                .brackets,
                ["xs[]=1", "xs[]=3", "deep[][]=1", "deep[][]=2", "deep[][]=3", "items[][id]=1", "items[][id]=2"]
            ),
            (.repeated, ["xs=1", "xs=3", "deep=1", "deep=2", "deep=3", "items[id]=1", "items[id]=2"]),
            (.commaSeparated, ["xs=1,3", "deep[0]=1", "deep[1]=2,3", "items[0][id]=1", "items[1][id]=2"]),
            (
                .indexed,
                [
                    "xs[0]=1", "xs[2]=3", "deep[0][0]=1", "deep[1][0]=2", "deep[1][1]=3", "items[0][id]=1",
                    "items[1][id]=2",
                ]
            ),
        ]
        for (arrays, expected) in rows {
            XCTAssertEqual(try lines(Value(), ParameterStyle(arrays: arrays)), expected, "\(arrays)")
        }
        XCTAssertEqual(try lines(["xs": [1, nil]], ParameterStyle(nils: .emptyValue)), ["xs[]=1", "xs[]="])
        XCTAssertEqual(
            try lines(["xs": [1, nil, 2]], ParameterStyle(arrays: .commaSeparated, nils: .emptyValue)), ["xs=1,,2"])
    }

    func testObjects_bracketsAndDots() throws {
        let rows = ["user[name]=Ann", "user[tags][]=x", "user[tags][]=y", "user[address][zip]=1"]
        XCTAssertEqual(try lines(["user": User()]), rows)
        XCTAssertEqual(
            try lines(["user": User()], ParameterStyle(arrays: .indexed, objects: .dots)),
            ["user.name=Ann", "user.tags[0]=x", "user.tags[1]=y", "user.address.zip=1"])
    }

    func testNumbers_areExact() throws {
        struct Numbers: Encodable {
            var u = UInt64.max
            var i = Int64.min
            var big = UInt128.max
            var small = Int8(-1)
            var d = 0.1
            var one = 1.0
            var huge = 1e20
            var f = Float(0.1)
            var dec = Decimal(string: "12345678901234567890.000000000000001")
        }
        XCTAssertEqual(
            try lines(Numbers()),
            [
                "u=18446744073709551615", "i=-9223372036854775808", "big=340282366920938463463374607431768211455",
                "small=-1", "d=0.1", "one=1.0", "huge=1e+20", "f=0.1", "dec=12345678901234567890.000000000000001",
            ])
    }

    func testNumbers_notFiniteIsRefused() {
        func assertRefused(_ value: some Encodable, at path: String) {
            XCTAssertThrowsError(try lines(value)) {
                let error = $0 as? NetworkError
                XCTAssertEqual(error?.kind, .encoding)
                XCTAssertEqual(error?.codingPath, path)
            }
        }
        assertRefused(["a": ["b": [1, Double.nan]]], at: "a.b[1]")
        assertRefused(["a": Float.infinity], at: "a")
        assertRefused(["a": Decimal.nan], at: "a")
        assertRefused(["a": -Double.infinity] as Parameters, at: "a")
    }

    func testDates_table() throws {
        let whole = Date(timeIntervalSince1970: 1_700_000_000)
        let early = Date(timeIntervalSince1970: -0.75)
        let rows: [(ParameterStyle.Dates, String, String)] = [
            (.iso8601, "2023-11-14T22:13:20Z", "1969-12-31T23:59:59Z"),
            (.iso8601WithMilliseconds, "2023-11-14T22:13:20.000Z", "1969-12-31T23:59:59.250Z"),
            (.secondsSince1970, "1700000000", "-0.75"),
            (.millisecondsSince1970, "1700000000000", "-750"),
            (.custom { "\(Int($0.timeIntervalSinceReferenceDate))!" }, "721692800!", "-978307200!"),
        ]
        for (dates, first, second) in rows {
            XCTAssertEqual(
                try lines(["d": [whole, early]], ParameterStyle(dates: dates)), ["d[]=" + first, "d[]=" + second])
        }
        for date in [Date.distantFuture.addingTimeInterval(1e12), Date(timeIntervalSince1970: .nan)] {
            XCTAssertThrowsError(try lines(["d": date])) { XCTAssertEqual(($0 as? NetworkError)?.kind, .encoding) }
        }
    }

    func testData_table() throws {
        let data = Data([0xFB, 0xEF, 0xFF, 0x00])
        let rows: [(ParameterStyle.DataFormat, String)] = [
            (.base64, "++//AA=="), (.base64URL, "--__AA"), (.hex, "fbefff00"), (.custom { "\($0.count)" }, "4"),
        ]
        for (format, text) in rows {
            XCTAssertEqual(try lines(["d": data], ParameterStyle(data: format)), ["d=" + text])
        }
    }

    func testKeys_table() throws {
        let names = [
            ("perPage", "per_page"), ("userID", "user_id"), ("myURLProperty", "my_url_property"), ("a", "a"),
            ("already_snake", "already_snake"), ("_lead", "_lead"), ("Capital", "capital"), ("page2Size", "page2_size"),
            ("URL", "url"), ("éÉa", "é_éa"), ("", ""),
        ]
        for (name, snake) in names {
            XCTAssertEqual(try lines([name: 1] as Parameters, ParameterStyle(keys: .snakeCase)), ["\(snake)=1"])
        }
        struct Outer: Encodable { var innerValue = ["someKey": Inner()] }
        struct Inner: Encodable { var isOn = true }
        XCTAssertEqual(
            try lines(Outer(), ParameterStyle(keys: .snakeCase)), ["inner_value[someKey][is_on]=true"],
            "A dictionary's keys are data")
        XCTAssertEqual(
            try lines(Parameters(encoding: ["someKey": Inner()]), ParameterStyle(keys: .snakeCase)),
            ["someKey[is_on]=true"], "also where it was encoded before")
        XCTAssertEqual(try lines(Inner(), ParameterStyle(keys: .custom { $0.uppercased() })), ["ISON=true"])
    }

    func testNils_table() throws {
        struct Value: Encodable {
            var a: Int?
            var b: [String: Int]?
            var c = 1
        }
        XCTAssertEqual(try lines(Value()), ["c=1"])
        XCTAssertEqual(try lines(Value(), ParameterStyle(nils: .emptyValue)), ["a=", "b=", "c=1"])
        XCTAssertEqual(try lines(Value(), ParameterStyle(nils: .flag)), ["a", "b", "c=1"])
    }

    func testUnordered_haveOneOrder() throws {
        let names = (0..<50).map { "k\($0)" }
        let dictionary = Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })
        XCTAssertEqual(try lines(dictionary), names.sorted().map { "\($0)=1" })
        XCTAssertEqual(try lines(["s": Set(names)]), names.sorted().map { "s[]=\($0)" })
        XCTAssertEqual(try lines([10: "a", 9: "b"]), ["10=a", "9=b"])
        // Swift encodes these as keys and values in turn.
        enum Side: String, Encodable { case right = "r l", left }
        XCTAssertEqual(
            try lines(["m": [Side.right: 1, .left: 2]] as Parameters, ParameterStyle(keys: .snakeCase)),
            ["m[left]=2", "m[r l]=1"])
        XCTAssertEqual(try lines([Int64(10): ["a"], 9: []]), ["10[]=a"])
        XCTAssertEqual(try lines([true: 1, false: 2]), ["false=2", "true=1"])
        XCTAssertEqual(try lines([Side: Int]()), [])
    }

    func testCustomEncodables_useEveryContainer() throws {
        class Base: Encodable { let id = 1 }
        final class Derived: Base {
            enum Keys: String, CodingKey { case name, box, list }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode("n", forKey: .name)
                var box = container.nestedContainer(keyedBy: Keys.self, forKey: .box)
                try box.encode(1, forKey: .name)
                var again = container.nestedContainer(keyedBy: Keys.self, forKey: .box)
                try again.encode(2, forKey: .list)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(1)
                var object = list.nestedContainer(keyedBy: Keys.self)
                try object.encode(true, forKey: .name)
                var array = list.nestedUnkeyedContainer()
                try array.encodeNil()
                try array.encode("z")
                try super.encode(to: container.superEncoder())
            }
        }
        XCTAssertEqual(
            try lines(Derived(), ParameterStyle(arrays: .indexed)),
            ["name=n", "box[name]=1", "box[list]=2", "list[0]=1", "list[1][name]=true", "list[2][1]=z", "super[id]=1"])
    }

    func testSharedEncoder_mergesInheritedProperties() throws {
        class Base: Encodable { let id = 1 }
        final class Derived: Base {
            enum Keys: String, CodingKey { case name }
            override func encode(to encoder: any Encoder) throws {
                try super.encode(to: encoder)
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode("n", forKey: .name)
            }
        }
        XCTAssertEqual(try lines(Derived()), ["id=1", "name=n"])
    }

    func testTopLevel_mustBeAnObject() throws {
        struct Empty: Encodable {}
        XCTAssertEqual(try lines(Empty()), [])
        func assertRefused(_ value: some Encodable) {
            XCTAssertThrowsError(try lines(value)) {
                XCTAssertEqual(($0 as? NetworkError)?.kind, .encoding)
                XCTAssertFalse("\($0)".contains("hunter2"))
            }
        }
        assertRefused("hunter2")
        assertRefused(1)
        assertRefused([1, 2])
        assertRefused(Date())
        assertRefused(String?.none)
    }

    func testFailure_namesThePlaceAndNotTheValue() {
        struct Bad: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(
                    "hunter2", .init(codingPath: encoder.codingPath, debugDescription: "hunter2"))
            }
        }
        XCTAssertThrowsError(try lines(["a": [Bad()]])) {
            let error = $0 as? NetworkError
            XCTAssertEqual(error?.kind, .encoding)
            XCTAssertEqual(error?.codingPath, "a[0]")
            XCTAssertFalse("\($0)".contains("hunter2"))
            XCTAssertNotNil(error?.underlyingError)
        }
    }
}
