import Ferry
import Foundation
import XCTest

final class ContentTypeValidationTests: XCTestCase {
    private func kind(
        _ validation: ContentTypeValidation, _ contentType: String?, status: Int = 200, body: String = "{}"
    ) throws -> NetworkError.Kind? {
        var headers: HTTPHeaders = [:]
        headers["Content-Type"] = contentType
        let url = try XCTUnwrap(URL(string: "https://example.test/a"))
        do throws(NetworkError) {
            try validation.validate(
                head: HTTPResponse.Head(status: HTTPStatus(status), headers: headers, url: url),
                body: Data(body.utf8), decoder: JSONDecoder())
            return nil
        } catch {
            XCTAssertEqual(error.status?.code, status)
            XCTAssertEqual(error.body, Data(body.utf8))
            return error.kind
        }
    }

    func testMIME01_jsonTypes() throws {
        let row = try ConformanceCase.load("MIME-01", area: "mime")
        let types = row.input["content_types"].strings
        let expected = row.expected["is_json"].array.compactMap(\.bool)
        XCTAssertEqual(types.count, expected.count)
        for (type, isJSON) in zip(types, expected) {
            XCTAssertEqual(MediaType(type)?.isJSON, isJSON, type)
            for body in ["{}", ""] {
                XCTAssertEqual(try kind(.json, type, body: body), isJSON ? nil : .contentType, type)
            }
        }
    }

    func testValidation_json_moreTypes() throws {
        let rows: [(String, Bool)] = [
            ("APPLICATION/VND.API+JSON;profile=\"a;b\"", true), ("application/json;", true),
            (" application/json ", true), ("application/geo+json", true), ("image/svg+json", true),
            ("application/ld+json; charset=\"UTF-8\"", true), ("text/json", true),
            ("application/x-ndjson", false), ("application/json5", false), ("application/javascript", false),
            ("text/html", false), ("application/xml+jsonx", false), ("json", false), ("", false),
            ("application/", false), ("application/json/x", false), ("image/json", false), ("text/plain+json", true),
        ]
        for (type, isAccepted) in rows {
            XCTAssertEqual(try kind(.json, type), isAccepted ? nil : .contentType, type)
        }
    }

    func testValidation_ranges() throws {
        let image = try XCTUnwrap(MediaType("image/*"))
        let validation = ContentTypeValidation.types([image, .html])
        XCTAssertNil(try kind(validation, "image/PNG"))
        XCTAssertNil(try kind(validation, "text/html; charset=utf-8"))
        XCTAssertEqual(try kind(validation, "text/plain"), .contentType)
        XCTAssertEqual(try kind(validation, "application/json"), .contentType)
        XCTAssertNil(try kind(.types([try XCTUnwrap(MediaType("*/*"))]), "a/b"))
        XCTAssertEqual(try kind(.types([.problem]), "application/json"), .contentType)
    }

    /// RFC 9110 §8.3: without the field the recipient may examine the data.
    func testValidation_missingContentType() throws {
        XCTAssertNil(try kind(.json, nil))
        let strict = ContentTypeValidation([.json], requiresContentType: true)
        XCTAssertEqual(try kind(strict, nil), .contentType)
        XCTAssertNil(try kind(strict, nil, body: ""))
        XCTAssertNil(try kind(strict, nil, status: 204, body: ""))
    }

    func testValidation_statusWithoutContent_isNotChecked() throws {
        for status in [204, 205, 304] { XCTAssertNil(try kind(.json, "text/html", status: status, body: "")) }
        XCTAssertEqual(try kind(.json, "text/html", status: 200, body: ""), .contentType)
    }
}
