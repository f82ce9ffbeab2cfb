import Ferry
import FerryTesting
import Foundation
import XCTest

/// The stories in the doc comments of streams, pages, forms and the cache; see `StorySourcesTests`.
final class ContentStoryTests: ClientTestCase {
    private var url: URL { server.baseURL }

    func testServerSentEvents_story() async throws {
        let first = "id: 1\nevent: tide\ndata: high\n\nid: 2\nevent: tide\ndata: low\n\n"
        server.on(.get, "/tides") { request in
            // Where the client has been already, there is nothing more.
            let isNew = request.headers["Last-Event-ID"] == nil
            return isNew ? .data(Data(first.utf8), contentType: .eventStream) : .status(204)
        }
        let answer = #"data: {"text": "Go "}"# + "\n\n" + #"data: {"text": "north"}"# + "\n\ndata: [DONE]\n\n"
        server.on(.post, "/chat", .data(Data(answer.utf8), contentType: .eventStream))
        let client = client()

        // story: ServerSentEvents
        var tides: [String] = []
        var last = ""
        for try await event in client.serverSentEvents(NetworkCall(.get, "/tides"), reconnection: nil) {
            tides.append("\(event.event) \(event.data)")
            last = event.id
        }
        // end
        XCTAssertEqual(tides, ["tide high", "tide low"])
        XCTAssertEqual(last, "2")

        // story: ServerSentEvents
        let rest = client.serverSentEvents(NetworkCall(.get, "/tides"), lastEventID: last)
        for try await event in rest { tides.append(event.data) }
        // end
        XCTAssertEqual(tides.count, 2, "The server answered 204: there is no more")
        XCTAssertEqual(server.requests.last?.headers["Last-Event-ID"], "2")

        // story: ServerSentEvents
        struct Piece: Decodable, Sendable { let text: String }

        let question = NetworkCall(.post, "/chat", body: .json(["prompt": "Where to?"]))
        var words = ""
        for try await piece in client.serverSentEvents(question, as: Piece.self, until: "[DONE]") {
            words += piece.text
        }
        // end
        XCTAssertEqual(words, "Go north")

        // story: ServerSentEvents
        let response = try await client.stream(NetworkCall(.get, "/tides"))
        var next = ServerSentEvents(response.body).makeAsyncIterator()
        let event = try await next.next()
        // end
        XCTAssertEqual(event, ServerSentEvent(event: "tide", data: "high", id: "1"))
        XCTAssertEqual(response.head.status, 200)
    }

