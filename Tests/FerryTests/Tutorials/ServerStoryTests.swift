import Ferry
import FerryTesting
import Foundation
import XCTest

/// The stories in the doc comments of what stands in for a server; see `StorySourcesTests`.
final class ServerStoryTests: XCTestCase {
    private struct Book: Decodable, Equatable { let title: String }

    func testMockTransport_story() async throws {
        let url = URL(string: "https://api.example")

        // story: MockTransport
        let mock = MockTransport()
        let client = NetworkClient(baseURL: url) {
            $0.transport = mock
            $0.retry = .constant(.zero, maxRetries: 2)
        }
        // end

        // story: MockTransport
        mock.on(.get, "/books/{id}") { request in .json(#"{"title": "Book \#(request.pathParameters["id"] ?? "")"}"#) }
        mock.on(.get, "/flaky", .status(503), .failure(.connectionLost), .text("up"))
        let search = mock.on(.get, "/search", matching: [.query("q", "sea")], times: .exactly(1), .json("[]"))
        // end

        // story: MockTransport
        let book: Book = try await client.get("/books/7")
        let flaky = try await client.string(NetworkCall(.get, "/flaky"))  // the third attempt
        let found: [Book] = try await client.get("/search", query: ["q": "sea"])
        // end
        XCTAssertEqual(book.title, "Book 7")
        XCTAssertEqual(flaky, "up")
        XCTAssertEqual(found, [])

        // story: MockTransport
        mock.verify()  // every route was used as often as it was meant to be
        mock.assertRequests("GET /books/7", "GET /flaky", "GET /flaky", "GET /flaky", "GET /search")
        XCTAssertEqual(mock.requests(of: search).first?.queryItems.first?.value, "sea")
        // end
    }

    func testLoopbackServer_story() async throws {
        // story: LoopbackServer
        let server = try await LoopbackServer.start()
        let client = NetworkClient(baseURL: server.baseURL) { $0.retry = .constant(.zero, maxRetries: 2) }
        // end

        // story: LoopbackServer
        server.on(.get, "/books/{id}") { request in
            .json(#"{"title": "Book \#(request.pathParameters["id"] ?? "")"}"#)
        }
        server.script(.get, "/flaky", [.status(503), .status(503), .json(#"{"title": "Patience"}"#)])

        let book: Book = try await client.get("/books/7")
        let flaky: Book = try await client.get("/flaky")  // retried twice
        // end
        XCTAssertEqual(book.title, "Book 7")
        XCTAssertEqual(flaky.title, "Patience")

        // story: LoopbackServer
        XCTAssertEqual(server.requests.map(\.path), ["/books/7", "/flaky", "/flaky", "/flaky"])
        // end

        // story: LoopbackServer
        let gate = Gate()
        server.on(.get, "/events") { _ in
            .stream { writer in
                try await writer.write("first\n")
                await gate.wait()
                try await writer.write("second\n")
            }
        }
        var lines: [String] = []
        for try await line in client.lines(NetworkCall(.get, "/events")) {
            lines.append(line)
            gate.open()  // the first line is here; only now does the server send the second
        }
        // end
        XCTAssertEqual(lines, ["first", "second"])

        // story: LoopbackServer
        server.on(.get, "/cut", .text("hello").cut(after: 40, then: .reset))
        server.on(.get, "/short", .json("{}").claiming(contentLength: 100))

        let call = NetworkCall(.get, "/short", retry: .never)
        let error = await XCTAssertThrowsNetworkError(.connectionLost) { try await client.data(call) }
        // end
        XCTAssertEqual(error?.kind, .connectionLost)

        // story: LoopbackServer
        await server.stop()
        // end
        XCTAssertEqual(server.openConnections, 0)
    }
}
