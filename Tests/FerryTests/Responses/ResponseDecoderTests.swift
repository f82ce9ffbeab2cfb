import Ferry
import Foundation
import XCTest

final class ResponseDecoderTests: XCTestCase {
    private struct Item: Decodable, Equatable {
        let id: Int
    }

    private func head(_ status: Int = 200, _ headers: HTTPHeaders = [:]) throws -> HTTPResponse.Head {
        HTTPResponse.Head(
            status: HTTPStatus(status), headers: headers, url: try XCTUnwrap(URL(string: "https://example.test/a")))
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type, _ head: HTTPResponse.Head, _ body: String = "", keyPath: JSONKeyPath? = nil,
        fallback: Value? = nil
    ) throws(NetworkError) -> Value {
        try ResponseDecoder.decode(
            type, head: head, body: Data(body.utf8), keyPath: keyPath, decoder: JSONDecoder(), fallback: fallback)
    }

    private func failure<Value: Decodable>(
        _ type: Value.Type, _ head: HTTPResponse.Head, _ body: String, keyPath: JSONKeyPath? = nil,
        line: UInt = #line
    ) -> NetworkError? {
        do throws(NetworkError) {
            let value = try decode(type, head, body, keyPath: keyPath)
            XCTFail("no error but \(value)", line: line)
            return nil
        } catch {
            return error
        }
    }

    func testDEC01_noContent() throws {
        let row = try ConformanceCase.load("DEC-01", area: "decode")
        let head = try head(try XCTUnwrap(row.input["response"]["status"].int))
        XCTAssertEqual(try decode(Nothing.self, head), Nothing())
        XCTAssertNil(try decode(Item?.self, head))
        let error = try XCTUnwrap(failure(Item.self, head, ""))
        XCTAssertEqual(error.kind, .emptyBody)
        XCTAssertEqual(error.status, 204)
    }

    func testDEC03_headWithContentLength() throws {
        let row = try ConformanceCase.load("DEC-03", area: "decode")
        let length = try XCTUnwrap(row.input["response"]["headers"]["Content-Length"].string)
        let head = try head(
            try XCTUnwrap(row.input["response"]["status"].int),
            ["Content-Length": length, "Content-Type": "application/json"])
        XCTAssertEqual(try decode(Data.self, head).count, row.expected["body_bytes"].int)
        XCTAssertEqual(try decode(Nothing.self, head), Nothing())
        XCTAssertNil(try decode(Item?.self, head))
        XCTAssertEqual(head.headers["content-length"], row.expected["content_length_header"].string)
    }

    func testDecode_emptyBodies() throws {
        for (status, body) in [(200, ""), (200, " \r\n\t"), (204, ""), (205, ""), (205, "{}"), (304, "")] {
            let head = try head(status)
            XCTAssertNil(try decode(Item?.self, head, body))
            XCTAssertNil(try decode(Item?.self, head, body, keyPath: "a.b"))
            XCTAssertNil(try decode(JSON?.self, head, body))
            XCTAssertTrue(try decode(Item??.self, head, body) == nil)
            XCTAssertEqual(try decode(Nothing.self, head, body), Nothing())
            for error in [
                failure(Item.self, head, body), failure([Item].self, head, body), failure(Int.self, head, body),
                failure(JSON.self, head, body), failure(Item.self, head, body, keyPath: "a"),
            ] {
                XCTAssertEqual(error?.kind, .emptyBody)
                XCTAssertEqual(error?.status?.code, status)
                XCTAssertEqual(error?.body, Data(body.utf8))
            }
        }
    }

    func testDecode_nothing_takesAnything() throws {
        for body in ["", "OK", "<html>", "null", "[1", "{}"] {
            XCTAssertEqual(try decode(Nothing.self, try head(), body), Nothing())
            XCTAssertEqual(try decode(Nothing.self, try head(), body, keyPath: "a.b"), Nothing())
        }
        XCTAssertEqual(try JSONDecoder().decode([Nothing].self, from: Data("[1,{},null]".utf8)).count, 3)
        XCTAssertEqual(String(decoding: try JSONEncoder().encode(Nothing()), as: UTF8.self), "{}")
    }

