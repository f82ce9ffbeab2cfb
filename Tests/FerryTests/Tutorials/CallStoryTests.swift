import Ferry
import FerryTesting
import Foundation
import XCTest

/// The stories in the doc comments of the client, of what describes a call, and of retries; see `StorySourcesTests`.
final class CallStoryTests: ClientTestCase {
    private var url: URL { server.baseURL }

    func testNetworkClient_story() async throws {
        server.on(.get, "/books/7", .json(#"{"id": 7, "title": "Sailing"}"#).header("ETag", #""v1""#))
        server.on(.post, "/books") { request in .json(#"{"id": 8, "title": "Knots"}"#, status: .created) }
        server.on(.delete, "/books/7", .json(#"{"error": {"text": "It is on loan"}}"#, status: .conflict))

        // story: NetworkClient
        let library = NetworkClient(baseURL: url) {
            $0.headers["Accept-Language"] = "en"
            $0.authorization = .bearer("t0k3n")
            $0.retry = .exponential(initial: .milliseconds(250), maxRetries: 3)
            $0.errorMessageKeyPath = "error.text"
        }
        // end

        // story: NetworkClient
        struct Book: Decodable, Sendable {
            let id: Int
            let title: String
        }

        let book: Book = try await library.get("/books/7")
        // end
        XCTAssertEqual(book.title, "Sailing")
        XCTAssertEqual(server.requests.last?.headers["Authorization"], "Bearer t0k3n")
        XCTAssertEqual(server.requests.last?.headers["Accept-Language"], "en")

        // story: NetworkClient
        let added: Book = try await library.post("/books", body: .json(["title": "Knots"]))
        // end
        XCTAssertEqual(added.id, 8)
        XCTAssertEqual(server.requests.last?.text, #"{"title":"Knots"}"#)

        // story: NetworkClient
        var reason = ""
        do {
            try await library.delete("/books/7")
        } catch {
            reason = error.isConflict ? error.serverMessage ?? "In use" : error.message
        }
        // end
        XCTAssertEqual(reason, "It is on loan")

        // story: NetworkClient
        let response = try await library.response(NetworkCall(.get, "/books/7"), as: Book.self)
        let version = response.headers["ETag"]
        // end
        XCTAssertEqual(version, #""v1""#)
        XCTAssertEqual(response.value.id, 7)
        XCTAssertEqual(server.requestCount, 4)
    }

    func testApi_story() async throws {
        server.on(.get, "/books", .json(#"{"data": {"books": [{"id": 7, "title": "Sailing"}]}}"#))
        server.on(.post, "/books", .json(#"{"id": 8, "title": "Knots"}"#, status: .created))
        server.on(.delete, "/books/8", .status(404))
        let client = client()

        // story: Api
        struct Book: Codable, Sendable {
            var id: Int?
            var title: String
        }

        struct ListBooks: Api {
            typealias Response = [Book]
            var author: String
            var path: String { "/books" }
            var query: Parameters { ["author": author, "sort": ["title", "year"]] }
            var responseKeyPath: JSONKeyPath? { "data.books" }
        }
        // end

        // story: Api
        let books = try await client.request(ListBooks(author: "Ada"))
        // end
        XCTAssertEqual(books.map(\.title), ["Sailing"])
        XCTAssertEqual(server.requests.last?.queryItems.first, URLQueryItem(name: "author", value: "Ada"))

        // story: Api
        struct AddBook: Api {
            typealias Response = Book
            var book: Book
            var method: HTTPMethod { .post }
            var path: String { "/books" }
            var body: RequestBody { .json(book) }
        }

        let added = try await client.request(AddBook(book: Book(title: "Knots")))
        // end
        XCTAssertEqual(added.id, 8)
        XCTAssertEqual(server.requests.last?.text, #"{"title":"Knots"}"#)

        // story: Api
        struct RemoveBook: Api {
            typealias Response = Void
            var id: Int
            var method: HTTPMethod { .delete }
            var path: String { "/books/\(id)" }

            func configure(_ call: inout NetworkCall) {
                call.timeouts = Timeouts(total: .seconds(10))
                call.validation = .statuses([200, 204, 404])  // gone already is fine too
            }
        }

        try await client.request(RemoveBook(id: 8))
        // end
        XCTAssertEqual(server.requests.last?.method, .delete)
        XCTAssertEqual(server.requestCount, 3)

        // story: Api
        struct Greeting: Api {
            typealias Response = String
            var path: String { "/greeting" }
            var mockResponse: MockResponse? { .text("Ahoy") }
        }

        let preview = NetworkClient(baseURL: url) { $0.mocking = .on() }
        let greeting = try await preview.request(Greeting())
        // end
        XCTAssertEqual(greeting, "Ahoy")
        XCTAssertEqual(server.requestCount, 3, "Mock mode sends nothing")
    }

    func testNetworkCall_story() async throws {
        struct Book: Decodable, Sendable { let title: String }
        server.on(.get, "/search", .json(#"{"items": [{"title": "Sailing"}]}"#))
        server.on(.get, "/shelves/{name}/books", .json("[]"))
        server.on(.post, "/login", .status(204))
        let client = client()

        // story: NetworkCall
        var search = NetworkCall(.get, "/search", query: ["q": "sea & sky", "page": 1])
        search.responseKeyPath = "items"
        // end

        // story: NetworkCall
        let books = try await client.request(search, as: [Book].self)
        // end
        XCTAssertEqual(books.map(\.title), ["Sailing"])
        XCTAssertEqual(server.requests.last?.queryItems.first?.value, "sea & sky")

        // story: NetworkCall
        let traced = search.header("X-Trace", "a1").query("lang", "en").timeout(.seconds(5)).retry(.never)
        let inEnglish = try await client.request(traced, as: [Book].self)
        // end
        XCTAssertEqual(inEnglish.count, 1)
        XCTAssertEqual(server.requests.last?.headers["X-Trace"], "a1")
        XCTAssertEqual(server.requests.last?.queryItems.last, URLQueryItem(name: "lang", value: "en"))

        // story: NetworkCall
        let shelf = "maps/charts"
        let path: PathTemplate = "/shelves/\(shelf)/books"
        let onShelf = try await client.request(NetworkCall(.get, path), as: [Book].self)
        // end
        XCTAssertTrue(onShelf.isEmpty)
        XCTAssertEqual(server.requests.last?.target, "/shelves/maps%2Fcharts/books")

        // story: NetworkCall
        let login = NetworkCall(.post, "/login", body: .form(["user": "ada", "remember": true]))
        try await client.request(login)
        // end
        XCTAssertEqual(server.requests.last?.text, "user=ada&remember=true")
    }

    func testRetryPolicy_story() async throws {
        server.script(.get, "/tides", [.status(503), .status(503), .text("high")])
        server.script(.post, "/orders", [.status(503), .status(201)])
        server.script(.get, "/busy", [.status(429).header("Retry-After", "20"), .text("free")])
        server.script(.get, "/report", [.status(404), .text("done")])

        // story: RetryPolicy
        let clock = ManualClock(advancesItself: true)  // in a test: waits end at once
        let client = NetworkClient(baseURL: url) {
            $0.clock = clock
            $0.timeouts = Timeouts(idle: nil)
            $0.retry = .exponential(initial: .milliseconds(250), jitter: .none, maxRetries: 3)
        }
        let tide = try await client.string(NetworkCall(.get, "/tides"))
        // end
        XCTAssertEqual(tide, "high")
        XCTAssertEqual(server.requestCount, 3)
        XCTAssertEqual(clock.requestedSleeps, [.milliseconds(250), .milliseconds(500)])

        // story: RetryPolicy
        let patient = RetryPolicy.constant(.seconds(2), maxRetries: 2).retryingUnsafeMethods()
        try await client.request(NetworkCall(.post, "/orders", body: .json(["item": 7]), retry: patient))
        // end
        XCTAssertEqual(server.requestCount, 5)
        XCTAssertEqual(clock.requestedSleeps.last, .seconds(2))

        // story: RetryPolicy
        let polite = RetryPolicy.constant(.seconds(1)).respectingRetryAfter(upTo: .seconds(30))
        let answer = try await client.string(NetworkCall(.get, "/busy", retry: polite))
        // end
        XCTAssertEqual(answer, "free")
        XCTAssertEqual(clock.requestedSleeps.last, .seconds(20))

        // story: RetryPolicy
        let untilItIsThere = RetryPolicy.custom(maxRetries: 5) { failure in
            failure.status == 404 ? .retry(after: .seconds(Int64(failure.retry))) : .stop
        }
        let report = try await client.string(NetworkCall(.get, "/report", retry: untilItIsThere))
        // end
        XCTAssertEqual(report, "done")
        XCTAssertEqual(clock.requestedSleeps.last, .seconds(1))
    }
}
