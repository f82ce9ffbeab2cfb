import Ferry
import Foundation
import XCTest

final class CachePolicyTests: XCTestCase {
    private struct Storing {
        let section: String
        var status: HTTPStatus = 200
        var headers: HTTPHeaders = [:]
        var request = ""
        let refusal: CachePolicy.Refusal?
    }

    private static let storing: [Storing] = [
        Storing(section: "3", refusal: nil),
        Storing(section: "3", status: 203, refusal: nil),
        Storing(section: "3", status: 204, refusal: nil),
        Storing(section: "3", status: 300, refusal: nil),
        Storing(section: "3", status: 301, refusal: nil),
        Storing(section: "3", status: 308, refusal: nil),
        Storing(section: "3", status: 404, refusal: nil),
        Storing(section: "3", status: 405, refusal: nil),
        Storing(section: "3", status: 410, refusal: nil),
        Storing(section: "3", status: 414, refusal: nil),
        Storing(section: "3", status: 501, refusal: nil),
        Storing(section: "3", status: 201, refusal: .nothingAllowsIt),
        Storing(section: "3", status: 302, refusal: .nothingAllowsIt),
        Storing(section: "3", status: 307, refusal: .nothingAllowsIt),
        Storing(section: "3", status: 403, refusal: .nothingAllowsIt),
        Storing(section: "3", status: 500, refusal: .nothingAllowsIt),
        Storing(section: "3", status: 503, refusal: .nothingAllowsIt),
        Storing(section: "3 max-age", status: 302, headers: ["Cache-Control": "max-age=5"], refusal: nil),
        Storing(section: "3 max-age", status: 500, headers: ["Cache-Control": "max-age=5"], refusal: nil),
        Storing(section: "3 Expires", status: 307, headers: ["Expires": "Fri, 02 Jan 2026 00:00:00 GMT"], refusal: nil),
        Storing(section: "3 public", status: 302, headers: ["Cache-Control": "public"], refusal: nil),
        Storing(section: "3 private", status: 302, headers: ["Cache-Control": "private"], refusal: nil),
        Storing(section: "5.2.2.7", headers: ["Cache-Control": "private=\"X-A\""], refusal: nil),
        Storing(
            section: "3 s-maxage", status: 302, headers: ["Cache-Control": "s-maxage=5"], refusal: .nothingAllowsIt),
        Storing(section: "3.3", status: 206, headers: ["Cache-Control": "max-age=5"], refusal: .status),
        Storing(section: "4.3.4", status: 304, headers: ["Cache-Control": "max-age=5"], refusal: .status),
        Storing(section: "3", status: 103, headers: ["Cache-Control": "max-age=5"], refusal: .status),
        Storing(section: "5.2.2.5", headers: ["Cache-Control": "no-store"], refusal: .noStore),
        Storing(section: "5.2.2.5", headers: ["Cache-Control": "max-age=60, no-store"], refusal: .noStore),
        Storing(
            section: "5.2.2.5", headers: ["Cache-Control": "max-age=60", "cache-control": "NO-STORE"], refusal: .noStore
        ),
        Storing(section: "5.2.2.5", headers: ["Cache-Control": "no-store=\"x\""], refusal: .noStore),
        Storing(section: "5.2.2.5", headers: ["Cache-Control": "no-store x, max-age=9"], refusal: .noStore),
        Storing(section: "5.2", headers: ["Cache-Control": "ext=\"no-store\""], refusal: nil),
        Storing(section: "5.2.1.5", request: "no-store", refusal: .noStore),
        Storing(section: "5.2.2.3", headers: ["Cache-Control": "must-understand, no-store"], refusal: nil),
        Storing(
            section: "5.2.2.3", status: 299, headers: ["Cache-Control": "must-understand, max-age=9"],
            refusal: .notUnderstood),
        Storing(section: "5.2.2.4", headers: ["Cache-Control": "no-cache"], refusal: nil),
        Storing(section: "3.5", headers: ["Cache-Control": "must-revalidate"], refusal: nil),
        Storing(section: "4.1", headers: ["Vary": "Accept"], refusal: nil),
        Storing(section: "4.1", headers: ["Vary": "*"], refusal: .vary),
        Storing(section: "4.1", headers: ["Vary": "Accept, *"], refusal: .vary),
        Storing(section: "4.1", headers: ["Vary": "a b"], refusal: .vary),
    ]

