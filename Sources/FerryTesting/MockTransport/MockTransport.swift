// MockTransport: a transport that a test scripts. It answers as mock mode does (Ferry's MockedExchange makes both), fails
// the test on what was not scripted, and remembers what it was asked.

public import Ferry
import Foundation
import Synchronization

/// A transport that answers from routes in place of the network, and fails the test where no route matches.
///
/// ```swift
/// let mock = MockTransport()
/// mock.on(.get, "/users/{id}", .json(#"{"id": 1, "name": "Ada"}"#))
/// mock.on(.get, "/flaky", .status(503), .status(503), .json("{}"))
///
/// let client = NetworkClient(baseURL: url) { $0.transport = mock }
/// let user: User = try await client.get("/users/1")
/// mock.verify()                                           // every route was used, each reply of a sequence too
/// XCTAssertEqual(mock.requests.map(\.path), ["/users/1"])
/// ```
///
/// A request goes through everything that a real one goes through, retries and redirects included. The first route that
/// matches and is not used up answers. Where none does, the call fails with `NetworkError.Kind.mock` and the test fails
/// at the line that made the transport, with a message that names the request and the nearest routes. Routes that were
/// not used fail the test in ``verify(fileID:filePath:line:column:)``, or when the transport goes away.
///
/// ## Step by step
///
/// Put the mock where the network was. Everything above it stays real, retries included:
///
/// ```swift
/// let mock = MockTransport()
/// let client = NetworkClient(baseURL: url) {
///     $0.transport = mock
///     $0.retry = .constant(.zero, maxRetries: 2)
/// }
/// ```
///
/// Script what is answered, by path, by sequence, by what was asked:
///
/// ```swift
/// mock.on(.get, "/books/{id}") { request in .json(#"{"title": "Book \#(request.pathParameters["id"] ?? "")"}"#) }
/// mock.on(.get, "/flaky", .status(503), .failure(.connectionLost), .text("up"))
/// let search = mock.on(.get, "/search", matching: [.query("q", "sea")], times: .exactly(1), .json("[]"))
/// ```
///
/// Run the code under test:
///
/// ```swift
/// let book: Book = try await client.get("/books/7")
/// let flaky = try await client.string(NetworkCall(.get, "/flaky"))  // the third attempt
/// let found: [Book] = try await client.get("/search", query: ["q": "sea"])
/// ```
///
/// See that nothing was left out, and what was sent:
///
/// ```swift
/// mock.verify()  // every route was used as often as it was meant to be
/// mock.assertRequests("GET /books/7", "GET /flaky", "GET /flaky", "GET /flaky", "GET /search")
/// XCTAssertEqual(mock.requests(of: search).first?.queryItems.first?.value, "sea")
/// ```
public final class MockTransport: Transport {
    private struct State {
        var routes: [MockRoute] = []
        var answered: [Int: Int] = [:]
        var requests: [RecordedRequest] = []
        var isVerified = false
        var isShutDown = false
    }

    /// Guards routes, counts and requests: calls arrive from many tasks at once.
    private let state = Mutex(State())
    private let fixtures: FixtureSource
    private let allowsUnusedRoutes: Bool
    private let place: SourcePlace
    private let failureHandler: @Sendable (TestIssue) -> Void

