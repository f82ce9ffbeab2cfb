import Ferry
import Foundation
import XCTest

final class InvalidationTests: XCTestCase {
    private struct Row {
        let section: String
        var method: HTTPMethod = .post
        var status: HTTPStatus = 200
        var headers: HTTPHeaders = [:]
        let urls: [String]
    }

    private static let target = "https://api.example/items/1"

    private static let rows: [Row] = [
        Row(section: "4.4", urls: [target]),
        Row(section: "4.4", method: .put, status: 204, urls: [target]),
        Row(section: "4.4", method: .delete, urls: [target]),
        Row(section: "4.4", method: .patch, urls: [target]),
        Row(section: "4.4", method: "PURGE", urls: [target]),
        Row(section: "4.4", status: 303, urls: [target]),
        Row(section: "4.4 safe", method: .options, urls: []),
        Row(section: "4.4 error", status: 400, urls: []),
        Row(section: "4.4 error", status: 500, urls: []),
        Row(section: "4.4", headers: ["Location": "/items/2"], urls: [target, "https://api.example/items/2"]),
        Row(section: "4.4", headers: ["Location": "2#top"], urls: [target, "https://api.example/items/2"]),
        Row(
            section: "4.4", headers: ["Content-Location": "https://API.example:443/items/3"],
            urls: [target, "https://API.example:443/items/3"]),
        Row(
            section: "4.4", headers: ["Location": "/a", "Content-Location": "/b"],
            urls: [target, "https://api.example/a", "https://api.example/b"]),
        Row(section: "4.4 other origin", headers: ["Location": "https://other.example/items"], urls: [target]),
        Row(section: "4.4 other origin", headers: ["Location": "http://api.example/items"], urls: [target]),
        Row(
            section: "4.4 other origin", headers: ["Content-Location": "https://api.example:8443/items"], urls: [target]
        ),
        Row(section: "4.4 same", headers: ["Location": "/items/1"], urls: [target]),
    ]

    func testURLs() throws {
        for row in Self.rows {
            let request = HTTPRequest(method: row.method, url: try .test(Self.target))
            XCTAssertEqual(
                Invalidation.urls(after: request, status: row.status, headers: row.headers).map(\.absoluteString),
                row.urls, "\(row.section): \(row.method) \(row.status) \(row.headers.fields.map(\.value))")
        }
    }

    func testLog_refusesWhatBeganBefore() throws {
        let one = CacheKey(try .test("https://a.example/1"))
        let two = CacheKey(try .test("https://a.example/2"))
        var log = InvalidationLog(limit: 1)
        log.invalidated(one)
        XCTAssertFalse(log.mayStore(one, begun: 0))
        XCTAssert(log.mayStore(one, begun: 1))
        XCTAssert(log.mayStore(two, begun: 0))
        log.invalidated(two)
        XCTAssertFalse(log.mayStore(one, begun: 1), "what is forgotten counts as invalidated")
        XCTAssert(log.mayStore(one, begun: 2))
    }

    static var rowCount: Int { rows.count }
}
