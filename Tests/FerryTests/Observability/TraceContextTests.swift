import Ferry
import FerryTesting
import Foundation
import XCTest

/// Rows of W3C Trace Context §3.2.
final class TraceContextTests: ClientTestCase {
    private let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    func testTraceparent_isParsedAsTheStandardSays() {
        let cases: [(String, Bool)] = [
            (example, true), (example.replacing("-01", with: "-00"), true), (example + "-x", false),
            (example.replacing("00-4", with: "cc-4") + "-what", true), (example.replacing("00-4", with: "ff-4"), false),
            (example.uppercased(), false), ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false), ("", false), ("00-1-2-01", false),
            (example.replacing("-01", with: "-1"), false), (example.replacing("-01", with: "-+1"), false),
        ]
        for (text, isValid) in cases { XCTAssertEqual(TraceContext(text) != nil, isValid, text) }
        XCTAssertEqual(TraceContext(example)?.description, example)
        XCTAssertEqual(TraceContext(example)?.isSampled, true)
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<100 {
            let made = TraceContext(using: &generator)
            XCTAssertEqual(TraceContext(made.description), made)
        }
    }

    func testInterceptor_givesACallOneTraceAndEachAttemptASpan() async throws {
        server.script(.get, "/p", [.status(503), .status(200), .status(200), .status(200)])
        let client = client {
            $0.retry = .constant(.zero, maxRetries: 1)
            $0.interceptors = [TraceContextInterceptor()]
        }
        _ = try await client.data(NetworkCall(.get, "/p"))
        let parent = try XCTUnwrap(TraceContext(example))
        try await TraceContext.$current.withValue(parent) { _ = try await client.data(NetworkCall(.get, "/p")) }
        _ = try await client.data(NetworkCall(.get, "/p", headers: ["traceparent": example]))
        let seen = try server.requests.map { try XCTUnwrap(TraceContext($0.headers["traceparent"] ?? "")) }
        XCTAssertEqual(seen.count, 4)
        XCTAssertEqual(seen[0].traceID, seen[1].traceID)
        XCTAssertNotEqual(seen[0].spanID, seen[1].spanID)
        XCTAssertEqual(seen[2].traceID, parent.traceID)
        XCTAssertNotEqual(seen[2].spanID, parent.spanID)
        XCTAssertEqual(seen[3], parent)
    }

    func testInterceptor_keepsToItsHosts() async throws {
        server.on(.get, "/p", .status(200))
        let client = client { $0.interceptors = [TraceContextInterceptor(hosts: ["api.test"])] }
        _ = try await client.data(NetworkCall(.get, "/p"))
        XCTAssertNil(server.requests.first?.headers["traceparent"])
    }
}
