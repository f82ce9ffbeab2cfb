public import Ferry
public import Foundation
import Synchronization

/// A transport that answers from a cassette: a HAR that a ``RecordingTransport``, a browser or a proxy wrote.
///
/// ```swift
/// let replay = try ReplayTransport(file)
/// let client = NetworkClient(baseURL: url) { $0.transport = replay }
/// ```
///
/// A request is answered by the first matching exchange that was not played yet, then by the last matching one again. A
/// request without one fails the call with `NetworkError.Kind.mock` and the test at the line that made the transport.
public final class ReplayTransport: Transport {
    private struct State {
        var played: [Bool]
        var isVerified = false
    }

    /// Guards what was played: calls arrive from many tasks.
    private let state: Mutex<State>
    private let entries: [HAR.Entry]
    private let recorded: [RecordedRequest]
    private let name: String
    private let matching: CassetteMatching
    private let redaction: Redaction
    private let isStrict: Bool
    private let keepsTimings: Bool
    private let fallback: (any Transport)?
    private let place: SourcePlace
    private let failureHandler: @Sendable (TestIssue) -> Void

    /// Reads a cassette.
    ///
    /// - Parameters:
    ///   - file: A HAR 1.2.
    ///   - matching: Which exchange answers a request. Default: one of the same method and URL.
    ///   - isStrict: Whether exchanges are played once each, in their order, and one that is left fails the test when
    ///     the transport goes away, if not in `verify` before. Default false.
    ///   - keepsTimings: Whether responses and their chunks take as long as they took, by the client's clock. Default
    ///     false: at once.
    ///   - redaction: What the recording did not keep. Default: what usually is a secret.
    ///   - failureHandler: Takes failures in place of the test framework. Default nil: ``TestIssue/report()``.
    ///   - fileID: The place that a failure names, with the next three. Default: the caller's.
    ///   - filePath: As `fileID`.
    ///   - line: As `fileID`.
    ///   - column: As `fileID`.
    /// - Throws: `NetworkError` of kind `file` for a file that cannot be read, `mock` for one that is no HAR.
    public convenience init(
        _ file: URL, matching: CassetteMatching = .standard, isStrict: Bool = false, keepsTimings: Bool = false,
        redaction: Redaction = .standard, failureHandler: (@Sendable (TestIssue) -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) throws(NetworkError) {
        try self.init(
            try HAR.read(file), name: file.lastPathComponent, matching: matching, isStrict: isStrict,
            keepsTimings: keepsTimings, redaction: redaction, fallback: nil, failureHandler: failureHandler,
            place: SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Whether pins are kept: a recording sends nothing that a pin could guard, so the fallback decides.
    public var enforcesPins: Bool { fallback?.enforcesPins ?? true }

    init(
        _ archive: HAR, name: String, matching: CassetteMatching, isStrict: Bool, keepsTimings: Bool,
        redaction: Redaction, fallback: (any Transport)?, failureHandler: (@Sendable (TestIssue) -> Void)?,
        place: SourcePlace
    ) throws(NetworkError) {
        entries = archive.log.entries
        var recorded: [RecordedRequest] = []
        for (index, entry) in archive.log.entries.enumerated() {
            recorded.append(try entry.request.recorded(number: index + 1).redacted(by: redaction))
        }
        self.recorded = recorded
        state = Mutex(State(played: entries.map { _ in false }))
        self.name = name
        self.matching = matching
        self.isStrict = isStrict
        self.keepsTimings = keepsTimings
        self.redaction = redaction
        self.fallback = fallback
        self.place = place
        self.failureHandler = failureHandler ?? { $0.report() }
    }

    deinit {
        guard isStrict, !state.withLock({ $0.isVerified }) else { return }
        reportUnplayed(at: place)
    }

    /// Answers one request from the cassette.
    ///
    /// - Throws: `NetworkError`: what was recorded; of kind `mock` where nothing fits.
    public func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        let whole = try await request.withBodyInMemory()
        let asked = RecordedRequest(whole, number: 0).redacted(by: redaction)
        guard let index = claim(asked) else {
            if let fallback { return try await fallback.send(whole, context: context) }
            let message = unmatched(asked)
            failureHandler(TestIssue(message, at: place))
            throw NetworkError(.mock, message).describing(request)
        }
        do throws(NetworkError) {
            let mock = try entries[index].mock(number: index + 1, keepsTimings: keepsTimings)
            return try await MockedExchange.respond(to: whole, with: mock, fixtures: .empty, context: context)
        } catch {
            guard error.kind == .mock else { throw error }
            let message = "Exchange \(index + 1) of \(name) cannot be played: \(error.message)"
            failureHandler(TestIssue(message, at: place))
            throw NetworkError(.mock, message).describing(request)
        }
    }

    /// Shuts down what records new exchanges, if anything does.
    public func shutdown() { fallback?.shutdown() }

    /// How many exchanges were played at least once.
    public var playedCount: Int { state.withLock { $0.played.count { $0 } } }

    /// How many exchanges the cassette has.
    public var count: Int { entries.count }

    /// Fails the test for each exchange that was not played.
    public func verify(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        state.withLock { $0.isVerified = true }
        reportUnplayed(at: SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    private func reportUnplayed(at place: SourcePlace) {
        let played = state.withLock { $0.played }
        for (request, isPlayed) in zip(recorded, played) where !isPlayed {
            failureHandler(TestIssue("Exchange \(request.number) of \(name) was not played: \(request)", at: place))
        }
    }

    private func claim(_ request: RecordedRequest) -> Int? {
        let fitting = recorded.indices.filter { matching.misses(request, recorded[$0]).isEmpty }
        return state.withLock { state in
            var chosen = fitting.first { !state.played[$0] }
            if isStrict {
                let next = state.played.firstIndex(of: false)
                if chosen != next { chosen = nil }
            } else {
                chosen = chosen ?? fitting.last
            }
            if let chosen { state.played[chosen] = true }
            return chosen
        }
    }

    private func unmatched(_ request: RecordedRequest) -> String {
        var text = "\(request) is not what \(name) has"
        if isStrict, let next = state.withLock({ $0.played.firstIndex(of: false) }) {
            return text + " next, which is \(recorded[next])"
        }
        let near = recorded.map { ($0, matching.misses(request, $0)) }.sorted { $0.1.count < $1.1.count }
        if near.isEmpty { return text + ": the cassette is empty" }
        text += ". The nearest exchanges:"
        for (other, misses) in near.prefix(3) {
            let why = misses.isEmpty ? "it was played" : "does not fit: \(misses.joined(separator: ", "))"
            text += "\n  - \(other.number). \(other): \(why)"
        }
        return text
    }
}

extension ReplayTransport: CustomReflectable {
    /// The file alone: exchanges may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["transport": "replaying \(name)"]) }
}
