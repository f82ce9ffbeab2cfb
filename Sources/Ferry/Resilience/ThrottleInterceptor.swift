import Foundation

/// Lets a request through once it has a slot, and keeps the slot until the exchange is over.
///
/// Stands below authorization, so that a refresh made with the same client finds slots free: the call that needs it
/// holds none. A streamed response keeps its slot until its stream ended or was dropped, but for redirects and 401:
/// whoever answers those sends the next request while it may still hold the response, and must not wait for itself.
package struct ThrottleInterceptor: Interceptor {
    private let gate: ThrottleGate
    private let throttle: Throttle

    package init(_ throttle: Throttle, clock: any NetworkClock) {
        self.init(throttle, gate: ThrottleGate(throttle, clock: clock))
    }

    package init(_ throttle: Throttle, gate: ThrottleGate) {
        self.throttle = throttle
        self.gate = gate
    }

    package func intercept(
        _ request: HTTPRequest, context: CallContext, next: Next
    ) async throws(NetworkError) -> HTTPResponse {
        guard let origin = Origin(request.url) else { return try await next(request) }
        let slot = try await gate.acquire(origin, priority: context.options.priority ?? .normal, context: context)
        // A slot that came together with a cancel goes back unused.
        if Task.isCancelled {
            slot.release()
            throw .cancelled
        }
        var response: HTTPResponse
        do throws(NetworkError) {
            response = try await next(request)
        } catch {
            slot.release()
            throw error
        }
        if throttle.respectsServerLimits,
            let time = ServerLimit.hold(response.head, now: context.clock.date), time > .zero
        {
            gate.hold(origin, for: min(time, throttle.longestHold))
        }
        if case .stream(let stream) = response.body, response.status.category != .redirection,
            response.status != .unauthorized
        {
            response.body = .stream(ByteStream(SlotSource(stream, slot)))
        } else {
            slot.release()
        }
        return response
    }
}

/// A stream that gives back a slot at its end.
private final class SlotSource: ByteSource {
    /// Kept, because a stream that is dropped cancels its source.
    private let stream: ByteStream
    private let slot: ThrottleSlot

    init(_ stream: ByteStream, _ slot: ThrottleSlot) {
        self.stream = stream
        self.slot = slot
    }

    func next() async throws(NetworkError) -> Data? {
        do throws(NetworkError) {
            if let chunk = try await stream.source.next() { return chunk }
        } catch {
            slot.release()
            throw error
        }
        slot.release()
        return nil
    }

    var trailers: HTTPHeaders { stream.trailers }

    func cancel() {
        stream.source.cancel()
        slot.release()
    }
}
