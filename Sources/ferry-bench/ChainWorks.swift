import Ferry
import FerryTesting
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a client does around an exchange, without one.
enum ChainWorks {
    static var all: [Work] {
        [
            Work(name: "interceptor chain", run: chain), Work(name: "mocked calls", run: mocked),
            Work(name: "pages", run: pages), Work(name: "client start-up", run: startUp),
        ]
    }

    /// Hands on what it gets.
    struct PassThrough: Interceptor {
        func intercept(
            _ request: HTTPRequest, context: CallContext, next: Next
        ) async throws(NetworkError) -> HTTPResponse { try await next(request) }
    }

    /// Eight interceptors that do nothing, against the transport alone.
    private static func chain(_ bench: Bench) async throws -> [Row] {
        let transport = InMemoryTransport()
        let chain = InterceptorChain(Array(repeating: PassThrough(), count: 8), over: transport)
        let request = HTTPRequest(url: try CallWorks.url("http://localhost/x"))
        let context = CallContext()
        return try await bench.compared("chain of 8 interceptors", count: 20_000) {
            _ = try await chain.send(request, context: context)
        } baseline: {
            _ = try await transport.send(request, context: context)
        }
    }

    /// The mocks that a user's tests have, decoded; against the decoding alone.
    private static func mocked(_ bench: Bench) async throws -> [Row] {
        let client = NetworkClient(baseURL: try CallWorks.url("http://localhost/v1")) {
            let mock = MockTransport(allowsUnusedRoutes: true)
            for number in 0..<10 { mock.on(.get, "/v1/other/\(number)", .status(404)) }
            mock.on(.get, "/v1/users/{id}", .data(BenchServer.json, contentType: .json))
            $0.transport = mock
        }
        let decoder = JSONDecoder()
        return try await bench.compared("10,000 mocked calls", count: 10_000) {
            let page: BenchServer.Page = try await client.get("/users/42")
            precondition(page.total == 9, "A wrong answer")
        } baseline: {
            _ = try decoder.decode(BenchServer.Page.self, from: BenchServer.json)
        }
    }

    /// A list in pages that a Link field connects.
    struct List: Paginated {
        typealias Response = [Int]
        var path: String { "/list" }
        var pagination: Pagination { .linkHeader() }
    }

    /// Answers pages from 1 to a number, with ten items each.
    struct PageTransport: Transport {
        let last: Int

        var enforcesTimeouts: Bool { true }

        func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
            let page = request.url.query().flatMap { Int($0.dropFirst("page=".count)) } ?? 1
            var headers: HTTPHeaders = ["Content-Type": "application/json"]
            if page < last { headers["Link"] = "<http://localhost/list?page=\(page + 1)>; rel=\"next\"" }
            return HTTPResponse(
                head: HTTPResponse.Head(status: .ok, headers: headers, url: request.url),
                body: .data(Data("[1,2,3,4,5,6,7,8,9,10]".utf8)))
        }
    }

    /// A thousand pages, item by item, against as many calls written out.
    private static func pages(_ bench: Bench) async throws -> [Row] {
        let count = 1_000
        let client = NetworkClient(baseURL: try CallWorks.url("http://localhost/")) {
            $0.transport = PageTransport(last: count)
        }
        let samples = try await bench.interleaved {
            try await Cost.of(count) {
                var items = 0
                for try await _ in client.items(List()) { items += 1 }
                precondition(items == count * 10, "A wrong answer")
            }
        } baseline: {
            try await Cost.of(count) {
                var items = 0
                for page in 1...count {
                    let list: [Int] = try await client.get("/list", query: ["page": page])
                    items += list.count
                }
                precondition(items == count * 10, "A wrong answer")
            }
        }
        return [
            .value(
                "1,000 pages", "µs/page", samples.ferry.map { $0.time * 1e6 },
                baseline: samples.baseline.map { $0.time * 1e6 }, budget: .none, unit: "µs")
        ]
    }

    /// A client up to its first call, against a session alone.
    private static func startUp(_ bench: Bench) async throws -> [Row] {
        let url = try CallWorks.url("http://localhost/")
        return try await bench.compared("client start-up", count: 500) {
            let client = NetworkClient(baseURL: url) { $0.retry = .exponential() }
            precondition(client.configuration.baseURL != nil, "A wrong answer")
        } baseline: {
            let session = URLSession(configuration: .default)
            session.finishTasksAndInvalidate()
        }
    }
}

/// Answers at once.
struct InMemoryTransport: Transport {
    var body = BenchServer.json
    var headers: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": "943"]

    // So that the client adds no race of its own.
    var enforcesTimeouts: Bool { true }

    func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        HTTPResponse(
            head: HTTPResponse.Head(status: .ok, headers: headers, url: request.url), body: .data(body))
    }
}