    func testDecode_dataAndString_areTheBodyItself() throws {
        let head = try head(200, ["Content-Type": "text/plain; charset=iso-8859-1"])
        XCTAssertEqual(try decode(Data.self, head, #"{"a":1}"#), Data(#"{"a":1}"#.utf8))
        XCTAssertEqual(try decode(Data.self, head), Data())
        XCTAssertNil(try decode(Data?.self, head))
        XCTAssertEqual(try decode(Data?.self, head, "x"), Data("x".utf8))
        XCTAssertEqual(try decode(String.self, head, "é"), "Ã©")
        XCTAssertEqual(try decode(String.self, head), "")
        XCTAssertEqual(try decode(String.self, head, " "), " ")
        XCTAssertNil(try decode(String?.self, head))
        XCTAssertEqual(try decode(String?.self, head, "x"), "x")
    }

    func testDecode_dataAndString_atAKeyPath_areJSON() throws {
        XCTAssertEqual(try decode(String.self, try head(), #"{"a":"x"}"#, keyPath: "a"), "x")
        XCTAssertEqual(try decode(String.self, try head(), #""x""#, keyPath: ""), "x")
        XCTAssertEqual(try decode(Data.self, try head(), #"{"a":"AQI="}"#, keyPath: "a"), Data([1, 2]))
    }

    func testDecode_scalarsAtTheTop() throws {
        XCTAssertEqual(try decode(Int.self, try head(), "42"), 42)
        XCTAssertEqual(try decode(Bool.self, try head(), " true "), true)
        XCTAssertNil(try decode(Int?.self, try head(), "null"))
        XCTAssertEqual(try failure(Int.self, head(), "null")?.kind, .decoding)
    }

    /// RFC 8259 §8.1: a parser may ignore a byte order mark.
    func testDecode_byteOrderMarkAndOtherUnicodeEncodings() throws {
        XCTAssertEqual(try decode(Item.self, try head(), "\u{FEFF}{\"id\":1}"), Item(id: 1))
        XCTAssertNil(try decode(Item?.self, try head(), "\u{FEFF} \n"))
        XCTAssertEqual(try failure(Item.self, head(), "\u{FEFF}")?.kind, .emptyBody)
        for encoding: String.Encoding in [.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] {
            let body = try XCTUnwrap(#"{"id":1}"#.data(using: encoding))
            let item: Item = try ResponseDecoder.decode(head: try head(), body: body, decoder: JSONDecoder())
            XCTAssertEqual(item, Item(id: 1))
        }
    }

    func testDecode_truncatedJSON_keepsTheResponse() throws {
        let whole = #"{"id":12345,"x":[1,{"y":"z"}]}"#
        for length in 1..<whole.utf8.count {
            let body = String(decoding: Array(whole.utf8.prefix(length)), as: UTF8.self)
            let error = try XCTUnwrap(failure(Item.self, try head(206, ["Content-Type": "application/json"]), body))
            XCTAssertEqual(error.kind, .decoding)
            XCTAssertEqual(error.status, 206)
            XCTAssertEqual(error.body, Data(body.utf8))
            XCTAssertFalse(error.isBodyTruncated)
        }
    }

    func testDecode_captivePortal_namesTheContentType() throws {
        let error = try XCTUnwrap(
            failure(Item.self, try head(200, ["Content-Type": "text/html; charset=utf-8"]), "<html>secret</html>"))
        XCTAssertEqual(error.kind, .decoding)
        XCTAssertTrue(error.message.contains("text/html"), error.message)
        XCTAssertFalse("\(error)".contains("secret"))
    }

    func testDecode_keepsABoundedBody() throws {
        let body = String(repeating: "x", count: NetworkError.bodyLimit + 1)
        let error = try XCTUnwrap(failure(Item.self, try head(), body))
        XCTAssertEqual(error.body?.count, NetworkError.bodyLimit)
        XCTAssertTrue(error.isBodyTruncated)
    }

    func testDecode_messageShowsNoValue() throws {
        struct Choice: Decodable {
            enum Color: String, Decodable { case red }
            let color: Color
        }
        let error = try XCTUnwrap(failure(Choice.self, try head(), #"{"color":"secret"}"#))
        XCTAssertEqual(error.codingPath, "color")
        XCTAssertFalse(error.message.contains("secret"), error.message)
        XCTAssertFalse(String(reflecting: error).contains("secret"))
    }

    func testFallback_onlyForDecodeFailures() throws {
        let item = Item(id: 0)
        XCTAssertEqual(try decode(Item.self, try head(), "[", fallback: item), item)
        XCTAssertEqual(try decode(Item.self, try head(204), fallback: item), item)
        XCTAssertEqual(try decode(Item.self, try head(), "{}", keyPath: "a", fallback: item), item)
        XCTAssertEqual(try decode(Item.self, try head(), #"{"id":3}"#, fallback: item), Item(id: 3))
        XCTAssertThrowsError(try decode(Item.self, try head(), "{}", keyPath: "a..b", fallback: item)) {
            XCTAssertEqual(($0 as? NetworkError)?.kind, .invalidRequest)
        }
    }
}
