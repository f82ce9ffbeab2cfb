public import Foundation

/// Decides what an event stream does next: a pure state machine without tasks, clocks or sockets.
///
/// ```
///   connect ── 200, text/event-stream ──> read ── bytes ──> deliver …
///      ^   └── 204 ──> finish              │ end or cut
///      │   └── other ──> fail              v
///      └────────────── wait <──── reconnect?  no: finish or fail
/// ```
///
/// Ask `next()` what to do, do it, report how it went, ask again.
public struct ServerSentEventConnector: Sendable {
    /// What to do next.
    public enum Action: Sendable {
        /// Make a request, with a Last-Event-ID field where there is an ID; then report the head or the failure.
        case connect(lastEventID: String?)
        /// Read the body on; then report bytes, end or failure.
        case read
        /// Hand out an event; nothing to report.
        case deliver(ServerSentEvent)
        /// Wait; then report that, or the failure where the task was cancelled.
        case wait(Duration)
        /// The end.
        case finish
        /// The end, with an error; afterwards `finish`.
        case fail(NetworkError)
    }

    private enum State {
        case disconnected, reading, ended
        case waiting(Duration)
        case failing(NetworkError)
        case finished
    }

    private let reconnection: ServerSentEventReconnection?
    private let maxEventSize: Int
    private var state: State
    private var parser: ServerSentEventParser
    private var serverDelay: Duration?
    /// Connections in a row that failed or were cut before any byte.
    private var failures = 0

    /// Creates the state machine.
    ///
    /// - Parameters:
    ///   - reconnection: How to reconnect; nil never to, so that an end ends and a cut throws. Default nil.
    ///   - lastEventID: The ID to begin with. Default empty.
    ///   - maxEventSize: Largest event in bytes. Default 16 MiB.
    ///   - isConnected: Whether a response is there already whose body is to be read. Default false.
    public init(
        reconnection: ServerSentEventReconnection? = nil, lastEventID: String = "",
        maxEventSize: Int = ServerSentEventParser.defaultMaxEventSize, isConnected: Bool = false
    ) {
        self.reconnection = reconnection
        self.maxEventSize = maxEventSize
        state = isConnected ? .reading : .disconnected
        parser = ServerSentEventParser(lastEventID: lastEventID, maxEventSize: maxEventSize)
    }

    /// The ID that the next request carries; empty for none.
    public var lastEventID: String { parser.lastEventID }

    /// The wait before a reconnection after a clean end: what the server set last, else the policy's delay.
    public var reconnectionTime: Duration {
        parser.reconnectionTime ?? serverDelay ?? reconnection?.delay ?? ServerSentEventReconnection.standard.delay
    }

    /// What to do next.
    public mutating func next() -> Action {
        if let event = ready({ (parser) throws(NetworkError) in try parser.next() }) { return .deliver(event) }
        switch state {
        case .disconnected: return .connect(lastEventID: lastEventID.isEmpty ? nil : lastEventID)
        case .waiting(let time): return .wait(time)
        case .reading: return .read
        case .ended: return reconnect(after: nil)
        case .finished: return .finish
        case .failing(let error):
            state = .finished
            return .fail(error)
        }
    }

    /// The data of an event that is there already; nil where `next()` has to say what to do.
    mutating func readyData() -> Data? { ready { (parser) throws(NetworkError) in try parser.nextData() } }

    private mutating func ready<Element>(
        _ parse: (inout ServerSentEventParser) throws(NetworkError) -> Element?
    ) -> Element? {
        switch state {
        case .reading, .ended: break
        default: return nil
        }
        do throws(NetworkError) {
            return try parse(&parser)
        } catch {
            state = .failing(error)
            return nil
        }
    }

    /// Reports the head of the response to `connect`.
    ///
    /// 204 ends the stream (§9.2.1); another status than 200, or another content type than `text/event-stream`, fails
    /// it for good (§9.2.3).
    public mutating func didConnect(_ head: HTTPResponse.Head) {
        switch head.status.code {
        case 204: state = .finished
        case 200 where head.contentType?.essence == MediaType.eventStream.essence:
            serverDelay = parser.reconnectionTime ?? serverDelay
            parser = ServerSentEventParser(lastEventID: lastEventID, maxEventSize: maxEventSize)
            state = .reading
        case 200:
            let type = head.contentType.map { "is \($0.essence)" } ?? "is missing"
            let message = "The response is no event stream: its content type \(type)"
            state = .failing(NetworkError(.contentType, message).with { $0.response = head })
        default: state = .failing(Self.unacceptable(head))
        }
    }

    /// Reports bytes of the body.
    public mutating func didReceive(_ bytes: some ContiguousBytes) {
        failures = 0
        parser.append(bytes)
    }

    /// Reports that the body is complete.
    public mutating func didEnd() {
        parser.finish()
        state = .ended
    }

    /// Reports that the wait is over.
    public mutating func didWait() { state = .disconnected }

    /// Reports that connecting, reading or waiting failed. Of the failures only those of the network lead to a
    /// reconnection: not a cancel, a refused certificate, a time-out of the whole call, a status.
    public mutating func didFail(_ error: NetworkError) {
        if case .finished = state { return }
        guard reconnection != nil, mayPass(error) else {
            state = .failing(error)
            return
        }
        failures += 1
        _ = reconnect(after: error)
    }

    /// The error that `next()` is going to give, or nil.
    var failure: NetworkError? { if case .failing(let error) = state { error } else { nil } }

    private mutating func reconnect(after error: NetworkError?) -> Action {
        guard let reconnection else {
            state = .finished
            return .finish
        }
        if let error, let limit = reconnection.maxFailures, failures > limit {
            state = .failing(error)
            return .fail(error)
        }
        // Doubled after each failure in a row but the first; 2^20 is beyond every sensible limit.
        let factor = 1 << min(max(failures - 1, 0), 20)
        // A policy's delay is held to what a server's is held to, so that the product cannot overflow.
        let first = min(reconnectionTime, .milliseconds(ServerSentEventParser.maxReconnectionMilliseconds))
        let time = max(min(first * factor, reconnection.maxDelay), first)
        state = .waiting(time)
        return .wait(time)
    }

    private func mayPass(_ error: NetworkError) -> Bool {
        guard error.timeout != .total else { return false }
        let isReading = if case .reading = state { true } else { false }
        // By kind, not by status: what was cut or fell silent behind its head has the status of that head, 200.
        switch error.kind {
        case .authentication, .client, .server, .status: return false
        case .network: return true
        // A server that speaks no HTTP will not learn it; a stream that was one breaks off in more ways than one.
        case .malformedResponse, .tls: return isReading
        default: return error.isRetryable
        }
    }

    private static func unacceptable(_ head: HTTPResponse.Head) -> NetworkError {
        let kind: NetworkError.Kind =
            switch head.status.code {
            case 401, 403: .authentication
            case 400..<500: .client
            case 500..<600: .server
            default: .status
            }
        return NetworkError(kind, "The server answered \(head.status) instead of an event stream").with {
            $0.response = head
        }
    }
}
