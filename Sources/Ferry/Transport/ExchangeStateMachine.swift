package import Foundation

/// One exchange over a transport that pushes: what it has received, and what its two ends must be told.
///
///                    head            bytes             end
///     awaitingHead ──────> receiving ──────> receiving ────> ended
///          └──────────────────┴── cancel, failure, limit ──────^
///
/// Buffered: the response is delivered at the end, with all bytes. Streamed: the response is delivered with the head,
/// and the bytes as the consumer asks for them. Pure: the face performs what the functions return, outside its lock.
package struct ExchangeStateMachine {
    /// What the face must do.
    package struct Actions {
        /// Hand this to the caller that waits for the response; once an exchange.
        package var deliver: Result<HTTPResponse.Delivered, NetworkError>?
        /// Hand this to the consumer that waits for a chunk.
        package var supply: Result<Data?, NetworkError>?
        /// Stop the transfer.
        package var stop = false

        package static let none = Actions()
    }

    private enum Phase {
        case awaitingHead
        case receiving
        case ended
    }

    private let method: HTTPMethod
    private let delivery: Delivery
    private let limits: Limits
    private var phase = Phase.awaitingHead
    private var head: HTTPResponse.Head?
    private var expected: Int64?
    private var body = Data()
    private var spill: SpillBuffer
    private var isConsumerWaiting = false
    /// How a stream ends once its waiting bytes are taken.
    private var streamEnd: Result<Data?, NetworkError>?
    /// Bytes of the body so far, after decompression.
    package private(set) var received: Int64 = 0

    package init(method: HTTPMethod, delivery: Delivery, limits: Limits) {
        self.method = method
        self.delivery = delivery
        self.limits = limits
        spill = SpillBuffer(memoryLimit: limits.streamMemory, overflow: limits.streamOverflow)
    }

    /// Whether the response's head has come.
    package var hasHead: Bool { head != nil }

    /// Whether nothing more can happen to the transfer.
    package var isEnded: Bool { phase == .ended }

    /// Bytes that the whole body has, where its length is known and counts the bytes that are delivered.
    package var total: Int64? { expected }

    /// Bytes in memory that the consumer of a stream has not taken.
    package var waitingBytes: Int { spill.memoryBytes }

    // MARK: From the transport

    /// A head came; informational ones are skipped (RFC 9110 §15.2).
    ///
    /// - Parameter isBodyLost: The transport knows that it dropped the body, so its length says nothing.
    package mutating func receive(_ head: HTTPResponse.Head, isBodyLost: Bool = false) -> Actions {
        guard phase == .awaitingHead, head.status.category != .informational else { return .none }
        guard head.headers.count <= limits.headerCount else {
            return fail(
                NetworkError(
                    .headTooLarge,
                    "The response has \(head.headers.count) header fields, more than \(limits.headerCount)"))
        }
        do throws(NetworkError) {
            expected = isBodyLost ? nil : try ContentLength.expected(of: head, method: method)
        } catch {
            return fail(error)
        }
        self.head = head
        phase = .receiving
        if delivery == .buffered {
            if let expected, expected > Int64(limits.bufferedBody) { return fail(bodyTooLarge) }
            return .none
        }
        return Actions(deliver: .success(.head(head)))
    }

    /// Bytes of the body came.
    package mutating func receive(_ data: Data) -> Actions {
        guard phase == .receiving, !data.isEmpty else { return .none }
        received += Int64(data.count)
        if delivery == .buffered {
            guard data.count <= limits.bufferedBody - body.count else { return fail(bodyTooLarge) }
            if body.isEmpty {
                // A body that comes at once is not copied.
                guard Int64(data.count) < expected ?? 0 else {
                    body = data
                    return .none
                }
                // Pages that no byte reaches cost nothing, so a length that is a lie costs little.
                body.reserveCapacity(Int(min(expected ?? 0, 16 << 20)))
            }
            body.append(data)
            return .none
        }
        if isConsumerWaiting, spill.isEmpty {
            isConsumerWaiting = false
            return Actions(supply: .success(data))
        }
        do throws(NetworkError) {
            try spill.append(data)
            return .none
        } catch {
            return fail(error)
        }
    }

    /// The transfer ended by itself.
    ///
    /// - Parameter failure: What went wrong, or nil.
    package mutating func end(_ failure: NetworkError?) -> Actions {
        guard phase != .ended else { return .none }
        if let failure { return fail(failure, stop: false) }
        guard let head else {
            return fail(NetworkError(.malformedResponse, "The server closed without a response"), stop: false)
        }
        if let expected, received < expected {
            return fail(
                NetworkError(.connectionLost, "The connection ended after \(received) of \(expected) bytes"),
                stop: false)
        }
        phase = .ended
        if delivery == .buffered {
            defer { body = Data() }
            return Actions(deliver: .success(.complete(head, body)))
        }
        return finishStream(.success(nil))
    }

    // MARK: From the call

    /// The call is over before its exchange: cancelled, or a time-out.
    package mutating func cancel(_ reason: NetworkError) -> Actions { fail(reason) }

    /// Nobody reads the stream any more.
    package mutating func abandon() -> Actions {
        dropWaitingBytes()
        guard phase != .ended else { return .none }
        phase = .ended
        var actions = finishStream(.failure(.cancelled))
        actions.stop = true
        return actions
    }

    /// The consumer asks for a chunk: gives it, or nil and supplies it later.
    package mutating func next() -> Result<Data?, NetworkError>? {
        do throws(NetworkError) {
            if let chunk = try spill.pop() { return .success(chunk) }
        } catch {
            return .failure(error)
        }
        if let streamEnd { return streamEnd }
        isConsumerWaiting = true
        return nil
    }

    /// The consumer's task was cancelled, before it asked or while it waited.
    package mutating func cancelNext() -> Actions {
        dropWaitingBytes()
        return fail(.cancelled)
    }

    /// Drops what the consumer has not taken; a transfer that is over then ends as cancelled and not as complete.
    private mutating func dropWaitingBytes() {
        if phase == .ended, !spill.isEmpty { streamEnd = .failure(.cancelled) }
        spill.removeAll()
    }

    // MARK: Ends

    private var bodyTooLarge: NetworkError {
        NetworkError(
            .bodyTooLarge, "The response body is larger than \(limits.bufferedBody) bytes (Limits.bufferedBody)")
    }

    private mutating func fail(_ error: NetworkError, stop: Bool = true) -> Actions {
        guard phase != .ended else { return .none }
        let head = head
        let described = head == nil ? error : error.with { $0.response = $0.response ?? head }
        let isDelivered = delivery == .streamed && phase == .receiving
        phase = .ended
        body = Data()
        guard isDelivered else { return Actions(deliver: .failure(described), stop: stop) }
        // A cancel does not wait until the bytes that came are taken; any other end comes behind them.
        if described.kind == .cancelled || described.kind == .timeout { spill.removeAll() }
        var actions = finishStream(.failure(described))
        actions.stop = stop
        return actions
    }

    private mutating func finishStream(_ end: Result<Data?, NetworkError>) -> Actions {
        streamEnd = end
        guard isConsumerWaiting else { return .none }
        isConsumerWaiting = false
        return Actions(supply: end)
    }
}

extension HTTPResponse {
    /// What an exchange hands to the waiting caller.
    package enum Delivered: Sendable {
        case complete(Head, Data)
        case head(Head)
    }
}