    func testStoring() {
        let policy = CachePolicy()
        for row in Self.storing {
            XCTAssertEqual(
                policy.refusal(status: row.status, headers: row.headers, request: CacheControl([row.request])),
                row.refusal, "\(row.section): \(row.status) \(row.headers.fields.map(\.value)) \(row.request)")
        }
    }

    /// Cache-Control of the response and the request, seconds since it came, and what becomes of it.
    private static let reuse: [(section: String, response: String, request: String, age: Double, CachePolicy.Reuse)] = [
        ("4.2", "max-age=60", "", 0, .fresh),
        ("4.2", "max-age=60", "", 59, .fresh),
        ("4.2", "max-age=60", "", 60, .validate),
        ("4.2", "max-age=0", "", 0, .validate),
        ("4.2.1", "max-age=x", "", 0, .validate),
        ("4.2.2", "", "", 0, .validate),
        ("5.2.1.4", "max-age=60", "no-cache", 0, .validate),
        ("5.2.1.4", "max-age=60, immutable", "no-cache", 0, .validate),
        ("5.2.1.1", "max-age=60", "max-age=10", 10, .fresh),
        ("5.2.1.1", "max-age=60", "max-age=10", 11, .validate),
        ("5.2.1.1", "max-age=60", "max-age=0", 1, .validate),
        ("5.2.1.1", "max-age=60", "max-age=x", 1, .validate),
        ("5.2.1.1", "max-age=60", "max-age=90", 70, .validate),
        ("5.2.1.3", "max-age=60", "min-fresh=20", 40, .fresh),
        ("5.2.1.3", "max-age=60", "min-fresh=20", 41, .validate),
        ("5.2.1.3", "max-age=60", "min-fresh=x", 1, .validate),
        ("5.2.1.3", "max-age=60", "min-fresh=5, max-stale", 70, .validate),
        ("5.2.1.2", "max-age=60", "max-stale", 9999, .stale(revalidates: false)),
        ("5.2.1.2", "max-age=60", "max-stale=10", 70, .stale(revalidates: false)),
        ("5.2.1.2", "max-age=60", "max-stale=10", 71, .validate),
        ("5.2.1.2", "max-age=60", "max-stale=x", 61, .validate),
        ("5.2.1.2", "max-age=60", "max-stale=10", 59, .fresh),
        ("5.2.1.1, 5.2.1.2", "max-age=60", "max-age=65, max-stale=10", 64, .stale(revalidates: false)),
        ("5.2.1.1, 5.2.1.2", "max-age=60", "max-age=65, max-stale=10", 66, .validate),
        ("5.2.2.2", "max-age=60, must-revalidate", "", 59, .fresh),
        ("5.2.2.2", "max-age=60, must-revalidate", "", 61, .validate),
        ("5.2.2.2", "max-age=60, must-revalidate", "max-stale", 61, .validate),
        ("5.2.2.2", "max-age=60, must-revalidate, stale-while-revalidate=9", "", 61, .validate),
        ("5.2.2.8", "max-age=60, proxy-revalidate", "max-stale", 61, .stale(revalidates: false)),
        ("5.2.2.4", "max-age=60, no-cache", "", 0, .validate),
        ("5.2.2.4", "max-age=60, no-cache", "max-stale", 0, .validate),
        ("5.2.2.4", "max-age=60, no-cache=\"X-A\"", "", 0, .fresh),
        ("5.2.2.4", "no-cache, stale-while-revalidate=9", "", 1, .validate),
        ("5.2.3", "max-age=60, unknown=\"no-cache\"", "", 0, .fresh),
        ("RFC 5861 3", "max-age=60, stale-while-revalidate=30", "", 60, .stale(revalidates: true)),
        ("RFC 5861 3", "max-age=60, stale-while-revalidate=30", "", 90, .stale(revalidates: true)),
        ("RFC 5861 3", "max-age=60, stale-while-revalidate=30", "", 91, .validate),
        ("RFC 5861 3", "max-age=60, stale-while-revalidate=x", "", 61, .validate),
        ("RFC 5861 3", "max-age=60, stale-while-revalidate=30", "no-cache", 61, .validate),
        ("RFC 5861 3", "max-age=60, stale-while-revalidate=30", "max-age=300", 61, .validate),
        ("RFC 5861 3", "max-age=60, stale-while-revalidate=30", "max-stale=1", 62, .validate),
        ("RFC 8246 2", "max-age=60, immutable", "max-age=0", 10, .fresh),
        ("RFC 8246 2", "max-age=60, immutable", "", 61, .validate),
        ("5.2.1.7", "max-age=60", "only-if-cached", 10, .fresh),
        ("4.2.3", "max-age=60", "", -1, .validate),
    ]

