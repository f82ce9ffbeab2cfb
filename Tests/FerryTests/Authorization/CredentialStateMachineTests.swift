import Ferry
import FerryTesting
import XCTest

final class CredentialStateMachineTests: XCTestCase {
    /// 2,000 random schedules of 80 events each: the machine and a model that looks through the whole history decide
    /// alike, and every waiter is released exactly once.
    func testMachine_decidesAsTheModelInRandomSchedules() {
        var seen: [String: Int] = [:]
        for seed in 0..<2_000 {
            var schedule = Schedule(seed: UInt64(seed))
            for step in 0..<80 {
                if let difference = schedule.step() {
                    return XCTFail("Seed \(seed), step \(step): \(difference)")
                }
            }
            if let difference = schedule.finish() { return XCTFail("Seed \(seed), end: \(difference)") }
            seen.merge(schedule.seen) { $0 + $1 }
        }
        // Each kind of decision came up often, so that nothing is shown by chance alone.
        for kind in ["send", "none", "wait", "refresh", "fail"] {
            XCTAssertGreaterThan(seen["request \(kind)"] ?? 0, 200, kind)
            XCTAssertGreaterThan(seen["rejected \(kind)"] ?? 0, 200, kind)
        }
    }

    func testMachine_ignoresARefreshThatWasSuperseded() {
        for supersede: (inout CredentialStateMachine<Int>) -> Void in [{ _ = $0.signOut() }, { _ = $0.set(7) }] {
            var machine = CredentialStateMachine(credential: 1)
            guard case .refresh(let id, 1) = machine.request(1, isExpired: { _ in true }, at: .zero) else {
                return XCTFail("No refresh")
            }
            supersede(&machine)
            let credential = machine.credential
            XCTAssertNil(machine.refreshed(id, .success(2), isFinal: false, at: .zero))
            XCTAssertEqual(machine.credential, credential)
            XCTAssertFalse(machine.isRefreshing)
        }
    }

    func testMachine_releasesNoWaiterThatGaveUp() {
        var machine = CredentialStateMachine(credential: 1)
        guard case .refresh(let id, _) = machine.request(1, isExpired: { _ in true }, at: .zero) else {
            return XCTFail("No refresh")
        }
        _ = machine.request(2, isExpired: { _ in false }, at: .zero)
        machine.cancelled(1)
        XCTAssertTrue(machine.isRefreshing)
        XCTAssertEqual(machine.refreshed(id, .success(2), isFinal: false, at: .zero)?.waiters, [2])
    }
}

/// Credentials are numbers; every third is expired.
private struct Schedule {
    typealias Machine = CredentialStateMachine<Int>

    private var random: SeededGenerator
    private var machine: Machine
    private var model: CredentialModel
    private var time = Duration.zero
    private var lastCredential = 1
    private var lastWaiter: UInt64 = 0
    private var refresh: UInt64?
    private var waiting: Set<UInt64> = []
    private var sent: [(ticket: Machine.Ticket, at: Int)] = []
    private(set) var seen: [String: Int] = [:]

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let coolDown: Duration = seed.isMultiple(of: 2) ? .zero : .seconds(3)
        let initial = seed.isMultiple(of: 5) ? nil : 1
        machine = Machine(credential: initial, coolDown: coolDown)
        model = CredentialModel(initial: initial, coolDown: coolDown)
    }

    private func isExpired(_ credential: Int) -> Bool { credential.isMultiple(of: 3) }

    /// One random event. Returns what machine and model disagree about.
    mutating func step() -> String? {
        time += .seconds(Int.random(in: 0...1, using: &random))
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: return request()
        case 7..<13: return reject()
        case 13: return cancel()
        case 14..<18: return endRefresh()
        case 18:
            lastCredential += 1
            return release(machine.set(lastCredential), expected: model.set(lastCredential))
        default:
            refresh = nil
            return release(machine.signOut(), expected: model.signOut())
        }
    }

    /// Ends what runs; nobody may be left waiting.
    mutating func finish() -> String? {
        if let difference = endRefresh() { return difference }
        return waiting.isEmpty ? nil : "\(waiting.count) wait for ever"
    }

    private mutating func request() -> String? {
        lastWaiter += 1
        let decision = machine.request(lastWaiter, isExpired: isExpired, at: time)
        let expected = model.request(isExpired: isExpired, at: time)
        return take(decision, expected, "request", waiter: lastWaiter)
    }

    private mutating func reject() -> String? {
        guard !sent.isEmpty else { return nil }
        let request = sent.remove(at: Int.random(in: 0..<sent.count, using: &random))
        lastWaiter += 1
        let waiter = Bool.random(using: &random) ? lastWaiter : nil
        let decision = machine.rejected(request.ticket, waiter, at: time)
        return take(decision, model.rejected(sentAt: request.at, at: time), "rejected", waiter: waiter)
    }

    private mutating func cancel() -> String? {
        guard let waiter = waiting.sorted().randomElement(using: &random) else { return nil }
        machine.cancelled(waiter)
        waiting.remove(waiter)
        return machine.isRefreshing ? nil : "A waiter's cancel ended the refresh"
    }

    private mutating func endRefresh() -> String? {
        guard let id = refresh else { return nil }
        refresh = nil
        let isFinal = Int.random(in: 0..<4, using: &random) == 0
        let result: Result<Int, NetworkError>
        if Bool.random(using: &random) {
            lastCredential += 1
            result = .success(lastCredential)
        } else {
            result = .failure(NetworkError(.server, "failure \(Int.random(in: 0..<1_000_000, using: &random))"))
        }
        let expected = model.refreshed(result, isFinal: isFinal, at: time)
        guard let release = machine.refreshed(id, result, isFinal: isFinal, at: time) else {
            return "The refresh was ignored"
        }
        return self.release(release, expected: expected)
    }

    private mutating func take(
        _ decision: Machine.Decision, _ expected: String, _ event: String, waiter: UInt64?
    ) -> String? {
        var words: String
        switch decision {
        case .send(let grant):
            words = "send \(grant.credential)"
            sent.append((grant.ticket, model.position))
        case .none: words = "none"
        case .fail(let error): words = "fail \(error.message)"
        case .wait: words = "wait"
        case .refresh(let id, let credential):
            words = "refresh \(credential)"
            if refresh != nil { words += " beside another" }
            refresh = id
        }
        switch decision {
        case .wait, .refresh: if let waiter { waiting.insert(waiter) }
        default: break
        }
        seen["\(event) \(words.prefix { $0 != " " })", default: 0] += 1
        if machine.credential != model.credential { return "\(event): the credential is another" }
        return words == expected ? nil : "\(event): \(words), and by the model \(expected)"
    }

    private mutating func release(_ release: Machine.Release, expected: Int?) -> String? {
        refresh = nil
        let released = Set(release.waiters)
        guard released == waiting, released.count == release.waiters.count else {
            return "Released \(release.waiters), but \(waiting) wait"
        }
        waiting = []
        let credential = try? release.result.get()
        if let credential { sent += released.map { _ in (credential.ticket, model.position) } }
        return credential?.credential == expected ? nil : "Released with another credential"
    }
}

