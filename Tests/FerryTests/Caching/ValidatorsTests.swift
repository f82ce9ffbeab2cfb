import Ferry
import Foundation
import XCTest

final class ValidatorsTests: XCTestCase {
    private static let day = "Wed, 31 Dec 2025 00:00:00 GMT"
    private static let later = "Wed, 31 Dec 2025 12:00:00 GMT"

    /// Fields of the stored response, of the 304, and whether it confirms the stored one.
    private static let confirming: [(section: String, stored: HTTPHeaders, new: HTTPHeaders, Bool)] = [
        ("4.3.4 strong", ["ETag": "\"v1\""], ["ETag": "\"v1\""], true),
        ("4.3.4 strong", ["ETag": "\"v1\""], ["ETag": "\"v2\""], false),
        ("4.3.4 strong", ["ETag": "W/\"v1\""], ["ETag": "\"v1\""], false),
        ("4.3.4 strong", ["Last-Modified": day], ["ETag": "\"v1\"", "Last-Modified": day], false),
        ("4.3.4 weak", ["ETag": "W/\"v1\""], ["ETag": "W/\"v1\""], true),
        ("4.3.4 weak", ["ETag": "\"v1\""], ["ETag": "W/\"v1\""], true),
        ("4.3.4 weak", ["ETag": "W/\"v1\""], ["ETag": "W/\"v2\""], false),
        ("4.3.4 weak", ["Last-Modified": day], ["Last-Modified": day], true),
        ("4.3.4 weak", ["Last-Modified": day], ["Last-Modified": later], false),
        ("4.3.4 weak", ["ETag": "\"v1\""], ["Last-Modified": day], false),
        ("4.3.4 weak", ["ETag": "\"v1\"", "Last-Modified": day], ["Last-Modified": day], true),
        ("4.3.4 none", ["ETag": "\"v1\""], [:], true),
        ("RFC 9110 8.8.3 case", ["ETag": "\"v1\""], ["ETag": "\"V1\""], false),
    ]

    func testConfirming() {
        for (section, stored, new, expected) in Self.confirming {
            XCTAssertEqual(
                Validators(stored).areConfirmed(by: Validators(new)), expected,
                "\(section): \(stored.fields.map(\.value)) \(new.fields.map(\.value))")
        }
    }

    /// Fields of the stored response, and the conditions of the request.
    private static let conditions: [(section: String, stored: HTTPHeaders, HTTPHeaders?)] = [
        ("4.3.1", ["ETag": "\"v1\""], ["If-None-Match": "\"v1\""]),
        ("4.3.1", ["ETag": "W/\"v1\""], ["If-None-Match": "W/\"v1\""]),
        ("4.3.1", ["Last-Modified": day], ["If-Modified-Since": day]),
        ("4.3.1", ["ETag": "\"v1\"", "Last-Modified": day], ["If-None-Match": "\"v1\"", "If-Modified-Since": day]),
        ("4.3.1", [:], nil),
        ("RFC 9110 8.8.3", ["ETag": "v1"], nil),
        ("RFC 9110 8.8.3", ["ETag": "w/\"v1\""], nil),
        ("RFC 9110 8.8.3", ["ETag": "\"a\"b\""], nil),
        ("RFC 9110 8.8.3", ["ETag": "\""], nil),
        ("RFC 9110 8.8.3", ["ETag": "\"\""], ["If-None-Match": "\"\""]),
    ]

    func testConditions() throws {
        for (section, stored, expected) in Self.conditions {
            let request = Validators(stored).conditional(HTTPRequest(url: try .test()))
            XCTAssertEqual(request?.headers, expected, "\(section): \(stored.fields.map(\.value))")
        }
    }

    /// Stored fields, those of the 304, and the result.
    private static let updates: [(section: String, stored: HTTPHeaders, new: HTTPHeaders, HTTPHeaders)] = [
        ("3.2", ["A": "1"], ["B": "2"], ["A": "1", "B": "2"]),
        ("3.2", ["A": "1", "A": "2"], ["a": "3"], ["a": "3"]),
        ("3.2", ["Cache-Control": "max-age=1"], ["Cache-Control": "max-age=60"], ["Cache-Control": "max-age=60"]),
        ("3.2", ["Content-Length": "9"], ["Content-Length": "0"], ["Content-Length": "9"]),
        ("3.2", ["Content-Encoding": "gzip"], ["Content-Encoding": "br"], ["Content-Encoding": "gzip"]),
        ("3.2", ["Content-Type": "a/b"], ["Content-Type": "c/d"], ["Content-Type": "c/d"]),
        ("3.2", [:], ["Content-Range": "bytes 0-1/2"], [:]),
        ("3.1", [:], ["Connection": "X-Hop", "X-Hop": "1", "X-End": "2"], ["X-End": "2"]),
        ("3.1", [:], ["Transfer-Encoding": "chunked", "Keep-Alive": "1", "Upgrade": "x", "TE": "y"], [:]),
        ("3.1", [:], ["Proxy-Authenticate": "Basic", "Proxy-Connection": "close"], [:]),
        ("7.3", ["A": "1"], ["Set-Cookie": "a=1"], ["A": "1"]),
        ("4.2.3", ["Age": "50", "A": "1"], ["B": "2"], ["A": "1", "B": "2"]),
        ("4.2.3", ["Age": "50"], ["Age": "3"], ["Age": "3"]),
    ]

    func testUpdates() {
        for (section, stored, new, expected) in Self.updates {
            XCTAssertEqual(StoredFields.updated(stored, by: new), expected, "\(section): \(new)")
        }
    }

    private static let heads: [(section: String, stored: HTTPHeaders, new: HTTPHeaders, Bool)] = [
        ("4.3.5", ["ETag": "\"v1\""], ["ETag": "\"v1\""], true),
        ("4.3.5", ["ETag": "\"v1\""], ["ETag": "\"v2\""], false),
        ("4.3.5", [:], ["ETag": "\"v2\""], false),
        ("4.3.5", ["Last-Modified": day], ["Last-Modified": later], false),
        ("4.3.5", ["Content-Length": "3"], ["Content-Length": "4"], false),
        ("4.3.5", ["Content-Length": "3"], ["Content-Length": "3"], true),
        ("4.3.5", ["ETag": "\"v1\"", "Content-Length": "3"], [:], true),
    ]

    func testHead_describesTheStoredResponse() {
        for (section, stored, new, expected) in Self.heads {
            XCTAssertEqual(
                Validators.describesSame(stored, new), expected,
                "\(section): \(stored.fields.map(\.value)) \(new.fields.map(\.value))")
        }
    }

    static var rowCount: Int { confirming.count + conditions.count + updates.count + heads.count }
}
