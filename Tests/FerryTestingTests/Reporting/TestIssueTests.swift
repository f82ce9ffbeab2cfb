import Ferry
import FerryTesting
import Testing
import XCTest

final class TestIssueTests: XCTestCase {
    #if !canImport(Darwin)
        private var expected: String?
        private var caught: [(text: String, line: Int)] = []

        /// The failure that the test is about is caught; any other fails it.
        override func recordFailure(
            withDescription description: String, inFile file: String, atLine line: Int, expected isExpected: Bool
        ) {
            if let expected, description.contains(expected) {
                caught.append((description, line))
            } else {
                super.recordFailure(withDescription: description, inFile: file, atLine: line, expected: isExpected)
            }
        }

        func testReport_failsTheXCTestThatRunsAtThePlace() {
            expected = "an issue of FerryTesting"
            TestIssue("an issue of FerryTesting", at: SourcePlace(line: 4711)).report()
            XCTAssertEqual(caught.map(\.line), [4711])
        }

        func testAssertThrows_failsWhereNothingOrAnotherErrorIsThrown() async {
            expected = "Expected a"
            await XCTAssertThrowsNetworkError(.offline) {}
            await XCTAssertThrowsNetworkError(.offline) { throw CancellationError() }
            await XCTAssertThrowsNetworkError(.offline) { throw NetworkError(.timeout, "late") }
            XCTAssertEqual(caught.count, 3)
        }

        func testWaitUntil_failsWhereItNeverComes() async {
            expected = "Waited for a miracle in vain"
            await waitUntil("a miracle", within: .zero) { false }
            await waitUntil("what is there") { true }
            XCTAssertEqual(caught.count, 1)
        }
    #endif

    func testAssertThrows_givesTheErrorOfTheKind() async {
        let error = await XCTAssertThrowsNetworkError(.offline) { throw NetworkError(.offline, "no network") }
        XCTAssertEqual(error?.message, "no network")
    }
}

/// The same in Swift Testing, which knows how to expect an issue.
@Suite struct TestIssueSuite {
    @Test func report_recordsAnIssueAtThePlace() async {
        withKnownIssue {
            TestIssue("an issue of FerryTesting, longer than a small string", at: SourcePlace(line: 4711)).report()
        } matching: { issue in
            issue.comments.map(\.rawValue) == ["an issue of FerryTesting, longer than a small string"]
                && issue.sourceLocation?.line == 4711 && issue.sourceLocation?.fileName == "TestIssueTests.swift"
        }
    }

    @Test func unmatchedRequest_recordsAnIssueFromTheClientsTask() async throws {
        let line = UInt(#line + 1)
        let mock = MockTransport()
        let client = NetworkClient(baseURL: URL(string: "https://api.example")) { $0.transport = mock }
        await withKnownIssue {
            _ = try? await client.data(NetworkCall(.get, "/nothing"))
        } matching: { issue in
            issue.comments.first?.rawValue.hasPrefix("GET https://api.example/nothing was not mocked") == true
                && issue.sourceLocation?.line == Int(line)
        }
    }
}
