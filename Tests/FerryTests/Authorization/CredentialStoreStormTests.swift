import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// Random schedules through the whole client: what must hold whatever happens when.
final class CredentialStoreStormTests: XCTestCase {
    func testStore_keepsItsPromisesInRandomSchedules() async throws {
        for seed in 0..<1_000 {
            let storm = Storm(seed: UInt64(seed))
            let difference = try await storm.run()
            if let difference { return XCTFail("Seed \(seed): \(difference)") }
        }
    }
}

/// Some calls, each exchange held until the schedule lets it go on.
private final class Storm: Sendable {
    private struct State {
        var random: SeededGenerator
        var accepted = 2
        var session = 0
        var sessionOfToken: [Int: Int] = [1: 0]
        var runningRefreshes = 0
        var lastToken = 1
        var held: [Gate] = []
        /// By call: the sessions of the tokens that it was sent with.
        var sentSessions: [String: [Int]] = [:]
        var complaints: [String] = []
        var isOver = false
    }

    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(random: SeededGenerator(seed: seed))) }

    private func chance(_ range: ClosedRange<Int>) -> Int {
        state.withLock { Int.random(in: range, using: &$0.random) }
    }

    /// Waits until the schedule says go.
    private func hold() async {
        let gate = state.withLock { state -> Gate? in
            guard !state.isOver else { return nil }
            let gate = Gate()
            state.held.append(gate)
            return gate
        }
        await gate?.wait()
    }

    private func refresh(_ old: BearerCredential) async throws(NetworkError) -> BearerCredential {
        state.withLock { state in
            state.runningRefreshes += 1
            // After a sign-out a superseded refresh may still be on its way out.
            if state.runningRefreshes > 1, state.session == 0 { state.complaints.append("Two refreshes at a time") }
        }
        await hold()
        let kind = chance(0...5)
        return try state.withLock { state throws(NetworkError) in
            state.runningRefreshes -= 1
            if kind == 0 { throw NetworkError(.authentication, "refused") }
            if kind == 1 { throw NetworkError(.connectionLost, "hiccup") }
            state.lastToken += 1
            state.accepted = state.lastToken
            state.sessionOfToken[state.lastToken] = state.session
            return BearerCredential(accessToken: "\(state.lastToken)")
        }
    }

    private func answer(_ request: RecordedRequest) async throws(NetworkError) -> MockResponse {
        await hold()
        if Task.isCancelled { throw .cancelled }
        return state.withLock { state in
            guard let field = request.headers["Authorization"], let token = Int(field.dropFirst("Bearer ".count)) else {
                return .status(401)
            }
            let path = request.url.path()
            state.sentSessions[path, default: []].append(state.sessionOfToken[token] ?? -1)
            return token == state.accepted ? .text("ok") : .status(401)
        }
    }

    func run() async throws -> String? {
        let store = CredentialStore(bearer: BearerCredential(accessToken: "1")) { [self] old, _ in
            try await refresh(old)
        }
        let transport = MockTransport.answering { [self] request in try await answer(request) }
        let client = try NetworkClient.scripted(transport) { $0.authorization = .refreshing(store) }
        var calls: [(task: Task<Result<String, NetworkError>, Never>, isCancelled: Bool)] = []
        for _ in 0..<40 {
            switch chance(0...12) {
            case 0...4:
                let path = "/\(calls.count)"
                calls.append((Task { await client.text(NetworkCall(.get, path)) }, false))
            case 5...9:
                let gate = state.withLock { state -> Gate? in
                    guard let index = state.held.indices.randomElement(using: &state.random) else { return nil }
                    return state.held.remove(at: index)
                }
                gate?.open()
            case 10:
                guard !calls.isEmpty else { continue }
                let index = chance(0...calls.count - 1)
                calls[index].isCancelled = true
                calls[index].task.cancel()
            case 11:
                // The server forgets the token.
                state.withLock { $0.accepted = $0.lastToken + 1 }
            default:
                guard chance(0...3) == 0 else { continue }
                store.signOut()
                let token = state.withLock { state in
                    state.session += 1
                    state.lastToken += 1
                    state.sessionOfToken[state.lastToken] = state.session
                    return state.lastToken
                }
                store.set(BearerCredential(accessToken: "\(token)"))
            }
            for _ in 0..<chance(0...4) { await Task.yield() }
        }
        let held = state.withLock { state in
            state.isOver = true
            return state.held
        }
        for gate in held { gate.open() }
        for (task, isCancelled) in calls {
            // Each one ends: a hang here is the failure.
            let result = await task.value
            if result.error?.kind == .cancelled, !isCancelled { return "A call was cancelled that nobody cancelled" }
        }
        await waitUntil { !store.isRefreshing }
        if store.waiterCount > 0 { return "Somebody still waits" }
        return state.withLock { state in
            for (path, sessions) in state.sentSessions {
                if sessions.count > 2 { return "\(path) was sent \(sessions.count) times" }
                if Set(sessions).count > 1 { return "\(path) was sent for two users" }
            }
            return state.complaints.first
        }
    }
}
