import Ferry
import Foundation
import XCTest

final class RetryAfterTests: XCTestCase {
    /// 2026-01-01T00:00:00Z, a Thursday.
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    func testParse_takesSecondsAndTheThreeFormsOfDates() {
        let rows: [(value: String, wait: Duration?, spec: String)] = [
            ("0", .zero, "§10.2.3"), ("120", .seconds(120), "§10.2.3"), ("007", .seconds(7), "1*DIGIT"),
            (" 5\t", .seconds(5), "§5.5: white space around a value is not part of it"),
            ("99999999999999999999999", .seconds(Int64.max), "more than a number holds"),
            ("Thu, 01 Jan 2026 00:00:30 GMT", .seconds(30), "§5.6.7 IMF-fixdate"),
            ("Thursday, 01-Jan-26 00:00:30 GMT", .seconds(30), "§5.6.7 RFC 850"),
            ("Thu Jan  1 00:00:30 2026", .seconds(30), "§5.6.7 asctime"),
            ("Wed, 31 Dec 2025 23:59:59 GMT", .zero, "past"), ("Thu, 01 Jan 2026 00:00:00 GMT", .zero, "now"),
            ("Fri, 31 Dec 9999 23:59:59 GMT", .seconds(251_635_075_199 - 0), "far"),
            ("-5", nil, "sign"), ("+5", nil, "sign"), ("1.5", nil, "fraction"), ("1e3", nil, "exponent"),
            ("0x10", nil, "hexadecimal"), ("5 s", nil, "unit"), ("5, 6", nil, "two lines"), ("soon", nil, "word"),
            ("", nil, "empty"), ("  ", nil, "blank"), ("٣", nil, "digits of another script"), ("5\u{301}", nil, "mark"),
            ("2026-01-01T00:00:30Z", nil, "ISO 8601"), ("Thu, 01 Jan 2026 00:00:30 CET", nil, "zone"),
            ("Thu, 32 Jan 2026 00:00:30 GMT", nil, "no such day"),
        ]
        for row in rows {
            let wait = RetryAfter.parse(row.value, now: now)
            if row.spec == "far" {
                XCTAssertGreaterThan(wait ?? .zero, .seconds(86400 * 365 * 7000), row.value)
            } else {
                XCTAssertEqual(wait, row.wait, "\(row.value.debugDescription): \(row.spec)")
            }
        }
    }

    func testParse_neverEndsBeforeTheDate() {
        let wait = RetryAfter.parse("Thu, 01 Jan 2026 00:00:30 GMT", now: now.addingTimeInterval(0.4004))
        XCTAssertEqual(wait, .milliseconds(29_600))
    }
}
