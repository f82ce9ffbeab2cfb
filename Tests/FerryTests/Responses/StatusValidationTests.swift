import Ferry
import Foundation
import XCTest

final class StatusValidationTests: XCTestCase {
    private func failure(_ validation: StatusValidation, _ status: Int, _ body: String = "") throws -> NetworkError? {
        let url = try XCTUnwrap(URL(string: "https://example.test/a"))
        do throws(NetworkError) {
            try validation.validate(
                head: HTTPResponse.Head(status: HTTPStatus(status), url: url), body: Data(body.utf8),
                errorMessageKeyPath: "message", decoder: JSONDecoder())
            return nil
        } catch {
            return error
        }
    }

    func testValidation_statuses() throws {
        let rows: [(StatusValidation, accepted: [Int], refused: [Int])] = [
            (.success, [200, 204, 206, 299], [100, 199, 300, 304, 400, 401, 500, 0, 999]),
            (.any, [100, 200, 304, 404, 500, 999], []),
            (.statuses(200..<400), [200, 304, 399], [199, 400]),
            (.statuses(200...200), [200], [201]),
            (.statuses(300..<300), [], [299, 300]),
            (.statuses([200, 404]), [200, 404], [201, 403]),
            (.statuses([.ok, .notModified]), [200, 304], [302]),
        ]
        for (validation, accepted, refused) in rows {
            XCTAssertFalse(validation.needsBody)
            for status in accepted { XCTAssertNil(try failure(validation, status), "\(status)") }
            for status in refused { XCTAssertNotNil(try failure(validation, status), "\(status)") }
        }
        XCTAssertEqual(try failure(.success, 304)?.kind, .status)
        XCTAssertEqual(try failure(.statuses([404]), 200)?.kind, .status)
    }

    func testValidation_custom_anyErrorBecomesValidation() throws {
        struct Refused: Error {}
        let validation = StatusValidation.custom { head, body in
            if head.status == 200, body.starts(with: Data("{\"ok\":false".utf8)) { throw Refused() }
        }
        XCTAssertTrue(validation.needsBody)
        XCTAssertNil(validation.accepts(200))
        XCTAssertNil(try failure(validation, 500))
        let error = try XCTUnwrap(try failure(validation, 200, #"{"ok":false,"message":"no"}"#))
        XCTAssertEqual(error.kind, .validation)
        XCTAssertTrue(error.underlyingError is Refused)
        XCTAssertEqual(error.status, 200)
        XCTAssertEqual(error.serverMessage, "no")
    }

    func testValidation_custom_networkErrorPassesThrough() throws {
        let validation = StatusValidation.custom { _, _ in throw NetworkError(.init(rawValue: "quota"), "Too much") }
        let error = try XCTUnwrap(try failure(validation, 200, #"{"message":"no"}"#))
        XCTAssertEqual(error.kind.rawValue, "quota")
        XCTAssertEqual(error.message, "Too much")
        XCTAssertEqual(error.status, 200)
        XCTAssertEqual(error.serverMessage, "no")
        XCTAssertNil(error.underlyingError)
    }
}
