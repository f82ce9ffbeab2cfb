import Synchronization

/// What a download must give back however it ends, also where its user just leaves it: the partial file with its lock,
/// and the report of the call's end.
final class DownloadLease: Sendable {
    private struct State {
        var context: CallContext?
        var request: HTTPRequest?
        var file: PartialFile?
        var isEnded = false
    }

    private let client: NetworkClient
    /// Guards what there is to give back: the download and whoever drops its iterator end it, once.
    private let state = Mutex(State())

    init(_ client: NetworkClient) { self.client = client }

    func begin(_ context: CallContext) { state.withLock { $0.context = context } }

    var request: HTTPRequest? {
        get { state.withLock { $0.request } }
        set { state.withLock { $0.request = newValue } }
    }

    var file: PartialFile? {
        get { state.withLock { $0.file } }
        set { state.withLock { $0.file = newValue } }
    }

    /// Gives everything back and tells everybody who listens; later calls do nothing.
    ///
    /// - Returns: The error with all that is known of the call, the first time.
    @discardableResult
    func end(_ error: NetworkError?, _ response: HTTPResponse?) -> NetworkError? {
        let old = state.withLock { state in
            defer {
                state.isEnded = true
                state.file = nil
            }
            return state
        }
        guard !old.isEnded else { return nil }
        old.file?.close()
        guard let context = old.context else { return nil }
        let told = error.map { client.finished($0, old.request, context) }
        client.ended(context, old.request, response, told)
        return told
    }
}
