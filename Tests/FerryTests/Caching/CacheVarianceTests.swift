import Ferry
import Foundation
import XCTest

final class CacheVarianceTests: XCTestCase {
    private static let matching: [(section: String, vary: [String], stored: HTTPHeaders, new: HTTPHeaders, Bool)] = [
        ("4.1", [], [:], ["Accept": "text/html"], true),
        ("4.1", ["Accept-Language"], ["Accept-Language": "en"], ["Accept-Language": "en"], true),
        ("4.1", ["Accept-Language"], ["Accept-Language": "en"], ["Accept-Language": "fr"], false),
        ("4.1", ["Accept-Language"], ["Accept-Language": "en"], [:], false),
        ("4.1", ["Accept-Language"], [:], ["Accept-Language": "en"], false),
        ("4.1", ["Accept-Language"], [:], [:], true),
        ("4.1", ["Accept-Language"], ["Accept-Language": ""], [:], false),
        ("4.1", ["accept-LANGUAGE"], ["Accept-Language": "en"], ["ACCEPT-language": "en"], true),
        (
            "4.1", ["Accept, Accept-Language"], ["Accept": "a", "Accept-Language": "en"],
            ["Accept-Language": "en", "Accept": "a"], true
        ),
        (
            "4.1", ["Accept, Accept-Language"], ["Accept": "a", "Accept-Language": "en"],
            ["Accept": "b", "Accept-Language": "en"], false
        ),
        (
            "4.1", ["Accept", "Accept-Language"], ["Accept": "a", "Accept-Language": "en"],
            ["Accept": "a", "Accept-Language": "fr"], false
        ),
        ("4.1 white space", ["Accept"], ["Accept": "a, b"], ["Accept": "a,b"], true),
        ("4.1 white space", ["Accept"], ["Accept": "a ,\t b"], ["Accept": " a, b "], true),
        ("4.1 white space", ["User-Agent"], ["User-Agent": "a  b"], ["User-Agent": "a b"], false),
        ("4.1 quoted", ["X-A"], ["X-A": "\"a, b\""], ["X-A": "\"a,b\""], false),
        ("4.1 combined lines", ["Accept"], ["Accept": "a", "accept": "b"], ["Accept": "a, b"], true),
        ("4.1 order", ["Accept"], ["Accept": "a, b"], ["Accept": "b, a"], false),
        ("4.1 case", ["Accept"], ["Accept": "Text/html"], ["Accept": "text/html"], false),
        ("3.5 credential", [], ["Authorization": "Bearer a"], ["Authorization": "Bearer a"], true),
        ("3.5 credential", [], ["Authorization": "Bearer a"], ["Authorization": "Bearer b"], false),
        ("3.5 credential", [], ["Authorization": "Bearer a"], [:], false),
        ("3.5 credential", [], [:], ["Authorization": "Bearer a"], false),
        ("3.5 credential", [], ["X-API-Key": "a"], ["x-api-key": "b"], false),
        ("4.1 cookie", ["Cookie"], ["Cookie": "a=1"], ["Cookie": "a=2"], false),
        ("4.1 cookie", [], ["Cookie": "a=1"], ["Cookie": "a=2"], true),
    ]

    private func varying(_ headers: HTTPHeaders, _ method: HTTPMethod = .get, body: RequestBody = .none) throws
        -> VaryingRequest
    {
        let request = HTTPRequest(method: method, url: try .test(), headers: headers, body: body)
        return VaryingRequest(request, asked: request, credentialFields: [], method: method)
    }

    func testMatching() throws {
        for (section, vary, stored, new, expected) in Self.matching {
            let headers = HTTPHeaders(vary.map { HTTPHeaders.Field(name: "Vary", value: $0) })
            let variance = try XCTUnwrap(CacheVariance(headers: headers, request: try varying(stored)))
            XCTAssertEqual(
                variance.matches(try varying(new)), expected,
                "\(section): \(vary) \(stored.fields.map(\.value)) \(new.fields.map(\.value))")
        }
    }

    private static let never: [(section: String, vary: String)] = [
        ("4.1", "*"), ("4.1", "Accept, *"), ("4.1", "*,"), ("4.1", "Accept;q=1"), ("4.1", "Accept Language"),
    ]

    func testStarAndMalformed_neverMatch() throws {
        for row in Self.never {
            XCTAssertNil(
                CacheVariance(headers: ["Vary": row.vary], request: try varying([:])), "\(row.section): \(row.vary)")
        }
    }

    func testContent_selectsAmongQueries() throws {
        let stored = try XCTUnwrap(
            CacheVariance(headers: [:], request: try varying([:], "QUERY", body: .text("a"))))
        XCTAssert(stored.matches(try varying([:], "QUERY", body: .text("a"))))
        XCTAssertFalse(stored.matches(try varying([:], "QUERY", body: .text("b"))))
        XCTAssertFalse(stored.matches(try varying([:], .post, body: .text("a"))))
        XCTAssertFalse(stored.matches(try varying([:])))
    }

    func testSelect_mostRecentByDateAndRatherOneWithVary() throws {
        let request = try varying(["Accept": "a"])
        let old = try CacheEntry.Head.row(
            ["Vary": "Accept", "Date": "Wed, 31 Dec 2025 00:00:00 GMT"], request: ["Accept": "a"], after: 9)
        let new = try CacheEntry.Head.row(
            ["Vary": "Accept, X-A", "Date": "Wed, 31 Dec 2025 01:00:00 GMT"], request: ["Accept": "a"])
        let plain = try CacheEntry.Head.row(["Date": "Wed, 31 Dec 2025 09:00:00 GMT"])
        let other = try CacheEntry.Head.row(["Vary": "Accept"], request: ["Accept": "b"])
        XCTAssertEqual(
            CacheEntry.Head.select([old, new, plain, other], for: request), new, "4: the most recent by Date")
        XCTAssertEqual(CacheEntry.Head.select([plain, old], for: request), old, "4.1: Vary left out by mistake")
        XCTAssertEqual(CacheEntry.Head.select([plain, other], for: request), plain)
        XCTAssertNil(CacheEntry.Head.select([other], for: request))
    }

    func testDigest_isSHA256() {
        XCTAssertEqual(
            KeyDigest.hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "FIPS 180-4")
        XCTAssertEqual(KeyDigest.hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        XCTAssertEqual(
            KeyDigest.hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        XCTAssertEqual(
            KeyDigest.hex(String(repeating: "a", count: 64)),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb")
    }

    static var rowCount: Int { matching.count + never.count }
}
