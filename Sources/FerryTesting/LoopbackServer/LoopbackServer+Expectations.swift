public import Ferry
import Foundation
import Synchronization

extension LoopbackServer {
    /// Gives the answer to a request, as the rest of the middleware and the route would.
    public typealias Next = @Sendable (LoopbackRequest) async throws -> LoopbackResponse

    /// Puts a step before every route: it may change the request, answer by itself, or change the response.
    ///
    /// ```swift
    /// server.use { request, next in
    ///     guard request.headers["Authorization"] != nil else { return .status(401) }
    ///     return try await next(request).header("X-Served", "yes")
    /// }
    /// ```
    ///
    /// Steps run in the order in which they were added, in the task of the handler; also where no route matches. Streaming
    /// handlers have none: their body has not come yet.
    public func use(
        _ step: @escaping @Sendable (LoopbackRequest, Next) async throws -> LoopbackResponse
    ) {
        core.middleware.withLock { $0.append(step) }
    }

    /// Answers requests of a kind, and has ``verify()`` fail the test where they did not come as often as expected.
    ///
    /// ```swift
    /// server.expect(.post, "/users", matching: [.json(["name": "Ada"])], .status(201))
    /// server.expect(.post, "/users", matching: [.json(["name": "Bob"])], .status(409))
    /// // … what is tested …
    /// server.verify()
    /// ```
    ///
    /// Several expectations of one method and path are one route: a request counts for the first that it fits and that has
    /// not all its requests yet, else for the last that it fits. One that fits none gets the answer of the first.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, as in a route; it is one, and replaces a route of this method and path.
    ///   - matches: What else is asked of a request for it to count. Default: nothing.
    ///   - times: How often exactly. Default once.
    ///   - response: The answer.
    ///   - fileID: The place that a failure names, with the next three. Default: the caller's.
    ///   - filePath: As `fileID`.
    ///   - line: As `fileID`.
    ///   - column: As `fileID`.
    public func expect(
        _ method: HTTPMethod, _ path: String, matching matches: [RequestMatch] = [], times: Int = 1,
        _ response: LoopbackResponse,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        let expectation = LoopbackExpectation(
            method: method, pattern: PathPattern(path), matches: matches, times: times, place: place,
            response: response)
        core.expectations.withLock { $0.append(expectation) }
        // Weak: the core holds its routes.
        on(method, path) { [weak core, baseURL] request in
            guard let core, let recorded = RecordedRequest(request, number: 0, baseURL: baseURL) else {
                return response
            }
            return core.expectedAnswer(to: recorded, like: expectation)
        }
    }

    /// Fails the test, at its line, for each expectation that was not met, and lists the requests that came.
    public func verify() { verify { $0.report() } }

    /// As `verify()`, with failures taken in place of the test framework.
    package func verify(_ failureHandler: (TestIssue) -> Void) {
        let requests = requests.enumerated().compactMap { index, request in
            RecordedRequest(request, number: index + 1, baseURL: baseURL)
        }
        let expectations = core.expectations.withLock { $0 }
        var counts = expectations.map { _ in 0 }
        for request in requests {
            let fitting = expectations.indices.filter { expectations[$0].fits(request) }
            // The most specific route is the one that answered.
            let best = fitting.map { expectations[$0].pattern.rank }.min { $0.lexicographicallyPrecedes($1) }
            let answering = fitting.filter { expectations[$0].pattern.rank == best }
            if let index = answering.first(where: { counts[$0] < expectations[$0].times }) ?? answering.last {
                counts[index] += 1
            }
        }
        let came = requests.map { "\n  - \($0.method) \($0.path)" }.joined()
        for (expectation, count) in zip(expectations, counts) where count != expectation.times {
            failureHandler(
                TestIssue(
                    "Expected \(expectation) \(expectation.times) times, and it came \(count) times. "
                        + (came.isEmpty ? "No request came" : "What came:\(came)"), at: expectation.place))
        }
    }
}

/// Requests that must come.
struct LoopbackExpectation: Sendable, CustomStringConvertible {
    let method: HTTPMethod
    let pattern: PathPattern
    let matches: [RequestMatch]
    let times: Int
    let place: SourcePlace
    let response: LoopbackResponse
    /// How many requests it answered.
    var answered = 0

    func fits(_ request: RecordedRequest) -> Bool {
        request.method == method && pattern.match(PathPattern.split(request.path)) != nil
            && matches.allSatisfy { $0.test(request) }
    }

    var description: String {
        "\(method) \(pattern.text)"
            + (matches.isEmpty ? "" : " with " + matches.map(\.description).joined(separator: ", "))
    }
}

extension LoopbackCore {
    /// The answer to a request of an expectation's route, its turn taken.
    func expectedAnswer(to request: RecordedRequest, like expectation: LoopbackExpectation) -> LoopbackResponse {
        let all = expectations.withLock { $0 }
        let route = all.indices.filter {
            all[$0].method == expectation.method && all[$0].pattern == expectation.pattern
        }
        // Without the lock: a match is a test's own code.
        let fitting = route.filter { all[$0].fits(request) }
        return expectations.withLock { list in
            if let index = fitting.first(where: { list[$0].answered < list[$0].times }) ?? fitting.last {
                list[index].answered += 1
                return list[index].response
            }
            return route.first.map { list[$0].response } ?? expectation.response
        }
    }
}

extension RecordedRequest {
    /// A request of a server; nil where its target is no path.
    init?(_ request: LoopbackRequest, number: Int, baseURL: URL) {
        guard let url = URL(string: baseURL.absoluteString + request.path + (request.query.map { "?\($0)" } ?? ""))
        else { return nil }
        self.init(
            number: number, method: request.method, url: url, headers: request.headers, body: request.body,
            hasBody: request.framing != .none)
    }
}

extension LoopbackCore {
    /// An action with the middleware before it.
    func wrapped(_ action: RouteTable.Action) -> RouteTable.Action {
        let steps = middleware.withLock { $0 }
        guard !steps.isEmpty else { return action }
        let last: LoopbackServer.Next
        switch action {
        case .canned(let response): last = { _ in response }
        case .handler(let handler): last = handler
        case .script, .streaming: return action
        }
        return .handler(
            steps.reversed().reduce(last) { next, step in { request in try await step(request, next) } })
    }
}
