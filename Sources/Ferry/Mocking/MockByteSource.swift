package import Foundation
import Synchronization

/// The body of a mock, on its schedule by the call's clock.
package final class MockByteSource: ByteSource {
    private let steps: [MockPlan.Step]
    private let total: Int64?
    private let end: NetworkError?
    private let context: CallContext
    /// When the head came, by the clock.
    private let start: Duration
    /// Guards the place in the schedule: the reader and whoever drops the stream are different tasks.
    private let state = Mutex(State())

    private struct State {
        var next = 0
        var received: Int64 = 0
        var isCancelled = false
    }

    package init(steps: [MockPlan.Step], total: Int64?, end: NetworkError?, context: CallContext) {
        self.steps = steps
        self.total = total
        self.end = end
        self.context = context
        start = context.clock.now
    }

    package func next() async throws(NetworkError) -> Data? {
        let index = state.withLock { $0.isCancelled ? nil : $0.next }
        guard let index, !Task.isCancelled else { throw .cancelled }
        guard index < steps.count else {
            if let end { throw end }
            context.receivedBody()
            return nil
        }
        let step = steps[index]
        try await context.wait(until: start + step.due)
        let received = state.withLock { state -> Int64? in
            guard !state.isCancelled else { return nil }
            state.next = index + 1
            state.received += Int64(step.data.count)
            return state.received
        }
        guard let received else { throw .cancelled }
        if !step.data.isEmpty {
            context.count(received: Int64(step.data.count))
            context.emit(.progress(TransferProgress(completed: received, total: total)))
        }
        return step.data
    }

    package func cancel() { state.withLock { $0.isCancelled = true } }
}

extension CallContext {
    /// Waits until a reading of the call's clock; one in the past takes no time.
    ///
    /// - Throws: `NetworkError` of kind `cancelled`.
    func wait(until instant: Duration) async throws(NetworkError) {
        if Task.isCancelled { throw .cancelled }
        guard instant > clock.now else { return }
        do throws(CancellationError) { try await clock.sleep(until: instant) } catch { throw .cancelled }
    }
}
