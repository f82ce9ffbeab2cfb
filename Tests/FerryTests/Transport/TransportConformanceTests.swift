import Ferry
import FerryTesting
import Foundation
import XCTest

/// What every transport must do, on real sockets. Runs over URLSession; a subclass with at least one test of its own runs it
/// over another transport.
///
/// A row that the platform makes impossible is named in `impossible`, so that it runs on any other transport.
class TransportConformanceTests: XCTestCase {
    private(set) var server: LoopbackServer!
    private(set) var transport: (any Transport)!
    private(set) var clock: ManualClock!

    func makeTransport() throws -> any Transport { URLSessionTransport() }

    /// Rows that this transport cannot pass, and why; each is documented in `Docs/Linux.md`.
    class var impossible: [String: String] {
        #if canImport(FoundationNetworking)
            [
                "no space after the colon": "the head parser of FoundationNetworking refuses it",
                "status line without reason": "the head parser of FoundationNetworking refuses it",
                "Latin-1 bytes": "the head parser of FoundationNetworking refuses it",
                "body of a redirect without Location": "FoundationNetworking drops it",
                "trailers": "FoundationNetworking ends the process",
                "close in the head": "FoundationNetworking ends the process",
                "largest Content-Length": "FoundationNetworking ends the process",
                "truncated gzip": "FoundationNetworking hands out what libcurl could decode, without an error",
            ]
        #else
            [:]
        #endif
    }

    /// Whether a server is stopped while a stream's consumer is slow; else what is ahead waits in a file.
    class var stopsTheServer: Bool { false }

    override func setUp() async throws {
        server = try await LoopbackServer.start()
        transport = try makeTransport()
        clock = ManualClock()
    }

    override func tearDown() async throws {
        transport?.shutdown()
        await server?.stop()
    }

    // MARK: Support

    func request(
        _ method: HTTPMethod = .get, _ path: String, headers: HTTPHeaders = [:], body: RequestBody = .none
    ) throws -> HTTPRequest {
        let url = try XCTUnwrap(URL(string: server.baseURL.absoluteString + path))
        return HTTPRequest(method: method, url: url, headers: headers, body: body)
    }

    /// A buffered exchange on the system's clock.
    func send(
        _ method: HTTPMethod = .get, _ path: String, headers: HTTPHeaders = [:], body: RequestBody = .none,
        limits: Limits = Limits()
    ) async throws -> HTTPResponse {
        try await transport.send(
            request(method, path, headers: headers, body: body), context: CallContext(limits: limits))
    }

    func text(_ response: HTTPResponse) async throws -> String {
        String(decoding: try await response.data(), as: UTF8.self)
    }

    /// What an exchange throws.
    func failure(
        _ path: String, delivery: Delivery = .buffered, method: HTTPMethod = .get, body: RequestBody = .none,
        limits: Limits = Limits(), file: StaticString = #filePath, line: UInt = #line
    ) async -> NetworkError? {
        do {
            let request = try request(method, path, body: body)
            let response = try await transport.send(request, context: CallContext(delivery: delivery, limits: limits))
            let data = try await response.data()
            XCTFail("\(path) succeeded with \(data.count) bytes", file: file, line: line)
            return nil
        } catch let error as NetworkError {
            return error
        } catch {
            XCTFail("\(error)", file: file, line: line)
            return nil
        }
    }

    func isPossible(_ row: String) -> Bool { Self.impossible[row] == nil }
}
