public import Foundation

/// What happens in the life of a call, in order.
public enum CallEvent: Sendable {
    /// The call was built and waits its turn. Once, first.
    case queued
    /// An attempt begins; numbers count from 1 and go on across redirects.
    case attempt(Int, HTTPRequest)
    /// Bytes of the request body went out.
    case sent(TransferProgress)
    /// A response's head came.
    case head(HTTPResponse.Head)
    /// Bytes of the response body came, where the call delivers data.
    case data(Data)
    /// Bytes of the response body came.
    case progress(TransferProgress)
    /// An attempt failed and another follows after a wait.
    case retry(wait: Duration, reason: NetworkError)
    /// A cache answered.
    case cacheHit
    /// A redirect is followed.
    case redirected(Redirect)
    /// A server showed no key that is pinned, under pins that only report: once for each new connection, as far as the
    /// transport can see keys.
    case pinMismatch(PinMismatch)
    /// The call ended. Once, last.
    case finished(CallOutcome)
}

/// How a call ended.
public enum CallOutcome: Sendable {
    /// With a response that the call accepts.
    case success(HTTPResponse.Head, CallTimings)
    /// With an error.
    case failure(NetworkError, CallTimings)
}

/// How far a transfer is.
public struct TransferProgress: Hashable, Sendable {
    /// Bytes so far; never falls within an attempt.
    public let completed: Int64
    /// Bytes in all, or nil where that is unknown: no length was given, or the body is compressed on the way
    /// (RFC 9110 §8.6 counts encoded bytes).
    public let total: Int64?

    /// Creates a progress.
    ///
    /// - Parameters:
    ///   - completed: Bytes so far; below zero counts as zero.
    ///   - total: Bytes in all; a total below `completed` cannot be true and counts as unknown.
    public init(completed: Int64, total: Int64?) {
        self.completed = max(0, completed)
        self.total = total.flatMap { $0 >= max(0, completed) ? $0 : nil }
    }

    /// From 0 to 1, or nil where the total is unknown. An empty transfer is complete.
    public var fraction: Double? { total.map { $0 == 0 ? 1 : Double(completed) / Double($0) } }
}

extension CallEvent: CustomStringConvertible, CustomReflectable {
    /// What happened in a few words, without header values, query and content.
    public var description: String {
        switch self {
        case .queued: "queued"
        case .attempt(let number, let request): "attempt \(number): \(request)"
        case .sent(let progress): "sent \(progress)"
        case .head(let head): "head: \(head)"
        case .data(let data): "data: \(data.count) bytes"
        case .progress(let progress): "received \(progress)"
        case .retry(let wait, let reason): "retry in \(wait.milliseconds) ms: \(reason)"
        case .cacheHit: "cache hit"
        case .redirected(let redirect): "redirected: \(redirect)"
        case .pinMismatch(let mismatch): "pin mismatch: \(mismatch)"
        case .finished(.success(let head, let timings)): "finished: \(head.status) in \(timings.total.milliseconds) ms"
        case .finished(.failure(let error, let timings)): "finished: \(error) in \(timings.total.milliseconds) ms"
        }
    }

    /// What the description shows: content may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["event": description]) }
}

extension TransferProgress: CustomStringConvertible {
    /// `3 of 7 bytes`, or `3 bytes` where the total is unknown.
    public var description: String { total.map { "\(completed) of \($0) bytes" } ?? "\(completed) bytes" }
}
