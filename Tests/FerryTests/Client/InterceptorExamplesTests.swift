import Ferry
import FerryTesting
import Foundation
import XCTest

/// The three examples of Docs/Interceptors.md, word for word.
private enum Examples {
    struct Language: Interceptor {
        func intercept(
            _ request: HTTPRequest, context: CallContext, next: Next
        ) async throws(NetworkError) -> HTTPResponse {
            var request = request
            request.headers["Accept-Language"] = "de"
            return try await next(request)
        }
    }

    struct Signing: Interceptor {
        let sign: @Sendable (Data) -> String

        func intercept(
            _ request: HTTPRequest, context: CallContext, next: Next
        ) async throws(NetworkError) -> HTTPResponse {
            guard case .data(let content) = request.body.content else {
                throw NetworkError(.invalidRequest, "Only content in memory can be signed")
            }
            var request = request
            request.headers["X-Signature"] = sign(Data("\(request.method) \(request.url.path())\n".utf8) + content)
            return try await next(request)
        }
    }

    struct Compressing: Interceptor {
        let compress: @Sendable (Data) -> Data

        func intercept(
            _ request: HTTPRequest, context: CallContext, next: Next
        ) async throws(NetworkError) -> HTTPResponse {
            guard case .data(let content) = request.body.content, content.count > 1_024,
                !request.headers.contains("Content-Encoding")
            else { return try await next(request) }
            var request = request
            request.body = .data(compress(content))
            request.headers["Content-Encoding"] = "gzip"
            return try await next(request)
        }
    }
}

/// That the guide's interceptors do what it says, on the wire.
final class InterceptorExamplesTests: ClientTestCase {
    /// Each example stands in the guide as it stands here.
    func testExamples_areThoseOfTheGuide() throws {
        func lines(_ text: some StringProtocol) -> [String] {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
        let guide = try String(contentsOf: Repository.root.appending(path: "Docs/Interceptors.md"), encoding: .utf8)
        let here = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let start = try XCTUnwrap(here.range(of: "private enum Examples {"))
        let end = try XCTUnwrap(here.range(of: "\n}\n", range: start.upperBound..<here.endIndex))
        let examples = lines(here[start.upperBound..<end.lowerBound])
        let parts = guide.components(separatedBy: "```swift\n").dropFirst().map { part in
            lines(part.components(separatedBy: "```")[0])
        }
        XCTAssertEqual(parts.count, 3)
        for part in parts {
            let code = part.prefix {
                $0 != "let client = NetworkClient(baseURL: url) { $0.interceptors = [Language()] }"
            }
            XCTAssertTrue(
                examples.indices.contains { examples[$0...].starts(with: code) },
                "not the code of the guide: \(code.first ?? "")")
        }
    }

    func testLanguage_isAddedToEachAttempt() async throws {
        server.script(.get, "/p", [.status(503), .status(200)])
        let client = client {
            $0.interceptors = [Examples.Language()]
            $0.retry = .constant(.zero, maxRetries: 1)
        }
        _ = try await client.data(NetworkCall(.get, "/p"))
        XCTAssertEqual(server.requests.map { $0.headers["Accept-Language"] }, ["de", "de"])
    }

    func testSigning_signsWhatIsSentAndEachRetryAnew() async throws {
        server.script(.put, "/p", [.status(503), .status(200)])
        let client = client {
            $0.interceptors = [Examples.Signing { Data($0.reversed()).base64EncodedString() }]
            $0.retry = .constant(.zero, maxRetries: 1)
        }
        _ = try await client.data(NetworkCall(.put, "/p", body: .json(["a": 1])))
        let content = Data("PUT /p\n{\"a\":1}".utf8)
        let signature = Data(content.reversed()).base64EncodedString()
        XCTAssertEqual(server.requests.map { $0.headers["X-Signature"] }, [signature, signature])
        // What cannot be signed is not sent.
        let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/p")) }
        XCTAssertEqual(error?.kind, .invalidRequest)
        XCTAssertEqual(server.requests.count, 2)
    }

    func testCompressing_sendsLessAndSaysHow() async throws {
        server.fallback { _ in .status(200) }
        let client = client { $0.interceptors = [Examples.Compressing { Gzip.stored($0) }] }
        let text = String(repeating: "long ", count: 1_000)
        _ = try await client.data(NetworkCall(.post, "/p", body: .text(text)))
        _ = try await client.data(NetworkCall(.post, "/p", body: .text("short")))
        let coded: HTTPHeaders = ["Content-Encoding": "br"]
        _ = try await client.data(NetworkCall(.post, "/p", headers: coded, body: .text(text)))
        let requests = server.requests
        XCTAssertEqual(requests.map { $0.headers["Content-Encoding"] }, ["gzip", nil, "br"])
        XCTAssertEqual(requests.map(\.body), [Gzip.stored(Data(text.utf8)), Data("short".utf8), Data(text.utf8)])
        XCTAssertEqual(requests[0].headers["Content-Length"], "\(requests[0].body.count)")
        XCTAssertEqual(requests[0].headers["Content-Type"], "text/plain; charset=utf-8")
    }
}
