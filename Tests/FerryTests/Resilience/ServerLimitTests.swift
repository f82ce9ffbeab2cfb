import Ferry
import Foundation
import XCTest

final class ServerLimitTests: XCTestCase {
    func testHold_readsWhatServersSay() throws {
        let now = Date(timeIntervalSince1970: 1_767_225_600)
        let rows: [(status: HTTPStatus, headers: HTTPHeaders, hold: Duration?)] = [
            (429, ["Retry-After": "7"], .seconds(7)),
            (503, ["Retry-After": "Thu, 01 Jan 2026 00:00:30 GMT"], .seconds(30)),
            (200, ["Retry-After": "7"], nil), (429, ["Retry-After": "soon"], nil), (429, [:], nil),
            (200, ["RateLimit": "\"default\";r=0;t=30"], .seconds(30)),
            (200, ["RateLimit": "\"default\";r=50;t=30"], nil),
            (200, ["RateLimit": "\"burst\";r=0;t=2, \"day\";r=0;t=60"], .seconds(60)),
            (200, ["RateLimit": "\"burst\";r=0;t=2,\"day\";r=9;t=60"], .seconds(2)),
            (200, ["RateLimit": "default;pk=:cGsK:;r=0; t=5"], .seconds(5)),
            (200, ["RateLimit": "\"default\";r=0"], nil), (200, ["RateLimit": "\"default;r=0;t=30"], nil),
            (200, ["RateLimit": "\"default\";r=0;t=30 x"], nil), (200, ["RateLimit": "\"default\";r=-1;t=30"], nil),
            (200, ["RateLimit": ""], nil), (200, ["RateLimit": ";"], nil),
            (200, ["RateLimit-Remaining": "0", "RateLimit-Reset": "9"], .seconds(9)),
            (200, ["RateLimit-Remaining": "1", "RateLimit-Reset": "9"], nil),
            (200, ["RateLimit-Remaining": "0"], nil),
            (200, ["RateLimit-Remaining": "0", "RateLimit-Reset": "-9"], nil),
        ]
        for row in rows {
            let head = HTTPResponse.Head(status: row.status, headers: row.headers, url: try .test())
            XCTAssertEqual(ServerLimit.hold(head, now: now), row.hold, "\(row.headers.map(\.value))")
        }
    }
}
