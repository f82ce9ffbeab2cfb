import Ferry
import Foundation
import XCTest

final class FreshnessTests: XCTestCase {
    private struct Row {
        let section: String
        let headers: HTTPHeaders
        var status: HTTPStatus = 200
        let lifetime: Double
        var isExplicit = true
    }

    private static let now = "Thu, 01 Jan 2026 00:00:00 GMT"

    private static let rows: [Row] = [
        // Explicit.
        Row(section: "4.2.1", headers: ["Cache-Control": "max-age=60"], lifetime: 60),
        Row(section: "4.2.1", headers: ["Cache-Control": "max-age=60", "Expires": "0"], lifetime: 60),
        Row(section: "5.3", headers: ["Cache-Control": "max-age=60", "Expires": now, "Date": now], lifetime: 60),
        Row(section: "5.2.2.10", headers: ["Cache-Control": "s-maxage=90, max-age=60"], lifetime: 60),
        Row(section: "5.2.2.10", headers: ["Cache-Control": "s-maxage=90"], lifetime: 0, isExplicit: false),
        Row(section: "4.2.1", headers: ["Cache-Control": "max-age=5, max-age=60"], lifetime: 5),
        Row(
            section: "4.2.1", headers: ["Cache-Control": "max-age=x", "Expires": "Fri, 02 Jan 2026 00:00:00 GMT"],
            lifetime: 0),
        Row(section: "1.2.2", headers: ["Cache-Control": "max-age=99999999999"], lifetime: 2_147_483_648),
        Row(section: "4.2.1", headers: ["Expires": "Thu, 01 Jan 2026 00:01:00 GMT", "Date": now], lifetime: 60),
        Row(section: "4.2.1", headers: ["Expires": "Thu, 01 Jan 2026 00:01:00 GMT"], lifetime: 60),
        Row(
            section: "4.2.1",
            headers: ["Expires": "Thu, 01 Jan 2026 00:01:00 GMT", "Date": "Thu, 01 Jan 2026 00:00:30 GMT"], lifetime: 30
        ),
        Row(section: "4.2.1", headers: ["Expires": now, "Date": now], lifetime: 0),
        Row(section: "4.2.1", headers: ["Expires": "Wed, 31 Dec 2025 00:00:00 GMT", "Date": now], lifetime: 0),
        Row(section: "5.3", headers: ["Expires": "0"], lifetime: 0),
        Row(section: "5.3", headers: ["Expires": "-1"], lifetime: 0),
        Row(section: "5.3", headers: ["Expires": ""], lifetime: 0),
        Row(
            section: "5.3", headers: ["Expires": "tomorrow", "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"],
            lifetime: 0),
        Row(
            section: "RFC 9110 5.6.7", headers: ["Expires": "Thursday, 01-Jan-26 00:01:00 GMT", "Date": now],
            lifetime: 60),
        Row(section: "RFC 9110 5.6.7", headers: ["Expires": "Thu Jan  1 00:01:00 2026", "Date": now], lifetime: 60),
        Row(
            section: "RFC 9110 6.6.1", headers: ["Expires": "Thu, 01 Jan 2026 00:01:00 GMT", "Date": "broken"],
            lifetime: 60),
        Row(
            section: "4.2.1", headers: ["Expires": "Thu, 01 Jan 2026 00:01:00 GMT, Fri, 02 Jan 2026 00:00:00 GMT"],
            lifetime: 0),
        // Heuristic.
        Row(section: "4.2.2", headers: [:], lifetime: 0, isExplicit: false),
        Row(
            section: "4.2.2", headers: ["Last-Modified": "Wed, 31 Dec 2025 23:50:00 GMT", "Date": now], lifetime: 60,
            isExplicit: false),
        Row(
            section: "4.2.2", headers: ["Last-Modified": "Wed, 31 Dec 2025 23:50:00 GMT"], lifetime: 60,
            isExplicit: false),
        Row(
            section: "4.2.2", headers: ["Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"], lifetime: 86_400,
            isExplicit: false),
        Row(
            section: "4.2.2", headers: ["Last-Modified": "Fri, 02 Jan 2026 00:00:00 GMT"], lifetime: 0,
            isExplicit: false),
        Row(section: "4.2.2", headers: ["Last-Modified": "long ago"], lifetime: 0, isExplicit: false),
        Row(
            section: "4.2.2", headers: ["Last-Modified": "Wed, 31 Dec 2025 23:50:00 GMT"], status: 302, lifetime: 0,
            isExplicit: false),
        Row(
            section: "4.2.2", headers: ["Last-Modified": "Wed, 31 Dec 2025 23:50:00 GMT", "Cache-Control": "public"],
            status: 302, lifetime: 60, isExplicit: false),
        Row(
            section: "4.2.2", headers: ["Last-Modified": "Wed, 31 Dec 2025 23:50:00 GMT"], status: 404, lifetime: 60,
            isExplicit: false),
        Row(
            section: "4.2.2", headers: ["Last-Modified": "Wed, 31 Dec 2025 23:50:00 GMT"], status: 500, lifetime: 0,
            isExplicit: false),
    ]