    func testReuse() throws {
        let policy = CachePolicy()
        for (section, response, request, age, expected) in Self.reuse {
            let entry = try CacheEntry.Head.row(response.isEmpty ? [:] : ["Cache-Control": response])
            XCTAssertEqual(
                policy.reuse(entry, for: CacheControl([request]), at: cacheEpoch.addingTimeInterval(age)), expected,
                "\(section): \(response) | \(request) | \(age) s")
        }
    }

    private static let standIn: [(section: String, response: String, request: String, age: Double, Bool)] = [
        ("RFC 5861 4", "max-age=1, stale-if-error=60", "", 3, true),
        ("RFC 5861 4", "max-age=1, stale-if-error=60", "", 61, true),
        ("RFC 5861 4", "max-age=1, stale-if-error=60", "", 62, false),
        ("RFC 5861 4", "max-age=1, stale-if-error=x", "", 3, false),
        ("RFC 5861 4", "max-age=1, stale-if-error", "", 3, false),
        ("RFC 5861 4", "max-age=1", "stale-if-error=60", 3, true),
        ("RFC 5861 4", "max-age=1", "stale-if-error=1", 3, false),
        ("RFC 5861 4", "stale-if-error=60", "", 3, true),
        ("4.2.4", "max-age=1", "", 3, false),
        ("4.2.4", "max-age=1", "no-cache, stale-if-error=60", 3, false),
        ("5.2.2.2", "max-age=1, must-revalidate, stale-if-error=60", "", 3, false),
        ("5.2.2.2", "max-age=1, must-revalidate", "stale-if-error=60", 3, false),
        ("5.2.2.4", "max-age=1, no-cache, stale-if-error=60", "", 3, false),
        ("5.2.2.4", "max-age=1, no-cache=\"X-A\", stale-if-error=60", "", 3, true),
    ]

    func testStandIn() throws {
        for (section, response, request, age, expected) in Self.standIn {
            let entry = try CacheEntry.Head.row(["Cache-Control": response])
            XCTAssertEqual(
                CachePolicy().standsIn(entry, for: CacheControl([request]), at: cacheEpoch.addingTimeInterval(age)),
                expected, "\(section): \(response) | \(request) | \(age) s")
        }
        var lenient = CachePolicy()
        lenient.staleIfError = 100
        let now = cacheEpoch.addingTimeInterval(50)
        XCTAssert(lenient.standsIn(try .row(["Cache-Control": "max-age=1"]), for: CacheControl([""]), at: now))
        XCTAssertFalse(
            lenient.standsIn(
                try .row(["Cache-Control": "max-age=1, must-revalidate"]), for: CacheControl([""]), at: now))
    }

    func testFailures_forWhichAStaleResponseStandsIn() throws {
        let allowed: [NetworkError.Kind] = [
            .cannotConnect, .cannotFindHost, .connectionLost, .offline, .timeout, .malformedResponse, .network,
        ]
        let refused: [NetworkError.Kind] = [.tls, .cancelled, .bodyTooLarge, .invalidBody, .mock, .unsupported, .file]
        for kind in allowed { XCTAssert(NetworkError(kind, "").allowsStaleResponse, "\(kind)") }
        for kind in refused { XCTAssertFalse(NetworkError(kind, "").allowsStaleResponse, "\(kind)") }
        let url = try URL.test()
        for (status, stands) in [(500, true), (501, false), (503, true), (505, false)] {
            let error = NetworkError(.server, "").with {
                $0.response = HTTPResponse.Head(status: HTTPStatus(status), url: url)
            }
            XCTAssertEqual(error.allowsStaleResponse, stands, "\(status)")
        }
    }

    static var rowCount: Int { storing.count + reuse.count + standIn.count }

    func testTables_haveEnoughRows() {
        let rows =
            Self.rowCount + CacheControlTests.rowCount + FreshnessTests.rowCount + CacheVarianceTests.rowCount
            + ValidatorsTests.rowCount + InvalidationTests.rowCount
        XCTAssertGreaterThanOrEqual(rows, 250)
    }
}
