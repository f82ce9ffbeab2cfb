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
        fixtures: FixtureSource = fixtures, clock: any NetworkClock = ManualClock(),
        events: EventRecorder = EventRecorder()
    ) async throws(NetworkError) -> HTTPResponse {
        let context = CallContext(delivery: delivery, clock: clock, sink: events.sink)
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
