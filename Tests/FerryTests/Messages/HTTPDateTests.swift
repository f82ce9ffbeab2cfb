import Ferry
import Foundation
import XCTest

final class HTTPDateTests: XCTestCase {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01T00:00:00Z

    func testHTTPDate_readsThreeFormsAndNothingElse() {
        let example: TimeInterval = 784_111_777
        let rows: [(text: String, seconds: TimeInterval?, spec: String)] = [
            ("Sun, 06 Nov 1994 08:49:37 GMT", example, "9110 §5.6.7 IMF-fixdate"),
            ("Sunday, 06-Nov-94 08:49:37 GMT", example, "§5.6.7 rfc850-date"),
            ("Sun Nov  6 08:49:37 1994", example, "§5.6.7 asctime-date"),
            ("Wed Nov 16 08:49:37 1994", example + 864_000, "§5.6.7 asctime-date, two digits"),
            (" \tSun, 06 Nov 1994 08:49:37 GMT ", example, "§5.5 white space is not part of the value"),
            ("Mon, 06 Nov 1994 08:49:37 GMT", example, "wrong day name: tolerated"),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0, "epoch"),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000, "leap year"),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400, "leap century"),
            ("Thu, 29 Feb 1900 00:00:00 GMT", nil, "no leap century"),
            ("Wed, 29 Feb 2023 12:00:00 GMT", nil, "no leap year"),
            ("Fri, 31 Apr 2023 12:00:00 GMT", nil, "no such day"),
            ("Fri, 00 Apr 2023 12:00:00 GMT", nil, "no such day"),
            ("Fri, 32 Jan 2023 12:00:00 GMT", nil, "no such day"),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800, "leap second"),
            ("Sun, 06 Nov 1994 08:49:60 GMT", nil, "leap second elsewhere"),
            ("Sun, 06 Nov 1994 23:59:61 GMT", nil, "no such second"),
            ("Sun, 06 Nov 1994 24:00:00 GMT", nil, "no such hour"),
            ("Sun, 06 Nov 1994 08:60:00 GMT", nil, "no such minute"),
            ("Mon, 01 Jan 0000 00:00:00 GMT", -62_167_219_200, "first year"),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799, "last year"),
            ("Thursday, 31-Dec-75 23:59:59 GMT", 3_345_062_399, "two digits: within 50 years"),
            ("Wednesday, 01-Jan-76 00:00:00 GMT", 3_345_062_400, "two digits: 50 years, not more"),
            ("Thursday, 01-Jan-76 00:00:01 GMT", 189_302_401, "two digits: more than 50 years"),
            ("Friday, 01-Jan-99 00:00:00 GMT", 915_148_800, "two digits"),
            ("Saturday, 29-Feb-00 00:00:00 GMT", 951_782_400, "two digits: 2000"),
            ("sun, 06 Nov 1994 08:49:37 GMT", nil, "case-sensitive"),
            ("Sun, 06 nov 1994 08:49:37 GMT", nil, "case-sensitive"),
            ("Sun, 06 Nov 1994 08:49:37 gmt", nil, "case-sensitive"),
            ("Sun, 06 Nov 1994 08:49:37 UTC", nil, "zone"),
            ("Sun, 06 Nov 1994 08:49:37 +0000", nil, "zone"),
            ("Sun, 06 Nov 1994 08:49:37", nil, "no zone"),
            ("Sun, 6 Nov 1994 08:49:37 GMT", nil, "one digit"),
            ("Sun, 06 Nov 94 08:49:37 GMT", nil, "two digits"),
            ("Sun, 06-Nov-1994 08:49:37 GMT", nil, "mixed"),
            ("Sun, 06-Nov-94 08:49:37 GMT", nil, "short day name in rfc850"),
            ("Sunday, 06 Nov 1994 08:49:37 GMT", nil, "long day name"),
            ("Sun Nov 6 08:49:37 1994", nil, "asctime pads"),
            ("Sun Nov 06 08:49:37 94", nil, "asctime year"),
            ("Sun Nov  6 08:49:37 1994 GMT", nil, "asctime has no zone"),
            ("Sun, 06 Nov 1994  08:49:37 GMT", nil, "two spaces"),
            ("Sun, 06 Nov 1994 08:49:37 GMT, x", nil, "rest"),
            ("Sun, 06 Nov 1994 8:49:37 GMT", nil, "one digit"),
            ("1994-11-06T08:49:37Z", nil, "ISO 8601"), ("784111777", nil, "number"), ("", nil, "empty"),
            ("0", nil, "0"),
            ("Sun, 06 Nov 1994 08:49:37 GMT\u{301}", nil, "combining mark"),
            ("Sun, ٠٦ Nov 1994 08:49:37 GMT", nil, "other digits"),
        ]
        for row in rows {
            XCTAssertEqual(
                HTTPDate.parse(row.text, now: now)?.timeIntervalSince1970, row.seconds, "\(row.text): \(row.spec)")
        }
    }

    func testHTTPDate_twoDigitYearFollowsNow() {
        // 2099-06-01: the year 01 is 2101, two years on.
        let late = Date(timeIntervalSince1970: 4_083_955_200)
        XCTAssertEqual(
            HTTPDate.parse("Saturday, 01-Jan-01 00:00:00 GMT", now: late)?.timeIntervalSince1970, 4_133_980_800)
    }

    func testHTTPDate_formatsAsFixdate() {
        XCTAssertEqual(HTTPDate.format(Date(timeIntervalSince1970: 784_111_777.9)), "Sun, 06 Nov 1994 08:49:37 GMT")
        XCTAssertEqual(HTTPDate.format(Date(timeIntervalSince1970: -1)), "Wed, 31 Dec 1969 23:59:59 GMT")
        XCTAssertEqual(HTTPDate.format(.init(timeIntervalSince1970: .infinity)), "Fri, 31 Dec 9999 23:59:59 GMT")
        XCTAssertEqual(HTTPDate.format(.init(timeIntervalSince1970: .nan)), "Thu, 01 Jan 1970 00:00:00 GMT")
    }

    func testHTTPDate_readsWhatItWrites() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let seconds = Int.random(in: -62_167_219_200...253_402_300_799, using: &generator)
            let text = HTTPDate.format(Date(timeIntervalSince1970: TimeInterval(seconds)))
            XCTAssertEqual(HTTPDate.parse(text, now: now)?.timeIntervalSince1970, TimeInterval(seconds), text)
        }
    }

    func testHTTPDate_survivesAnyBytes() {
        var generator = SystemRandomNumberGenerator()
        let seeds = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        for seed in seeds {
            for _ in 0..<3000 {
                var bytes = Array(seed.utf8)
                for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
                    let index = Int.random(in: bytes.indices, using: &generator)
                    if Bool.random(using: &generator) {
                        bytes[index] = .random(in: 0...255, using: &generator)
                    } else {
                        bytes.remove(at: index)
                    }
                }
                let text = String(decoding: bytes, as: UTF8.self)
                guard let date = HTTPDate.parse(text, now: now) else { continue }
                XCTAssertEqual(HTTPDate.parse(HTTPDate.format(date), now: now), date, text)
            }
        }
    }
}
