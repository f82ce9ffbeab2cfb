import Ferry
import Foundation
import XCTest

final class ErrorResponseTests: XCTestCase {
    private func error(
        _ status: Int, _ contentType: String? = "application/json", _ body: String = "", path: JSONKeyPath? = nil
    ) throws -> NetworkError {
        var headers: HTTPHeaders = [:]
        headers["Content-Type"] = contentType
        let url = try XCTUnwrap(URL(string: "https://example.test/a"))
        return ErrorResponse.error(
            head: HTTPResponse.Head(status: HTTPStatus(status), headers: headers, url: url),
            body: Data(body.utf8), errorMessageKeyPath: path, decoder: JSONDecoder())
    }

    func testDEC06_htmlErrorPage_keepsTheStatus() throws {
        let row = try ConformanceCase.load("DEC-06", area: "error-mapping")
        let response = row.input["response"]
        let body = try XCTUnwrap(response["body"].string)
        let error = try error(
            try XCTUnwrap(response["status"].int), response["headers"]["Content-Type"].string, body, path: "message")
        XCTAssertEqual(error.kind, .server)
        XCTAssertEqual(error.status?.code, row.expected["status"].int)
        XCTAssertEqual(error.body.map { String(decoding: $0, as: UTF8.self) }, row.expected["body"].string)
        XCTAssertNil(error.serverMessage)
    }

    func testError_kindByStatus() throws {
        let rows: [(Int, NetworkError.Kind)] = [
            (400, .client), (401, .authentication), (403, .authentication), (404, .client), (407, .client),
            (499, .client), (500, .server), (503, .server), (599, .server), (304, .status), (302, .status),
            (101, .status), (200, .status), (600, .status), (999, .status),
        ]
        for (status, kind) in rows {
            XCTAssertEqual(try error(status).kind, kind, "\(status)")
        }
        XCTAssertEqual(try error(404).message, "The server answered 404 Not Found")
    }

    func testError_serverMessage() throws {
        let rows: [(String, JSONKeyPath, String?)] = [
            (#"{"message":"no"}"#, "message", "no"),
            (#"{"error":{"text":"no"}}"#, "error.text", "no"),
            (#"{"errors":[{"m":"first"}]}"#, "errors.0.m", "first"),
            (#"{"code":42}"#, "code", "42"),
            (#"{"errors":["a","b",3,null,{}]}"#, "errors", "a, b, 3"),
            (#"{"message":null}"#, "message", nil),
            (#"{"message":{}}"#, "message", nil),
            (#"{"message":true}"#, "message", nil),
            (#"{"message":" "}"#, "message", nil),
            (#"{"errors":[]}"#, "errors", nil),
            (#"{"other":1}"#, "message", nil),
            (#"{"message":"no"}"#, "a..b", nil),
            (#""plain""#, "", "plain"),
            ("<html>", "message", nil),
            ("", "message", nil),
            (#"{"message":"n"#, "message", nil),
        ]
        for (body, path, message) in rows {
            XCTAssertEqual(try error(400, "application/json", body, path: path).serverMessage, message, body)
        }
    }

    /// RFC 9457 §3.
    func testError_problemDetails() throws {
        let body = #"{"type":"https://e.x/p","title":"Out of credit","status":403,"detail":"30 short","instance":"/a"}"#
        for type in ["application/problem+json", "Application/Problem+JSON; charset=utf-8"] {
            let error = try error(403, type, body)
            XCTAssertEqual(error.problem?.title, "Out of credit")
            XCTAssertEqual(error.problem?.detail, "30 short")
            XCTAssertEqual(error.serverMessage, "30 short")
        }
        let named = try error(403, "application/problem+json", body, path: "instance")
        XCTAssertEqual(named.serverMessage, "/a")
        XCTAssertEqual(try error(403, "application/problem+json", #"{"title":"T"}"#).serverMessage, "T")
        for blank in ["", " \\n"] {
            let body = #"{"title":"T","detail":"\#(blank)"}"#
            XCTAssertEqual(try error(403, "application/problem+json", body).serverMessage, "T")
            XCTAssertNil(try error(403, "application/problem+json", #"{"title":"\#(blank)"}"#).serverMessage)
        }
        XCTAssertNil(try error(403, "application/json", body).problem)
        XCTAssertNil(try error(403, "application/json", body).serverMessage)
        XCTAssertNil(try error(403, "application/problem+json", "oops").problem)
    }

    func testError_bodyIsBounded() throws {
        let whole = String(repeating: "a", count: NetworkError.bodyLimit)
        XCTAssertEqual(try error(500, nil, whole).body?.count, NetworkError.bodyLimit)
        XCTAssertFalse(try error(500, nil, whole).isBodyTruncated)
        let cut = try error(500, nil, whole + "b")
        XCTAssertEqual(cut.body?.count, NetworkError.bodyLimit)
        XCTAssertTrue(cut.isBodyTruncated)
    }
}
