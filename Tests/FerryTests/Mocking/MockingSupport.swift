import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// What the tests of mocks share.
enum MockTest {
    static let url = URL(string: "http://api.example.test/a?token=s3cret")!

    static let fixtures = FixtureSource.directory(Repository.fixtures.appending(path: "api"))

    static func respond(
        _ mock: MockResponse, to request: HTTPRequest = HTTPRequest(url: url), delivery: Delivery = .buffered,
        fixtures: FixtureSource = fixtures, clock: any NetworkClock = ManualClock(), events: MockEventLog? = nil
    ) async throws(NetworkError) -> HTTPResponse {
        let context = CallContext(delivery: delivery, clock: clock, sink: events?.sink)
        return try await MockedExchange.respond(to: request, with: mock, fixtures: fixtures, context: context)
    }

    /// The error that a mock ends with, its body read to the end.
    static func failure(
        _ mock: MockResponse, to request: HTTPRequest = HTTPRequest(url: url), delivery: Delivery = .buffered,
        fixtures: FixtureSource = fixtures, file: StaticString = #filePath, line: UInt = #line
    ) async -> NetworkError? {
        do throws(NetworkError) {
            _ = try await respond(mock, to: request, delivery: delivery, fixtures: fixtures).data()
            XCTFail("No error", file: file, line: line)
            return nil
        } catch {
            return error
        }
    }

    /// An empty directory that the caller removes.
    static func temporaryDirectory() throws -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: "ferry-mocks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }
}

/// Collects events as words.
final class MockEventLog: Sendable {
    /// Guards the words: events come on any thread.
    private let state = Mutex<[String]>([])

    var words: [String] { state.withLock { $0 } }

    var sink: @Sendable (CallEvent) -> Void {
        { event in
            let word =
                switch event {
                case .sent(let progress): "sent \(progress.completed)/\(progress.total.map(String.init) ?? "?")"
                case .head(let head): "head \(head.status.code)"
                case .progress(let progress):
                    "progress \(progress.completed)/\(progress.total.map(String.init) ?? "?")"
                default: "other"
                }
            self.state.withLock { $0.append(word) }
        }
    }
}

/// Chunks for body streams.
struct Chunks: AsyncSequence, Sendable {
    let chunks: [String]
    var failure: (any Error & Sendable)?

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<String>
        let failure: (any Error & Sendable)?

        mutating func next() async throws -> Data? {
            if let chunk = rest.popFirst() { return Data(chunk.utf8) }
            if let failure { throw failure }
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: chunks[...], failure: failure) }
}
