import Ferry
import FerryTesting
import Foundation
import Testing
import XCTest

/// Tests that are meant to fail, at lines that the tests below expect: they run where one of those starts them.
private var isWanted: Bool { ProcessInfo.processInfo.environment["CONSUMER_UNMATCHED"] != nil }

private func countWithWrongRoutes(_ mock: MockTransport) async {
    mock.on(.post, "/count", .json("1"))
    mock.on(.get, "/counts", times: .anyNumber, .json("1"))
    _ = await ProfileStore(client: NetworkClient(baseURL: api) { $0.transport = mock }).count()
}

final class DeliberateTests: XCTestCase {
    func testUnmatched_fails() async throws {
        guard isWanted else { throw XCTSkip("Started by UnmatchedTests") }
        await countWithWrongRoutes(MockTransport())
    }
}

struct DeliberateSuite {
    @Test(.enabled(if: isWanted)) func unmatched_fails() async { await countWithWrongRoutes(MockTransport()) }
}

#if os(Linux)
    final class UnmatchedTests: XCTestCase {
        func testUnmatchedRequest_failsTheXCTestReadably() throws {
            let (status, text) = try runTests(["ConsumerTests.DeliberateTests/testUnmatched_fails"])
            XCTAssertNotEqual(status, 0)
            XCTAssertTrue(text.contains("UnmatchedTests.swift:19: error: DeliberateTests.testUnmatched_fails"), text)
            expectWords(text)
        }

        func testUnmatchedRequest_failsTheTestOfSwiftTestingReadably() throws {
            let (status, text) = try runTests(["--testing-library", "swift-testing", "--filter", "DeliberateSuite"])
            XCTAssertNotEqual(status, 0)
            XCTAssertTrue(text.contains("unmatched_fails() recorded an issue at UnmatchedTests.swift:24:"), text)
            expectWords(text)
        }

        /// The unmatched request, and the route that was never used.
        private func expectWords(_ text: String) {
            for words in [
                "GET https://api.example/count was not mocked. The nearest routes:",
                "- POST /count: does not fit: method POST", "- GET /counts: does not fit: path /counts",
                "The mocked route POST /count was never used",
            ] { XCTAssertTrue(text.contains(words), "\(words) is not in\n\(text)") }
        }

        /// Runs tests of this bundle in a process of their own.
        private func runTests(_ arguments: [String]) throws -> (status: Int32, text: String) {
            let process = Process()
            process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.merging(["CONSUMER_UNMATCHED": "1"]) { $1 }
            let output = Pipe()
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: data, as: UTF8.self))
        }
    }
#endif
