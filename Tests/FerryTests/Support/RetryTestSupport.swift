import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// A transport in memory that answers one step after the other and loudly runs out of them.
final class StepTransport: Transport {
    enum Step: Sendable {
        case status(Int, headers: HTTPHeaders = [:], body: String = "")
        case failure(NetworkError.Kind)
        case timeout(TimeoutKind)
        /// A 200 whose body breaks after these bytes.
        case cut(String)
    }

    private struct State {
        var steps: [Step]
        var requests: [HTTPRequest] = []
        var bodies: [String] = []
    }

    private let state: Mutex<State>
    private let clock: ManualClock?
    private let duration: Duration

    /// - Parameters:
    ///   - steps: The last one is repeated where `repeatsLast` says so.
    ///   - clock: Advanced by `duration` in each exchange.
    init(_ steps: [Step], clock: ManualClock? = nil, duration: Duration = .zero) {
        state = Mutex(State(steps: steps))
        self.clock = clock
        self.duration = duration
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    /// What each request's body was, read as the transport would send it.
    var bodies: [String] { state.withLock { $0.bodies } }

    func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        let body = try await Self.read(request.body)
        let step = state.withLock { state in
            state.requests.append(request)
            state.bodies.append(body)
            return state.steps.isEmpty ? nil : state.steps.removeFirst()
        }
        clock?.advance(by: duration)
        switch step {
        case .status(let code, let headers, let body):
            let head = HTTPResponse.Head(status: HTTPStatus(code), headers: headers, url: request.url)
            let data = Data(body.utf8)
            return HTTPResponse(
                head: head, body: context.delivery == .buffered ? .data(data) : .stream(ByteStream([data])))
        case .failure(let kind):
            throw NetworkError(kind, "scripted")
        case .timeout(let timeout):
            throw NetworkError.timedOut(timeout, after: nil)
        case .cut(let start):
            let head = HTTPResponse.Head(status: .ok, url: request.url)
            if context.delivery == .buffered { throw NetworkError(.connectionLost, "scripted") }
            return HTTPResponse(head: head, body: .stream(ByteStream(CutSource(start))))
        case nil:
            XCTFail("\(request) was not expected")
            throw NetworkError(.mock, "\(request) was not expected")
        }
    }

    private static func read(_ body: RequestBody) async throws(NetworkError) -> String {
        do {
            switch body.content {
            case .data(let data): return String(decoding: data, as: UTF8.self)
            case .stream(let stream):
                var data = Data()
                for try await chunk in try stream.makeSequence() { data.append(chunk) }
                return String(decoding: data, as: UTF8.self)
            default: return ""
            }
        } catch {
            throw error as? NetworkError ?? NetworkError(.invalidBody, "scripted")
        }
    }
}

/// Gives its bytes, then breaks.
final class CutSource: ByteSource {
    private let chunk: Mutex<Data?>

    init(_ start: String) { chunk = Mutex(Data(start.utf8)) }

    func next() async throws(NetworkError) -> Data? {
        let next = chunk.withLock { chunk in
            defer { chunk = nil }
            return chunk
        }
        guard let next else { throw NetworkError(.connectionLost, "scripted") }
        return next
    }

    func cancel() {}
}

extension Collected where Element == CallEvent {
    var retries: [(wait: Duration, reason: NetworkError)] {
        all.compactMap { if case .retry(let wait, let reason) = $0 { (wait, reason) } else { nil } }
    }

    var attempts: [Int] { all.compactMap { if case .attempt(let number, _) = $0 { number } else { nil } } }
}

/// Runs a throwing call to its result.
func outcome<Value: Sendable>(
    _ body: () async throws(NetworkError) -> Value
) async -> Result<Value, NetworkError> {
    do throws(NetworkError) { return .success(try await body()) } catch { return .failure(error) }
}

extension Result where Failure == NetworkError {
    var error: NetworkError? { if case .failure(let error) = self { error } else { nil } }
    var value: Success? { try? get() }
}

extension URL {
    /// An address that nobody answers.
    static func test(_ text: String = "https://api.example/items") throws -> URL {
        try XCTUnwrap(URL(string: text))
    }
}
