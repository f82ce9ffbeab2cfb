import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// A client with a loopback server, for tests of whole calls.
class ClientTestCase: XCTestCase {
    private(set) var server: LoopbackServer!

    override func setUp() async throws { server = try await LoopbackServer.start() }

    override func tearDown() async throws { await server?.stop() }

    /// The URL of a path on this server or another one.
    func url(_ path: String, of server: LoopbackServer? = nil) throws -> URL {
        try XCTUnwrap(URL(string: (server ?? self.server).baseURL.absoluteString + path))
    }

    func client(_ configure: (inout NetworkClient.Configuration) -> Void = { _ in }) -> NetworkClient {
        NetworkClient(baseURL: server.baseURL, configure: configure)
    }
}

/// What a call throws.
func failure<Value>(
    _ body: () async throws(NetworkError) -> Value, file: StaticString = #filePath, line: UInt = #line
) async -> NetworkError? {
    do throws(NetworkError) {
        let value = try await body()
        XCTFail("it gave \(value)", file: file, line: line)
        return nil
    } catch {
        return error
    }
}

struct User: Codable, Equatable, Sendable {
    var id: Int
    var name: String
}