    func testPages_story() async throws {
        server.on(.get, "/books") { request in
            switch request.query {
            case "per_page=2": .json(#"{"books": ["Sailing", "Knots"], "next": "b"}"#)
            case "per_page=2&after=b": .json(#"{"books": ["Tides", "Charts"], "next": "c"}"#)
            default: .json(#"{"books": ["Stars"], "next": null}"#)
            }
        }
        let client = client()

        // story: Pages
        struct ListBooks: Paginated {
            typealias Response = [String]
            var path: String { "/books" }
            var query: Parameters { ["per_page": 2] }
            var responseKeyPath: JSONKeyPath? { "books" }
            var pagination: Pagination { .cursor(at: "next", parameter: "after") }
        }
        // end

        // story: Pages
        var titles: [String] = []
        for try await title in client.items(ListBooks(), maxItems: 3) { titles.append(title) }
        // end
        XCTAssertEqual(titles, ["Sailing", "Knots", "Tides"])
        XCTAssertEqual(server.requestCount, 2)

        // story: Pages
        var bookmark: PageToken?
        for try await page in client.pages(ListBooks()) {
            titles = page.items
            bookmark = page.next
            break
        }
        // end
        XCTAssertEqual(titles, ["Sailing", "Knots"])
        XCTAssertEqual(bookmark?.position, .cursor("b"))

        // story: Pages
        let saved = try JSONEncoder().encode(bookmark)
        let start = try JSONDecoder().decode(PageToken.self, from: saved)
        for try await page in client.pages(ListBooks(), from: start, prefetch: 1) { titles += page.items }
        // end
        XCTAssertEqual(titles, ["Sailing", "Knots", "Tides", "Charts", "Stars"])
        XCTAssertEqual(server.requestCount, 5)
    }

    func testMultipartForm_story() async throws {
        let photo = FileManager.default.temporaryDirectory.appending(path: "ferry-story-\(UUID()).jpg")
        try Data("not really a picture".utf8).write(to: photo)
        defer { try? FileManager.default.removeItem(at: photo) }
        server.on(.post, "/photos") { request in .json(#"{"bytes": \#(request.body.count)}"#) }
        let client = client()

        // story: MultipartForm
        var form = MultipartForm()
        form.append("title", "Sunrise")
        form.append("photo", file: photo)
        form.append("notes", data: Data("# East".utf8), fileName: "notes.md", contentType: "text/markdown")
        // end
        XCTAssertEqual(form.count, 3)

        // story: MultipartForm
        struct Receipt: Decodable, Sendable { let bytes: Int }

        let receipt: Receipt = try await client.post("/photos", body: .multipart(form))
        // end
        let sent = try XCTUnwrap(server.requests.last)
        XCTAssertEqual(receipt.bytes, sent.body.count)
        XCTAssertEqual(sent.framing, .contentLength(sent.body.count))
        let file = "name=\"photo\"; filename=\"\(photo.lastPathComponent)\"\r\nContent-Type: image/jpeg\r\n"
        XCTAssertTrue(sent.text.contains(file), sent.text)
        XCTAssertTrue(sent.text.contains("name=\"title\"\r\n\r\nSunrise\r\n"), sent.text)

        // story: MultipartForm
        let call = NetworkCall(.post, "/photos", body: .multipart(form))
        let again = try await client.upload(call, as: Receipt.self) { progress in
            print("\(progress.completed) of \(progress.total ?? 0) bytes")
        }
        // end
        XCTAssertEqual(again.bytes, receipt.bytes)

        // story: MultipartForm
        struct Profile: Encodable, Sendable {
            let name = "Ada"
            let isPublic = true
        }

        let profile = MultipartForm(encoding: Profile())
        try await client.request(NetworkCall(.post, "/photos", body: .multipart(profile)))
        // end
        XCTAssertEqual(server.requests.last?.text.contains("name=\"isPublic\"\r\n\r\ntrue\r\n"), true)
    }

    func testResponseCache_story() async throws {
        server.on(.get, "/rates", .json(#"{"eur": 1.08}"#).header("Cache-Control", "max-age=60"))
        server.on(.get, "/news") { request in
            request.headers["If-None-Match"] == #""v1""#
                ? .status(304) : .json(#"["calm"]"#).headers(["ETag": #""v1""#, "Cache-Control": "no-cache"])
        }

        // story: ResponseCache
        let cache = ResponseCache()  // in memory; or ResponseCache(store: .disk(directory))
        let client = NetworkClient(baseURL: url) { $0.cache = cache }
        let rates = NetworkCall(.get, "/rates")

        let first = try await client.response(rates, as: [String: Double].self)
        let second = try await client.response(rates, as: [String: Double].self)
        // end
        XCTAssertEqual(first.source, .network)
        XCTAssertEqual(second.source, .cacheFresh)
        XCTAssertEqual(second.value, ["eur": 1.08])
        XCTAssertEqual(server.requestCount, 1)

        // story: ResponseCache
        let news = NetworkCall(.get, "/news")
        _ = try await client.json(news)
        let validated = try await client.response(news, as: [String].self)  // the server said 304
        // end
        XCTAssertEqual(validated.source, .cacheValidated)
        XCTAssertEqual(validated.value, ["calm"])
        XCTAssertEqual(server.requests.last?.headers["If-None-Match"], #""v1""#)

        // story: ResponseCache
        let offline = try await client.response(news.cache(.cacheOnly), as: [String].self)
        let fresh = try await client.response(rates.cache(.reload), as: [String: Double].self)
        // end
        XCTAssertTrue(offline.source.isCache)
        XCTAssertEqual(fresh.source, .network)
        XCTAssertEqual(server.requestCount, 4)

        // story: ResponseCache
        let stored = await cache.entries().count
        await cache.clear()
        // end
        XCTAssertEqual(stored, 2)
        let left = await cache.byteCount()
        XCTAssertEqual(left, 0)
    }
}
