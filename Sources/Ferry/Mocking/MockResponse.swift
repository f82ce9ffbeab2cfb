// Mocking: answers that take the place of a server: what an Api carries as its mock response, the fixture files behind
// it, the exchange that both mock mode and the mock transport make of it, and the transport of mock mode.
// A middle room beside Transport: it may name Messages and Pipeline, and nothing else of Ferry.

package import Foundation

/// What answers a call in place of a server.
///
/// ```swift
/// struct GetUser: Api {
///     typealias Response = User
///     var path: String { "/users/1" }
///     var mockResponse: MockResponse? { .fixture("users/1.json", delay: .milliseconds(200)) }
/// }
/// ```
///
/// The answer passes everything that a server's answer passes: validation, retries, redirects, caching, logging. So a
/// mocked 500 fails a call as a real one does.
///
/// A mock that contradicts itself (a missing fixture, a status of 1xx, a Content-Length that is not the body's) fails
/// the call with `NetworkError.Kind.mock`; it never falls back to the network.
public struct MockResponse: Sendable {
    /// What the body is made of, or that there is no response at all.
    package enum Content: Sendable {
        case empty
        case data(Data)
        case encoded(@Sendable () throws -> Data)
        case fixture(String)
        case chunks([Chunk])
        case failure(NetworkError)
    }

    /// Bytes of a scheduled body.
    package struct Chunk: Sendable {
        package var wait: Duration
        package var data: Data
    }

    /// Where a body breaks off.
    package struct Cut: Sendable {
        package var bytes: Int
        package var error: NetworkError
    }

    /// How a body is cut into the chunks of a stream.
    public struct Chunking: Hashable, Sendable {
        /// Bytes of a chunk, or nil for all in one.
        package var size: Int?
        /// The time between two chunks.
        package var interval: Duration

        /// All bytes in one chunk, at once.
        public static let whole = Chunking(size: nil, interval: .zero)

        /// Chunks of a size, the last one shorter where it must be.
        ///
        /// - Parameters:
        ///   - size: Bytes of a chunk, at least 1.
        ///   - interval: The time between two chunks, by the client's clock; the first comes with the head. Default:
        ///     none.
        public static func of(_ size: Int, every interval: Duration = .zero) -> Chunking {
            Chunking(size: size, interval: interval)
        }
    }

    /// The status; nil means what a `.http` fixture says, else 200.
    public var status: HTTPStatus?

    /// Header fields of the response.
    ///
    /// Content-Type and Content-Length are added where absent and known. Over a `.http` fixture these replace the
    /// fields of the same names.
    public var headers: HTTPHeaders

    /// The time from the request's last byte until the head, or the failure, comes; by the client's clock. Default zero.
    public var delay: Duration

    package let content: Content
    package var contentType: MediaType?
    package var chunking = Chunking.whole
    package var cut: Cut?

    package init(
        _ content: Content, status: HTTPStatus? = nil, headers: HTTPHeaders = [:], contentType: MediaType? = nil,
        delay: Duration = .zero, chunking: Chunking = .whole
    ) {
        self.content = content
        self.status = status
        self.headers = headers
        self.contentType = contentType
        self.delay = delay
        self.chunking = chunking
    }
}

extension MockResponse {
    /// Whether the answer is that no response comes.
    package var isFailure: Bool { if case .failure = content { true } else { false } }

    /// This answer, coming later.
    ///
    /// - Parameter delay: The time until the head comes, in place of the one set before.
    public func delayed(by delay: Duration) -> MockResponse { with { $0.delay = delay } }

    /// This answer with a header field in place of any of that name.
    public func header(_ name: String, _ value: String) -> MockResponse { with { $0.headers[name] = value } }

    /// This answer with another status.
    public func status(_ status: HTTPStatus) -> MockResponse { with { $0.status = status } }

    /// This answer, its body in chunks; has no effect on ``chunks(_:status:headers:contentType:)``, which has its own.
    public func chunked(_ chunking: Chunking) -> MockResponse { with { $0.chunking = chunking } }

    /// This answer, breaking off inside its body.
    ///
    /// A call that takes the whole body fails; a stream gives the bytes that came and then throws. It fails also where
    /// the body has no more than `bytes`: the server meant to send more.
    ///
    /// - Parameters:
    ///   - bytes: Most bytes of the body that come. Default 0: the connection ends after the head.
    ///   - kind: What the call fails with. Default `connectionLost`.
    public func cut(afterBytes bytes: Int = 0, failing kind: NetworkError.Kind = .connectionLost) -> MockResponse {
        with { $0.cut = Cut(bytes: max(0, bytes), error: .mocked(kind)) }
    }

    private func with(_ change: (inout MockResponse) -> Void) -> MockResponse {
        var copy = self
        change(&copy)
        return copy
    }
}

extension MockResponse: CustomStringConvertible, CustomReflectable {
    /// The status and where the body comes from, never what is in it.
    public var description: String {
        let answer = status.map(String.init(describing:)) ?? "mocked"
        return switch content {
        case .empty: "\(answer), no content"
        case .data(let data): "\(answer), \(data.count) bytes"
        case .encoded: "\(answer), a value as JSON"
        case .fixture(let name): "\(answer), fixture \(name.debugDescription)"
        case .chunks(let chunks): "\(answer), \(chunks.count) chunks"
        case .failure(let error): "failure \(error.kind)"
        }
    }

    /// What the description shows: content may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["mock": description]) }
}
