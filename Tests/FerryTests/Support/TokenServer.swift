import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// A scripted server that takes one token, and a store whose refresh asks it at /token.
final class TokenServer: Sendable {
    struct Call: Sendable {
        let path: String
        let authorization: String?
    }

    private struct State {
        var accepted: String? = "T2"
        var calls: [Call] = []
        var refreshes: [MockResponse] = []
    }

    private let state = Mutex(State())
    /// Runs before an answer to anything but /token; gets the number of the request, from 1.
    private let hold: @Sendable (Int, Call) async -> Void
    /// Runs before an answer to /token.
    private let holdRefresh: @Sendable () async -> Void

    /// - Parameter refreshes: The answers to /token in order; by default `T2`, `T3`, …
    init(
        accepting token: String? = "T2", refreshes: [MockResponse] = [],
        hold: @escaping @Sendable (Int, Call) async -> Void = { _, _ in },
        holdRefresh: @escaping @Sendable () async -> Void = {}
    ) {
        self.hold = hold
        self.holdRefresh = holdRefresh
        state.withLock {
            $0.accepted = token
            $0.refreshes = refreshes
        }
    }

    var calls: [Call] { state.withLock { $0.calls.filter { $0.path != "/token" } } }
    var refreshCalls: [Call] { state.withLock { $0.calls.filter { $0.path == "/token" } } }
    func calls(with token: String) -> Int { calls.filter { $0.authorization == "Bearer \(token)" }.count }

    var transport: MockTransport {
        MockTransport.answering { [self] request in await answer(request) }
    }

    private func answer(_ request: RecordedRequest) async -> MockResponse {
        let call = Call(path: request.url.path(), authorization: request.headers["Authorization"])
        let (number, refresh) = state.withLock { state in
            state.calls.append(call)
            let refreshes = state.calls.filter { $0.path == "/token" }.count
            return (state.calls.count - refreshes, refreshes)
        }
        if call.path == "/token" {
            await holdRefresh()
            return state.withLock { state in
                state.refreshes.isEmpty
                    ? .text("T\(refresh + 1)")
                    : state.refreshes.removeFirst()
            }
        }
        await hold(number, call)
        let accepted = state.withLock { $0.accepted }
        guard let accepted, call.authorization == "Bearer \(accepted)" else {
            return .status(401, headers: ["WWW-Authenticate": "Bearer"])
        }
        return .text("ok")
    }
}

extension CredentialStore where A == BearerAuthenticator {
    /// A store that holds `T1` and refreshes through the client that needs the credential.
    static func asking(
        _ path: String = "/token", credential: BearerCredential? = BearerCredential(accessToken: "T1"),
        coolDown: Duration = .zero, onChange: (@Sendable (BearerCredential?) -> Void)? = nil
    ) -> CredentialStore {
        CredentialStore(bearer: credential, coolDown: coolDown, onChange: onChange) { _, context in
            BearerCredential(accessToken: try await context.client.request(NetworkCall(.post, path)))
        }
    }
}

/// Lets tasks through once a number of them has come.
final class Barrier: Sendable {
    private let count: Int
    private let arrived = Mutex(0)
    private let gate = Gate()

    init(_ count: Int) { self.count = count }

    func pass() async {
        let isLast = arrived.withLock { arrived in
            arrived += 1
            return arrived == count
        }
        if isLast { gate.open() }
        await gate.wait()
    }
}

extension NetworkClient {
    /// A client over a scripted transport.
    static func scripted(
        _ transport: any Transport, configure: (inout Configuration) -> Void = { _ in }
    ) throws -> NetworkClient {
        var configuration = Configuration(baseURL: try .test("https://api.example"))
        configuration.transport = transport
        configuration.clock = ManualClock()
        // Barriers hold more exchanges at a time than the default slots.
        configuration.throttle = .none
        configure(&configuration)
        return NetworkClient(configuration: configuration)
    }

    /// A call's text, or its error.
    nonisolated func text(_ call: NetworkCall) async -> Result<String, NetworkError> {
        await outcome { () async throws(NetworkError) in try await string(call) }
    }

    /// The results of a number of calls that run together.
    nonisolated func texts(_ count: Int, _ call: NetworkCall) async -> [Result<String, NetworkError>] {
        await withTaskGroup(of: Result<String, NetworkError>.self) { group in
            for _ in 0..<count { group.addTask { await self.text(call) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