/// The rules as one would tell them, over the whole history.
private struct CredentialModel {
    private enum Event {
        case credential(Int)
        case failed(String, at: Duration)
        case refused(String)
        case signedOut

        var endsSession: Bool {
            switch self {
            case .refused, .signedOut: true
            case .credential, .failed: false
            }
        }
    }

    private var history: [Event] = []
    private var isRefreshing = false
    private let coolDown: Duration

    init(initial: Int?, coolDown: Duration) {
        self.coolDown = coolDown
        if let initial { history.append(.credential(initial)) }
    }

    /// What a request that is sent now remembers.
    var position: Int { history.count }

    var credential: Int? {
        for event in history.reversed() {
            switch event {
            case .credential(let credential): return credential
            case .failed: continue
            case .refused, .signedOut: return nil
            }
        }
        return nil
    }

    mutating func request(isExpired: (Int) -> Bool, at time: Duration) -> String {
        guard let credential else { return "none" }
        if isRefreshing { return "wait" }
        return isExpired(credential) ? refresh(credential, at: time) : "send \(credential)"
    }

    mutating func rejected(sentAt position: Int, at time: Duration) -> String {
        let since = history[position...]
        if let end = since.firstIndex(where: \.endsSession) {
            // Only the last refusal is remembered.
            let isLast = !history[(end + 1)...].contains { if case .refused = $0 { true } else { false } }
            if isLast, case .refused(let message) = history[end] { return "fail \(message)" }
            return "none"
        }
        guard let credential else { return "none" }
        if isRefreshing { return "wait" }
        if since.contains(where: { if case .credential = $0 { true } else { false } }) { return "send \(credential)" }
        for event in since.reversed() { if case .failed(let message, _) = event { return "fail \(message)" } }
        return refresh(credential, at: time)
    }

    mutating func refreshed(_ result: Result<Int, NetworkError>, isFinal: Bool, at time: Duration) -> Int? {
        isRefreshing = false
        switch result {
        case .success(let credential): history.append(.credential(credential))
        case .failure(let error):
            history.append(isFinal ? .refused(error.message) : .failed(error.message, at: time))
            return nil
        }
        return credential
    }

    mutating func set(_ credential: Int) -> Int? {
        isRefreshing = false
        history.append(.credential(credential))
        return credential
    }

    mutating func signOut() -> Int? {
        isRefreshing = false
        history.append(.signedOut)
        return nil
    }

    private mutating func refresh(_ credential: Int, at time: Duration) -> String {
        if case .failed(let message, let failedAt) = history.last, time < failedAt + coolDown {
            return "fail \(message)"
        }
        isRefreshing = true
        return "refresh \(credential)"
    }
}