    func testLifetime() {
        for row in Self.rows {
            let freshness = Freshness(
                status: row.status, headers: row.headers, requestDate: cacheEpoch, responseDate: cacheEpoch)
            XCTAssertEqual(freshness.lifetime, row.lifetime, "\(row.section): \(row.headers.fields.map(\.value))")
            XCTAssertEqual(freshness.isExplicit, row.isExplicit, "\(row.section): \(row.headers.fields.map(\.value))")
        }
    }

    func testHeuristic_canBeSet() {
        let freshness = Freshness(
            status: 200, headers: ["Last-Modified": "Wed, 31 Dec 2025 23:50:00 GMT"], requestDate: cacheEpoch,
            responseDate: cacheEpoch, heuristic: Freshness.Heuristic(fraction: 0.5, limit: 200))
        XCTAssertEqual(freshness.lifetime, 200)
    }

    /// Fields, seconds between request and response, seconds since the response, and the age.
    private static let ages: [(section: String, headers: HTTPHeaders, delay: Double, resident: Double, age: Double)] = [
        ("4.2.3", [:], 0, 0, 0),
        ("4.2.3", [:], 0, 10, 10),
        ("4.2.3 response_delay", [:], 4, 10, 14),
        ("4.2.3 age_value", ["Age": "7"], 0, 10, 17),
        ("4.2.3 corrected_age_value", ["Age": "7"], 4, 10, 21),
        ("4.2.3 apparent_age", ["Date": "Wed, 31 Dec 2025 23:59:30 GMT"], 0, 10, 40),
        ("4.2.3 max", ["Date": "Wed, 31 Dec 2025 23:59:30 GMT", "Age": "7"], 4, 10, 40),
        ("4.2.3 max", ["Date": "Wed, 31 Dec 2025 23:59:30 GMT", "Age": "70"], 4, 10, 84),
        ("4.2.3 date in the future", ["Date": "Thu, 01 Jan 2026 00:10:00 GMT"], 0, 10, 10),
        ("5.1 not a number", ["Age": "x"], 0, 10, 10),
        ("5.1 negative", ["Age": "-5"], 0, 10, 10),
        ("5.1 list: the first", ["Age": "7, 90"], 0, 10, 17),
        ("5.1 lines: the first", ["Age": "7", "age": "90"], 0, 10, 17),
        ("5.1 list: the first is none", ["Age": "x, 90"], 0, 10, 10),
        ("1.2.2 overflow", ["Age": "99999999999999999999"], 0, 0, 2_147_483_648),
        ("RFC 9110 6.6.1 broken date", ["Date": "yesterday"], 0, 10, 10),
    ]

    func testAge() {
        for row in Self.ages {
            let freshness = Freshness(
                status: 200, headers: row.headers, requestDate: cacheEpoch.addingTimeInterval(-row.delay),
                responseDate: cacheEpoch)
            XCTAssertEqual(freshness.age(at: cacheEpoch.addingTimeInterval(row.resident)), row.age, row.section)
        }
    }

    func testFresh_untilTheLifetimeIsReached() {
        let freshness = Freshness(
            status: 200, headers: ["Cache-Control": "max-age=60", "Age": "10"], requestDate: cacheEpoch,
            responseDate: cacheEpoch)
        XCTAssert(freshness.isFresh(at: cacheEpoch.addingTimeInterval(49)))
        XCTAssertFalse(freshness.isFresh(at: cacheEpoch.addingTimeInterval(50)), "4.2: lifetime > age")
        XCTAssertFalse(freshness.isFresh(at: cacheEpoch.addingTimeInterval(-1)), "the clock was set back")
    }

    static var rowCount: Int { rows.count + ages.count }
}
