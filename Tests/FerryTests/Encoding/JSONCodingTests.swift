import Foundation
import XCTest

@testable import Ferry

final class JSONCodingTests: XCTestCase {
    private func date(_ text: String) throws -> Double {
        try JSONCoding.makeDecoder().decode(Date.self, from: Data("\"\(text)\"".utf8)).timeIntervalSince1970
    }

    func testQRY13_jsonHasNoCharset() throws {
        let row = try ConformanceCase.load("QRY-13", area: "json")
        let value = row.input["json_body"].object.compactMapValues(\.string)
        let body = try BodyEncoder().encode(.json(value))
        XCTAssertEqual(body.contentType?.description, row.expected["wire_content_type"].string)
        guard case .data(let data) = body.content else { return XCTFail("not data") }
        XCTAssertEqual(try JSONDecoder().decode(JSONValue.self, from: data), row.expected["body_utf8_equals_json"])
        XCTAssertEqual(String(decoding: data, as: UTF8.self), #"{"k":"é/"}"#)
    }

    /// RFC 3339 §5.6 and §5.8, unless marked.
    func testDates_decode() throws {
        let rows: [(String, Double)] = [
            ("2023-11-14T22:13:20Z", 1_700_000_000), ("2023-11-14t22:13:20z", 1_700_000_000),
            ("2023-11-14T22:13:20.5Z", 1_700_000_000.5), ("2023-11-14T22:13:20.250Z", 1_700_000_000.25),
            ("2023-11-14T22:13:20.123456789Z", 1_700_000_000.123456789),
            ("2023-11-14T23:13:20+01:00", 1_700_000_000), ("2023-11-14T14:13:20.0-08:00", 1_700_000_000),
            ("2023-11-14T22:13:20-00:00", 1_700_000_000), ("2023-11-15T03:43:20+0530", 1_700_000_000),  // ISO 8601
            ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1), ("2000-02-29T00:00:00Z", 951_782_400),
            ("1990-12-31T23:59:60Z", 662_688_000), ("1990-12-31T15:59:60-08:00", 662_688_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("1985-04-12T23:20:50.52Z", 482_196_050.52), ("1996-12-19T16:39:57-08:00", 851_042_397),
        ]
        for (text, seconds) in rows { XCTAssertEqual(try date(text), seconds, accuracy: 1e-6, text) }
    }

    func testDates_decodeRefusesTheRest() {
        let rows = [
            "", "2023-11-14", "2023-11-14T22:13Z", "2023-11-14T22:13:20", "2023-13-14T22:13:20Z",
            "2023-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z", "2023-04-31T00:00:00Z", "2023-11-14T24:00:00Z", "2023-11-14T22:60:00Z",
            "2023-11-14T22:13:61Z", "2023-11-14T22:13:20.Z", "2023-11-14T22:13:20Zx", "2023-11-14T22:13:20+25:00",
            "2023-11-14T22:13:20+01:60", "+2023-11-14T22:13:20Z", " 2023-11-14T22:13:20Z", "2023-11-14T22:13:20+01",
            "2023-00-14T22:13:20Z", "2023-11-00T22:13:20Z", "２023-11-14T22:13:20Z",
        ]
        for text in rows { XCTAssertThrowsError(try date(text), text) }
    }

    func testDates_encode() throws {
        let rows: [(Double, String)] = [
            (1_700_000_000, "2023-11-14T22:13:20Z"), (1_700_000_000.25, "2023-11-14T22:13:20.250Z"),
            (1_700_000_000.0001, "2023-11-14T22:13:20Z"), (1_700_000_000.9996, "2023-11-14T22:13:21Z"),
            (-0.5, "1969-12-31T23:59:59.500Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (-62_167_219_200, "0000-01-01T00:00:00Z"),
        ]
        for (seconds, text) in rows {
            let data = try JSONCoding.makeEncoder().encode(Date(timeIntervalSince1970: seconds))
            XCTAssertEqual(String(decoding: data, as: UTF8.self), "\"\(text)\"")
        }
        XCTAssertThrowsError(try JSONCoding.makeEncoder().encode(Date(timeIntervalSince1970: 253_402_300_800)))
    }

    func testDates_everyDayRoundTrips() throws {
        for day in stride(from: -800_000, through: 2_900_000, by: 97) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 3661)
            guard let text = RFC3339.format(date, fraction: .none) else { continue }
            XCTAssertEqual(RFC3339.parse(text), date, text)
        }
        let reference = ISO8601DateFormatter()
        for seconds in stride(from: -5e9, through: 2e10, by: 98_765_432.0) {
            let date = Date(timeIntervalSince1970: seconds)
            XCTAssertEqual(RFC3339.format(date, fraction: .none), reference.string(from: date))
        }
    }

    func testBody_notANumberIsAnEncodingError() {
        struct Reading: Encodable, Sendable { var values: [Double] }
        XCTAssertThrowsError(try BodyEncoder().encode(.json(["r": [Reading(values: [1, .nan])]]))) {
            let error = $0 as? NetworkError
            XCTAssertEqual(error?.kind, .encoding)
            XCTAssertEqual(error?.codingPath, "r[0].values[1]")
        }
        XCTAssertThrowsError(try BodyEncoder().encode(.form(1))) {
            XCTAssertEqual(($0 as? NetworkError)?.kind, .encoding)
        }
    }

    func testBody_topLevelFragmentsAndOtherKinds() throws {
        guard case .data(let data) = try BodyEncoder().encode(.json("a/b")).content else { return XCTFail("not data") }
        XCTAssertEqual(String(decoding: data, as: UTF8.self), "\"a/b\"")
        guard case .data(let same) = try BodyEncoder().encode(.data(Data([1]))).content else {
            return XCTFail("not data")
        }
        XCTAssertEqual(same, Data([1]))
        XCTAssertTrue(try BodyEncoder().encode(.none).isNone)
        var body = RequestBody.form(["a": 1] as Parameters)
        body.contentType = MediaType("application/x-www-form-urlencoded; charset=utf-8")
        XCTAssertEqual(try BodyEncoder().encode(body).contentType?.charset, "utf-8")
    }
}
