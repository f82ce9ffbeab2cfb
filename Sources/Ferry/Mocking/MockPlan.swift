package import Foundation

/// What a mock comes to for one request: a head and when which bytes follow, or a failure. Made without waiting.
package struct MockPlan: Sendable {
    /// Bytes and when they come, from the head.
    package struct Step: Sendable {
        package let due: Duration
        package let data: Data
    }

    package enum Outcome: Sendable {
        /// There is no response.
        case failure(NetworkError)
        /// A head, then the steps, then the end of the body or an error.
        case response(HTTPResponse.Head, steps: [Step], total: Int64?, end: NetworkError?)
    }

    package let outcome: Outcome

    /// Whether the other side takes the request's content before this happens.
    package var readsRequestBody: Bool {
        guard case .failure(let error) = outcome else { return true }
        return ![.offline, .cannotConnect, .cannotFindHost, .tls].contains(error.kind)
    }

    /// Loads what the mock names and checks it.
    ///
    /// - Throws: `NetworkError` of kind `mock`.
    package init(
        _ mock: MockResponse, for request: HTTPRequest, fixtures: FixtureSource
    ) throws(NetworkError) {
        let body: Body
        var status = mock.status
        var headers = mock.headers
        var type = mock.contentType
        switch mock.content {
        case .failure(let error):
            outcome = .failure(error)
            return
        case .empty:
            body = .bytes(Data())
        case .data(let data):
            body = .bytes(data)
        case .encoded(let encode):
            do {
                body = .bytes(try encode())
            } catch {
                throw NetworkError(.mock, "The value of the mock cannot be encoded", underlying: error)
            }
        case .chunks(let chunks):
            body = .chunks(chunks)
        case .fixture(let name):
            let data = try fixtures.data(named: name)
            if FixtureName.isRawResponse(name) {
                let raw = try RawFixture(data, name: name)
                status = status ?? raw.status
                headers = raw.headers.merging(headers)
                body = .bytes(raw.body)
            } else {
                type = type ?? FixtureName.mediaType(of: name)
                let paced = try PacedText(data, name: name)
                // A chunking that the mock asks for goes before the file's own times.
                body = paced.map { mock.chunking == .whole ? .chunks($0.chunks) : .bytes($0.content) } ?? .bytes(data)
            }
        }

        let final = status ?? .ok
        guard (200...999).contains(final.code) else {
            throw NetworkError(.mock, "The mock's status \(final.code) is no final status (RFC 9110 §15)")
        }
        let hasContent = !final.forbidsBody
        if hasContent, let type, !headers.contains("Content-Type") { headers["Content-Type"] = type.description }
        do throws(NetworkError) { try headers.validate() } catch {
            throw NetworkError(.mock, "The mock's headers are malformed: \(error.message)")
        }

        let isCutAtEnd = mock.cut.map { $0.bytes >= body.count } ?? false
        try Self.settleLength(
            &headers, of: body, isSent: hasContent && request.method != .head, addsLength: hasContent && !isCutAtEnd)

        let head = HTTPResponse.Head(status: final, headers: headers, url: request.url)
        guard hasContent, request.method != .head else {
            outcome = .response(head, steps: [], total: nil, end: nil)
            return
        }
        let steps = Self.cut(try body.steps(mock.chunking), after: mock.cut?.bytes)
        // A coded body's length counts coded bytes, and a mock's bytes are decoded (RFC 9110 §8.6).
        let total = Self.isCoded(headers) ? nil : headers["Content-Length"].flatMap { Int64($0) }
        outcome = .response(head, steps: steps, total: total, end: mock.cut?.error)
    }

    /// Adds Content-Length where it is absent and known, and refuses one that is not the body's: a real response of
    /// that kind would be a cut one, which `cut(afterBytes:)` says plainly.
    private static func settleLength(
        _ headers: inout HTTPHeaders, of body: Body, isSent: Bool, addsLength: Bool
    ) throws(NetworkError) {
        guard !isCoded(headers) else { return }
        guard let given = headers["Content-Length"] else {
            if addsLength, body.hasKnownLength { headers["Content-Length"] = String(body.count) }
            return
        }
        guard !isSent || given == String(body.count) else {
            throw NetworkError(
                .mock, "The mock says Content-Length \(given.debugDescription) and has \(body.count) bytes")
        }
    }

    private static func isCoded(_ headers: HTTPHeaders) -> Bool {
        headers.contains("Content-Encoding") || headers.contains("Transfer-Encoding")
    }

    /// The steps up to a number of bytes.
    private static func cut(_ steps: [Step], after limit: Int?) -> [Step] {
        guard let limit else { return steps }
        var left = limit
        var kept: [Step] = []
        for step in steps where left > 0 {
            kept.append(Step(due: step.due, data: Data(step.data.prefix(left))))
            left -= min(left, step.data.count)
        }
        return kept
    }
}

/// The body of a mock, loaded.
private enum Body {
    case bytes(Data)
    case chunks([MockResponse.Chunk])

    var count: Int {
        switch self {
        case .bytes(let data): data.count
        case .chunks(let chunks): chunks.reduce(0) { $0 + $1.data.count }
        }
    }

    var hasKnownLength: Bool { if case .bytes = self { true } else { false } }

    func steps(_ chunking: MockResponse.Chunking) throws(NetworkError) -> [MockPlan.Step] {
        var due: Duration = .zero
        switch self {
        case .chunks(let chunks):
            return chunks.map {
                due += max($0.wait, .zero)
                return MockPlan.Step(due: due, data: $0.data)
            }
        case .bytes(let data):
            guard let size = chunking.size else { return data.isEmpty ? [] : [MockPlan.Step(due: due, data: data)] }
            guard size > 0 else { throw NetworkError(.mock, "The mock's chunks have a size of \(size) bytes") }
            var steps: [MockPlan.Step] = []
            var rest = data[...]
            while !rest.isEmpty {
                steps.append(MockPlan.Step(due: due, data: Data(rest.prefix(size))))
                rest = rest.dropFirst(size)
                due += max(chunking.interval, .zero)
            }
            return steps
        }
    }
}
