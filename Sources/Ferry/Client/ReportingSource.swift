import Foundation
import Synchronization

/// Reports once how a stream ended: with nil at its end, else with what it threw, or `cancelled` where it was left.
/// What it throws tells all that is known of the call.
final class ReportingSource: ByteSource {
    private let stream: ByteStream
    private let isReported = Atomic(false)
    private let describe: @Sendable (NetworkError) -> NetworkError
    private let report: @Sendable (_ error: NetworkError?, _ isThrown: Bool) -> Void

    init(
        _ stream: ByteStream, describe: @escaping @Sendable (NetworkError) -> NetworkError,
        report: @escaping @Sendable (_ error: NetworkError?, _ isThrown: Bool) -> Void
    ) {
        self.stream = stream
        self.describe = describe
        self.report = report
    }

    func next() async throws(NetworkError) -> Data? {
        do throws(NetworkError) {
            let chunk = try await stream.source.next()
            if chunk == nil { finish(nil, isThrown: false) }
            return chunk
        } catch {
            let error = describe(error)
            finish(error, isThrown: true)
            throw error
        }
    }

    var trailers: HTTPHeaders { stream.trailers }

    func cancel() {
        stream.source.cancel()
        finish(describe(.cancelled), isThrown: false)
    }

    private func finish(_ error: NetworkError?, isThrown: Bool) {
        guard !isReported.exchange(true, ordering: .acquiringAndReleasing) else { return }
        report(error, isThrown)
    }
}
