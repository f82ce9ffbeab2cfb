import Ferry
import FerryTesting
import Foundation
import Synchronization

/// The source of a `ByteStream` in a test: chunks, then the end or an error.
///
/// A mock's body comes through a transport, and does not tell what was left of it; what is tested here is the stream itself,
/// and that it is cancelled.
final class ScriptedSource: ByteSource {
    /// Guards the chunks: the reader and the test are different tasks.
    private let chunks: Mutex<[Data]>
    private let failure: NetworkError?
    /// Opens when the stream is cancelled.
    let cancelled = Gate()

    init(_ chunks: [String] = [], failure: NetworkError? = nil) {
        self.chunks = Mutex(chunks.map { Data($0.utf8) })
        self.failure = failure
    }

    var isCancelled: Bool { cancelled.isOpen }
    var remaining: Int { chunks.withLock { $0.count } }

    func next() async throws(NetworkError) -> Data? {
        let chunk = chunks.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if chunk == nil, let failure { throw failure }
        return chunk
    }

    func cancel() { cancelled.open() }
}

/// Puts a watched stream in the place of the content of responses with a status.
struct StreamReplacement: Interceptor {
    let status: HTTPStatus
    let source: ScriptedSource

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws(NetworkError) -> HTTPResponse
    {
        var response = try await next(request)
        if response.status == status { response.body = .stream(ByteStream(source)) }
        return response
    }
}
