import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// A test of something that fails tests: its issues are collected in place of failing this one.
class MockTestCase: XCTestCase, @unchecked Sendable {  // `collected` guards itself; nothing else is stored
    private let collected = IssueList()

    var issues: [String] { collected.all.map(\.message) }
    var issueLines: [UInt] { collected.all.map(\.place.line) }

    var collecting: @Sendable (TestIssue) -> Void {
        let collected = collected
        return { collected.append($0) }
    }

    func transport(
        fixtures: FixtureSource = .empty, allowsUnusedRoutes: Bool = true, line: UInt = #line
    ) -> MockTransport {
        MockTransport(
            fixtures: fixtures, allowsUnusedRoutes: allowsUnusedRoutes, failureHandler: collecting, line: line)
    }

    func client(
        _ transport: some Transport, _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }
    ) throws -> NetworkClient {
        NetworkClient(baseURL: try XCTUnwrap(URL(string: "https://api.example"))) {
            $0.transport = transport
            configure(&$0)
        }
    }
}

/// Issues from any thread.
final class IssueList: Sendable {
    /// Guards the list: calls fail on their own tasks.
    private let list = Mutex<[TestIssue]>([])

    var all: [TestIssue] { list.withLock { $0 } }

    func append(_ issue: TestIssue) { list.withLock { $0.append(issue) } }
}
