import Ferry
import Foundation
import Synchronization

/// A transport in memory: answers each request with what a closure gives, and remembers the requests.
final class ScriptedTransport: Transport {
    private let answer: @Sendable (HTTPRequest) async throws(NetworkError) -> HTTPResponse
    /// Guards the requests: hops of several calls may arrive at once.
    private let seen = Mutex<[HTTPRequest]>([])

    init(_ answer: @escaping @Sendable (HTTPRequest) async throws(NetworkError) -> HTTPResponse) {
        self.answer = answer
    }

    /// Answers by URL without fragment; a URL that is not scripted is a loud error.
    convenience init(_ responses: [String: HTTPResponse]) {
        self.init { request throws(NetworkError) in
            let key = String(request.url.absoluteString.split(separator: "#")[0])
            guard let response = responses[key] else { throw NetworkError(.mock, "Not scripted: \(key)") }
            return response
        }
    }

    var requests: [HTTPRequest] { seen.withLock { $0 } }

    func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        seen.withLock { $0.append(request) }
        return try await answer(request)
    }
}

extension HTTPResponse {
    /// A response for scripts; its head has a URL that tests can tell from the right one.
    static func scripted(_ status: HTTPStatus, _ headers: HTTPHeaders = [:], body: String = "") -> HTTPResponse {
        HTTPResponse(
            head: Head(status: status, headers: headers, url: URL(filePath: "/scripted")),
            body: .data(Data(body.utf8)))
    }

    static func redirect(_ status: HTTPStatus, _ location: String) -> HTTPResponse {
        scripted(status, ["Location": location])
    }
}

extension RequestBody {
    /// The bytes of a body in memory, else nil.
    var bytes: Data? { if case .data(let data) = content { data } else { nil } }
}
