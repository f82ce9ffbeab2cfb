import Ferry
import FerryTesting
import Foundation
import XCTest

/// Streams through the cache, and values from cache and network.
final class CacheStreamTests: CacheTestCase {
    private func streaming(_ chunks: [String], _ headers: HTTPHeaders) -> MockRoute.Reply {
        { _ in .chunks(chunks.map { (after: .zero, data: Data($0.utf8)) }, headers: headers) }
    }

    func testStream_isStoredOnceItWasReadAndServedAsAStream() async throws {
        let (client, transport) = try client(answer: streaming(["ab", "cd"], ["Cache-Control": "max-age=60"]))
        for source in [HTTPResponse.Source.mock, .cacheFresh] {
            let response = try await client.stream(call)
            XCTAssertEqual(response.source, source)
            let data = try await response.body.collect()
            XCTAssertEqual(data, Data("abcd".utf8))
        }
        let buffered = try await client.string(call)
        XCTAssertEqual(buffered, "abcd")
        XCTAssertEqual(transport.requests.count, 1)
    }

    /// Answers with a stream that has trailers, and leaves time-outs to the client.
    private struct TrailingTransport: Transport {
        private struct Source: ByteSource {
            let chunks = ScriptedSource(["ab"])

            func next() async throws(NetworkError) -> Data? { try await chunks.next() }
            func cancel() {}
            var trailers: HTTPHeaders { ["X-Sum": "1"] }
        }

        func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
            HTTPResponse(
                head: HTTPResponse.Head(status: 200, headers: ["Cache-Control": "max-age=60"], url: request.url),
                body: .stream(ByteStream(Source())))
        }
    }

    func testStream_keepsItsTrailersOnTheWayToTheStore() async throws {
        let client = NetworkClient(baseURL: try .test("https://api.example")) {
            $0.cache = ResponseCache()
            $0.transport = TrailingTransport()
        }
        let body = try await client.stream(call).body
        for try await _ in body {}
        XCTAssertEqual(body.trailers, ["X-Sum": "1"])
    }

    func testStream_thatIsLeftBrokenOrTooLargeIsNotStored() async throws {
        let cache = ResponseCache(store: .memory(maxEntryBytes: 3))
        let (client, _) = try client(cache, answer: streaming(["ab", "cd"], ["Cache-Control": "max-age=60"]))
        for try await _ in try await client.stream(call).body {}
        let (second, _) = try self.client(cache, answer: streaming(["ab", "c"], ["Cache-Control": "max-age=60"]))
        for try await _ in try await second.stream(call).body { break }
        let (third, _) = try self.client(cache) { _ in
            .text("ab", headers: ["Cache-Control": "max-age=60"]).cut(afterBytes: 2)
        }
        let error = await failure { () async throws(NetworkError) in
            try await third.stream(call).body.collect()
        }
        XCTAssertEqual(error?.kind, .connectionLost)
        let (events, _) = try self.client(cache, answer: streaming(["ab"], ["Content-Type": "text/event-stream"]))
        for try await _ in try await events.stream(call).body {}
        let entries = await cache.entries()
        XCTAssertEqual(entries, [])
        for try await _ in try await second.stream(call).body {}
        let stored = await cache.entries().map(\.byteCount)
        XCTAssertEqual(stored, [3])
    }

    func testValues_cacheThenNetwork() async throws {
        let errors = Collected<NetworkError>()
        let count = Collected<Int>()
        let (client, transport) = try client(errors: errors) { request in
            count.add(1)
            if count.all.count == 3 { return .status(304, headers: ["ETag": "\"1\""]) }
            return .text("\(count.all.count)", headers: ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
        }
        var sources: [[HTTPResponse.Source]] = []
        var values: [[String]] = []
        for _ in 0..<3 {
            var seen: [Response<String>] = []
            for try await response in client.values(call, as: String.self, cache: .cacheThenNetwork) {
                seen.append(response)
            }
            sources.append(seen.map(\.source))
            values.append(seen.map(\.value))
        }
        XCTAssertEqual(sources, [[.mock], [.cacheFresh, .mock], [.cacheFresh, .cacheValidated]])
        XCTAssertEqual(values, [["1"], ["1", "2"], ["2", "2"]])
        XCTAssertEqual(transport.requests.count, 3)
        XCTAssertEqual(errors.all.map(\.kind), [], "nothing stored yet is no failure")

        for try await response in client.values(call, as: String.self, cache: .cacheThenNetwork) {
            XCTAssertEqual(response.value, "2")
            break
        }
        XCTAssertEqual(transport.requests.count, 3, "who leaves after the first value sends nothing")
        var single: [HTTPResponse.Source] = []
        for try await response in client.values(call, as: String.self) { single.append(response.source) }
        XCTAssertEqual(single, [.cacheFresh])
    }

    func testValues_networkFailureComesAfterTheStoredValue() async throws {
        let isDown = Collected<Bool>()
        let (client, _) = try client { _ in
            if !isDown.all.isEmpty { throw NetworkError(.offline, "scripted") }
            return .text("1", headers: ["Cache-Control": "max-age=1, stale-if-error=600"])
        }
        _ = try await client.string(call)
        isDown.add(true)
        clock.advance(by: .seconds(9))
        var iterator = client.values(call, as: String.self, cache: .cacheThenNetwork).makeAsyncIterator()
        let first = try await iterator.next()
        XCTAssertEqual(first?.source, .cacheStale)
        do throws(NetworkError) {
            _ = try await iterator.next()
            XCTFail("the network's failure is the second value's")
        } catch {
            XCTAssertEqual(error.kind, .offline)
        }
        let end = try await iterator.next()
        XCTAssertNil(end)
    }

    func testValues_storedValueOfAnotherShapeIsPassedOver() async throws {
        let count = Collected<Int>()
        let (client, _) = try client { _ in
            count.add(1)
            return .text(count.all.count == 1 ? "[]" : #"{"id": 1, "name": "Ada"}"#)
        }
        _ = try await client.string(call)
        var users: [User] = []
        for try await response in client.values(call, as: User.self, cache: .cacheThenNetwork) {
            users.append(response.value)
        }
        XCTAssertEqual(users, [User(id: 1, name: "Ada")])
    }
}
