import Ferry
import Foundation
import XCTest

/// The moment at which responses of the tables come: Thu, 01 Jan 2026 00:00:00 GMT.
let cacheEpoch = Date(timeIntervalSince1970: 1_767_225_600)

extension CacheEntry.Head {
    /// A stored response of the tables, received at `cacheEpoch` plus `after` seconds.
    static func row(
        _ headers: HTTPHeaders, status: HTTPStatus = 200, url: String = "https://api.example/items",
        request: HTTPHeaders = [:], after: Double = 0, byteCount: Int = 0
    ) throws -> CacheEntry.Head {
        let url = try URL.test(url)
        let asked = HTTPRequest(url: url, headers: request)
        let varying = VaryingRequest(asked, asked: asked, credentialFields: [], method: .get)
        return CacheEntry.Head(
            url: url, key: CacheKey(url),
            variance: CacheVariance(headers: headers, request: varying)
                ?? CacheVariance(fields: [], credential: "", target: ""),
            status: status, headers: headers, requestDate: cacheEpoch.addingTimeInterval(after),
            responseDate: cacheEpoch.addingTimeInterval(after), byteCount: byteCount)
    }
}

extension CacheEntry {
    /// An entry of the store's tests.
    static func test(_ url: String, _ body: String, headers: HTTPHeaders = [:]) throws -> CacheEntry {
        CacheEntry(head: try .row(headers, url: url, byteCount: body.utf8.count), body: Data(body.utf8))
    }
}

/// Takes the first of what is stored.
@Sendable func anyVariant(_ heads: [CacheEntry.Head]) -> String? { heads.first?.id }