    /// Creates a transport without routes.
    ///
    /// - Parameters:
    ///   - fixtures: Where fixtures of replies are found. Default: none.
    ///   - allowsUnusedRoutes: Whether a route may stay unused. Default false: it fails the test at its line.
    ///   - failureHandler: Takes failures in place of the test framework. Default nil: ``TestIssue/report()``.
    ///   - fileID: The place that a failure names, with the next three. Default: the caller's.
    ///   - filePath: As `fileID`.
    ///   - line: As `fileID`.
    ///   - column: As `fileID`.
    public init(
        fixtures: FixtureSource = .empty, allowsUnusedRoutes: Bool = false,
        failureHandler: (@Sendable (TestIssue) -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        self.fixtures = fixtures
        self.allowsUnusedRoutes = allowsUnusedRoutes
        self.failureHandler = failureHandler ?? { $0.report() }
        place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    }

    deinit {
        guard !state.withLock({ $0.isVerified }) else { return }
        reportUnused(at: nil)
    }

    // MARK: Routes

    /// Answers with replies, one after the other; the last one repeats.
    ///
    /// - Parameters:
    ///   - method: The method; nil is any.
    ///   - path: The whole path of the URL, that of the base URL included: literals, `{name}` for one captured segment or a
    ///     part of it (`/files/{name}.json`), `*` for any one, a final `**` for the rest. A leading slash may be left out.
    ///     A query asks for its pairs, among others; an absolute URL for its origin.
    ///   - matches: What else is asked of the request. Default: nothing.
    ///   - times: How often the route is meant to answer. Default: each reply at least once.
    ///   - replies: The answers, at least one.
    ///   - fileID: The place that a failure names, with the next three. Default: the caller's.
    ///   - filePath: As `fileID`.
    ///   - line: As `fileID`.
    ///   - column: As `fileID`.
    /// - Precondition: There is a reply.
    @discardableResult
    public func on(
        _ method: HTTPMethod?, _ path: String, matching matches: [RequestMatch] = [],
        times: MockRoute.Times = .atLeastOnce, _ replies: MockResponse...,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> MockRoute {
        on(
            method, path, matching: matches, times: times, replies: replies, fileID: fileID, filePath: filePath,
            line: line, column: column)
    }

    /// Answers with a list of replies, one after the other; the last one repeats.
    ///
    /// ```swift
    /// mock.on(.get, "/flaky", replies: Array(repeating: .status(503), count: 4) + [.text("up")])
    /// ```
    ///
    /// - Parameters:
    ///   - method: The method; nil is any.
    ///   - path: As for single replies.
    ///   - matches: What else is asked of the request. Default: nothing.
    ///   - times: How often the route is meant to answer. Default: each reply at least once.
    ///   - replies: The answers, at least one.
    ///   - fileID: The place that a failure names, with the next three. Default: the caller's.
    ///   - filePath: As `fileID`.
    ///   - line: As `fileID`.
    ///   - column: As `fileID`.
    /// - Precondition: There is a reply.
    @discardableResult
    public func on(
        _ method: HTTPMethod?, _ path: String, matching matches: [RequestMatch] = [],
        times: MockRoute.Times = .atLeastOnce, replies: [MockResponse],
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) -> MockRoute {
        precondition(!replies.isEmpty, "The route \(path) has no reply")
        return add(
            method, path, matches, times, .list(replies),
            SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Answers with what a closure gives for each request. What it throws is thrown by the call.
    ///
    /// - Parameters:
    ///   - method: The method; nil is any.
    ///   - path: As for replies.
    ///   - matches: What else is asked of the request. Default: nothing.
    ///   - times: How often the route is meant to answer. Default: at least once.
    ///   - reply: Gives the answer.
    ///   - fileID: The place that a failure names, with the next three. Default: the caller's.
    ///   - filePath: As `fileID`.
    ///   - line: As `fileID`.
    ///   - column: As `fileID`.
    @discardableResult
    public func on(
        _ method: HTTPMethod?, _ path: String, matching matches: [RequestMatch] = [],
        times: MockRoute.Times = .atLeastOnce,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column, _ reply: @escaping MockRoute.Reply
    ) -> MockRoute {
        add(
            method, path, matches, times, .closure(reply),
            SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    private func add(
        _ method: HTTPMethod?, _ path: String, _ matches: [RequestMatch], _ times: MockRoute.Times,
        _ replies: MockRoute.Replies, _ place: SourcePlace
    ) -> MockRoute {
        state.withLock { state in
            let route = MockRoute(
                id: state.routes.count, method: method, path: path, matches: matches, times: times, replies: replies,
                place: place)
            state.routes.append(route)
            state.isVerified = false
            return route
        }
    }

    // MARK: What came

    /// The requests so far, in the order in which they came, unmatched ones included.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// The requests that a route answered, in order.
    public func requests(of route: MockRoute) -> [RecordedRequest] { requests.filter { $0.route?.id == route.id } }

    /// The routes, in the order in which they were added.
    public var routes: [MockRoute] { state.withLock { $0.routes } }

    func answered(_ route: MockRoute) -> Int { state.withLock { $0.answered[route.id] ?? 0 } }

    /// True: nothing is sent that a pin could guard.
    public var enforcesPins: Bool { true }

    /// Fails the test for every route that was not used as often as it was meant to be.
    ///
    /// Without this the same happens when the transport goes away, which is later than one thinks where something still
    /// holds the client.
    public func verify(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        state.withLock { $0.isVerified = true }
        reportUnused(at: SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    private func reportUnused(at place: SourcePlace?) {
        guard !allowsUnusedRoutes else { return }
        for route in routes {
            let count = answered(route)
            guard count < route.minimum else { continue }
            let words =
                count == 0 ? "was never used" : "was used \(count) times and is meant for \(route.minimum)"
            fail("The mocked route \(route) \(words)", at: route.place)
        }
    }

    func fail(_ message: String, at place: SourcePlace? = nil) {
        failureHandler(TestIssue(message, at: place ?? self.place))
    }

    // MARK: Transport

    /// Answers one request.
    ///
    /// - Throws: `NetworkError`: of kind `mock` where no route matches; what the reply throws; `cancelled` after a
    ///   shutdown.
    public func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        if state.withLock({ $0.isShutDown }) { throw .cancelled }
        // A matcher looks at the body, and the exchange takes it: the bytes must outlive both.
        let whole = try await request.withBodyInMemory()
        let (recorded, number) = claim(whole)
        guard let route = recorded.route else {
            let message = unmatched(recorded)
            fail(message)
            throw NetworkError(.mock, message).describing(request)
        }
        let reply = try await reply(of: route, number, recorded)
        do throws(NetworkError) {
            return try await MockedExchange.respond(to: whole, with: reply, fixtures: fixtures, context: context)
        } catch {
            // A missing fixture, or a reply that contradicts itself: no answer either, and loud for the same reason.
            if error.kind == .mock, !reply.isFailure { fail("\(route): \(error.message)", at: route.place) }
            throw error
        }
    }

    /// Fails every later call.
    public func shutdown() { state.withLock { $0.isShutDown = true } }

    /// Records a request and takes the turn of its route.
    ///
    /// - Returns: The request and the route's number of the answer, from 0.
    private func claim(_ request: HTTPRequest) -> (RecordedRequest, Int) {
        let (routes, came) = state.withLock { state in
            let came = RecordedRequest(request, number: state.requests.count + 1)
            state.requests.append(came)
            return (state.routes, came)
        }
        // Without the lock: what a test's own match asks may be the transport itself.
        let segments = PathPattern.split(came.path)
        let fitting = routes.filter { $0.takes(came, segments) }
        return state.withLock { state in
            var recorded = came
            let route = fitting.first { (state.answered[$0.id] ?? 0) < $0.maximum }
            recorded.route = route
            recorded.pathParameters = route?.parameters(recorded) ?? [:]
            state.requests[recorded.number - 1] = recorded
            guard let route else { return (recorded, 0) }
            let number = state.answered[route.id] ?? 0
            state.answered[route.id] = number + 1
            return (recorded, number)
        }
    }

    private func reply(
        of route: MockRoute, _ number: Int, _ request: RecordedRequest
    ) async throws(NetworkError) -> MockResponse {
        switch route.replies {
        case .list(let replies):
            return replies[min(number, replies.count - 1)]
        case .closure(let closure):
            do {
                return try await closure(request)
            } catch let error as NetworkError {
                throw error
            } catch is CancellationError {
                throw .cancelled
            } catch {
                throw NetworkError(.mock, "The reply of \(route) threw \(type(of: error))", underlying: error)
            }
        }
    }
}

extension MockTransport: CustomReflectable {
    /// The routes alone: requests and replies may hold secrets.
    public var customMirror: Mirror { Mirror(self, children: ["routes": routes.map(\.description)]) }
}
