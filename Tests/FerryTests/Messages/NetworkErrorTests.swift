import Ferry
import Foundation
import XCTest

final class NetworkErrorTests: XCTestCase {
    private func error(
        _ kind: NetworkError.Kind, status: Int? = nil, body: String? = nil
    ) throws -> NetworkError {
        let url = try XCTUnwrap(URL(string: "https://u:pw-secret@example.test:8080/a/b?token=query-secret#frag-secret"))
        return NetworkError(kind, "It failed").with {
            $0.method = .post
            $0.url = url
            $0.response = status.map {
                HTTPResponse.Head(status: HTTPStatus($0), headers: ["X-Token": "header-secret"], url: url)
            }
            $0.body = body.map { Data($0.utf8) }
        }
    }

    func testDescription_showsWhatCanBeLogged() throws {
        let error = try error(.client, status: 404)
        XCTAssertEqual(
            error.description, "client [POST https://example.test:8080/a/b] 404 Not Found: It failed")
        XCTAssertEqual(NetworkError.cancelled.description, "cancelled: The call was cancelled")
    }

    func testDescription_leaksNothing() throws {
        struct Underlying: Error { let text = "underlying-secret" }
        let error = try error(.client, status: 404, body: "body-secret").with {
            $0.serverMessage = "message-secret"
            $0.underlying = Underlying()
            $0.problem = try? JSONDecoder().decode(ProblemDetails.self, from: Data(#"{"title":"problem-secret"}"#.utf8))
        }
        var dumped = ""
        dump(error, to: &dumped)
        var dumpedInside = ""
        dump(Result<Int, NetworkError>.failure(error), to: &dumpedInside)
        let texts = [
            "\(error)", String(describing: error), String(reflecting: error), dumped,
            dumpedInside, "\([error])", "\(Optional(error) as Any)", String(reflecting: error as any Error),
        ]
        for text in texts {
            XCTAssertFalse(text.contains("secret"), text)
            XCTAssertTrue(text.contains("404"), text)
        }
    }

    func testErrorDescription_isTheServersMessage() throws {
        XCTAssertEqual(NetworkError(.server, "Plain").localizedDescription, "Plain")
        let error = NetworkError(.server, "Plain").with { $0.serverMessage = "Sorry" }
        XCTAssertEqual(error.localizedDescription, "Sorry")
    }

    func testWith_leavesTheOriginal() throws {
        let original = NetworkError(.server, "A")
        let changed = original.with { $0.message = "B" }
        XCTAssertEqual(original.message, "A")
        XCTAssertEqual(changed.message, "B")
    }

    func testDescribing_namesTheFirstRequestOnly() throws {
        let first = HTTPRequest(method: .get, url: try XCTUnwrap(URL(string: "https://a.test/")))
        let second = HTTPRequest(method: .post, url: try XCTUnwrap(URL(string: "https://b.test/")))
        let error = NetworkError(.network, "x").describing(first).describing(second)
        XCTAssertEqual(error.method, .get)
        XCTAssertEqual(error.url, first.url)
    }

    func testQuestions_byStatus() throws {
        let rows: [(Int, KeyPath<NetworkError, Bool>)] = [
            (400, \.isBadRequest), (401, \.isUnauthorized), (403, \.isForbidden), (404, \.isNotFound),
            (409, \.isConflict), (422, \.isValidationProblem), (429, \.isRateLimited), (408, \.isTimeout),
            (504, \.isTimeout),
        ]
        for (status, question) in rows {
            XCTAssertTrue(try error(.client, status: status)[keyPath: question], "\(status)")
            XCTAssertFalse(try error(.client, status: 418)[keyPath: question], "\(status)")
            XCTAssertFalse(NetworkError(.client, "no response")[keyPath: question])
        }
    }

    func testQuestions_byKind() {
        XCTAssertTrue(NetworkError(.offline, "").isOffline)
        XCTAssertTrue(NetworkError(.timeout, "").isTimeout)
        XCTAssertTrue(NetworkError.cancelled.isCancelled)
        XCTAssertFalse(NetworkError.cancelled.isRetryable)
    }

    func testIsRetryable() throws {
        for status in [408, 425, 429, 500, 502, 503, 504] {
            XCTAssertTrue(try error(.server, status: status).isRetryable, "\(status)")
        }
        for status in [304, 400, 401, 403, 404, 409, 422, 501, 505] {
            XCTAssertFalse(try error(.client, status: status).isRetryable, "\(status)")
        }
        for kind: NetworkError.Kind in [.cannotConnect, .cannotFindHost, .connectionLost, .offline, .timeout] {
            XCTAssertTrue(NetworkError(kind, "").isRetryable, "\(kind)")
        }
        // A body that was cut after a head of 200 can be retried; one that does not decode cannot.
        XCTAssertTrue(try error(.connectionLost, status: 200).isRetryable)
        for kind: NetworkError.Kind in [.decoding, .unwrapping, .emptyBody, .validation, .tls, .invalidURL, .cancelled]
        {
            XCTAssertFalse(try error(kind, status: 503).isRetryable, "\(kind)")
        }
    }

    func testDecode_errorContent() throws {
        struct Failure: Decodable, Equatable { let code: Int }
        let failure: Failure = try error(.client, status: 400, body: #"{"code":7}"#).decode()
        XCTAssertEqual(failure, Failure(code: 7))

        for body in [nil, ""] as [String?] {
            XCTAssertThrowsError(try error(.client, status: 400, body: body).decode(as: Failure.self)) {
                XCTAssertEqual(($0 as? NetworkError)?.kind, .emptyBody)
                XCTAssertEqual(($0 as? NetworkError)?.status, 400)
            }
        }
        let cut = try error(.client, status: 400, body: #"{"code":"body-secret"}"#).with { $0.isBodyTruncated = true }
        XCTAssertThrowsError(try cut.decode(as: Failure.self)) {
            let error = $0 as? NetworkError
            XCTAssertEqual(error?.kind, .decoding)
            XCTAssertEqual(error?.codingPath, "code")
            XCTAssertEqual(error?.status, 400)
            XCTAssertTrue(error?.message.contains("cut") == true)
            XCTAssertFalse("\($0)".contains("secret"))
        }
    }

    func testDecode_usesTheClientsDecoder() throws {
        struct Failure: Decodable { let errorCode: Int }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let error = try error(.client, status: 400, body: #"{"error_code":7}"#).with { $0.decoder = decoder }
        XCTAssertEqual(try error.decode(as: Failure.self).errorCode, 7)
        XCTAssertThrowsError(try error.decode(as: Failure.self, decoder: JSONDecoder()))
    }
}
