import Foundation
import XCTest

@testable import Ferry

final class HTTPMessageTests: XCTestCase {
    func testURL13_standardMethodsAreUpperCase() throws {
        let row = try ConformanceCase.load("URL-13", area: "method")
        XCTAssertEqual(row.input["methods"].strings.map { HTTPMethod($0).rawValue }, row.expected["wire"].strings)
    }

    func testMethod_onlyASCIIIsUpperCased() {
        XCTAssertEqual(HTTPMethod("opt\u{131}ons").rawValue, "opt\u{131}ons")
        XCTAssertFalse(HTTPMethod("opt\u{131}ons").isValid)
        for bad in ["", "GET ", "GET\r\n", "G T", "GET/"] {
            XCTAssertFalse(HTTPMethod(bad).isValid, bad.debugDescription)
        }
    }

    /// RFC 9110 §9.2 and §9.3.
    func testMethod_properties() {
        let rows: [(HTTPMethod, safe: Bool, idempotent: Bool, body: Bool)] = [
            (.get, true, true, false), (.head, true, true, false), (.options, true, true, true),
            (.trace, true, true, false), (.put, false, true, true), (.delete, false, true, true),
            (.post, false, false, true), (.patch, false, false, true), ("PURGE", false, false, true),
        ]
        for (method, safe, idempotent, body) in rows {
            XCTAssertEqual(method.isSafe, safe, "\(method)")
            XCTAssertEqual(method.isIdempotent, idempotent, "\(method)")
            XCTAssertEqual(method.allowsBody, body, "\(method)")
        }
    }

    func testQRY11_bodyOnGetIsRefused() throws {
        let row = try ConformanceCase.load("QRY-11", area: "request")
        let url = try XCTUnwrap(URL(string: "https://api.example.test/"))
        let method = HTTPMethod(try XCTUnwrap(row.input["method"].string))
        let request = HTTPRequest(method: method, url: url, body: .json(["a": 1]))
        XCTAssertThrowsError(try request.validate()) {
            let error = $0 as? NetworkError
            XCTAssertEqual(error?.kind, .invalidRequest)
            XCTAssertTrue(error?.message.contains("GET") == true)
        }
        XCTAssertNoThrow(try HTTPRequest(method: method, url: url).validate())
        XCTAssertThrowsError(try HTTPRequest(method: .head, url: url, body: .data(Data())).validate())
        XCTAssertNoThrow(try HTTPRequest(method: .delete, url: url, body: .json(["a": 1])).validate())
    }

    func testRequest_validateTable() throws {
        func kind(_ url: String, _ headers: HTTPHeaders = [:]) throws -> NetworkError.Kind? {
            do throws(NetworkError) {
                try HTTPRequest(url: XCTUnwrapNetwork(URL(string: url)), headers: headers).validate()
                return nil
            } catch {
                return error.kind
            }
        }
        for url in ["ftp://h/", "/x", "https:///x", "http://h:99999/", "http://h:0/"] {
            XCTAssertEqual(try kind(url), .invalidURL, url)
        }
        XCTAssertNil(try kind("HTTP://H:80/"))
        let tunnel = HTTPRequest(method: "connect", url: try XCTUnwrap(URL(string: "http://h/")))
        XCTAssertThrowsError(try tunnel.validate()) { XCTAssertEqual(($0 as? NetworkError)?.kind, .invalidRequest) }
        for name in ["content-length", "Transfer-encoding", "HOST", "Connection", "upgrade", "te"] {
            XCTAssertEqual(try kind("http://h/", [name: "1"]), .invalidHeader, name)
        }
    }

    private func XCTUnwrapNetwork(_ url: URL?) throws(NetworkError) -> URL {
        guard let url else { throw NetworkError(.mock, "no URL") }
        return url
    }

    func testRequest_descriptionHidesSecrets() throws {
        let url = try XCTUnwrap(URL(string: "http://u:hunter2@[::1]:8080/p?k=hunter2#hunter2"))
        let request = HTTPRequest(method: .post, url: url, headers: ["A": "hunter2"], body: .text("hunter2"))
        XCTAssertEqual("\(request)", "POST http://[::1]:8080/p, 7 bytes")
        var dumped = ""
        dump(request, to: &dumped)
        XCTAssertFalse(dumped.contains("hunter2"), dumped)
    }

    func testStatus_categories() {
        let rows: [(HTTPStatus, HTTPStatus.Category)] = [
            (99, .other), (100, .informational), (199, .informational), (200, .success), (299, .success),
            (300, .redirection), (404, .clientError), (499, .clientError), (500, .serverError), (599, .serverError),
            (600, .other), (0, .other), (-1, .other),
        ]
        for (status, category) in rows { XCTAssertEqual(status.category, category, "\(status)") }
        XCTAssertEqual("\(HTTPStatus.notFound)", "404 Not Found")
        XCTAssertEqual("\(HTTPStatus(299))", "299")
        XCTAssertEqual([204, 304, 101, 205, 200].map { HTTPStatus($0).forbidsBody }, [true, true, true, false, false])
    }
}
