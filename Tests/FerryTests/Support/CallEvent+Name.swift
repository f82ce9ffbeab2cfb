import Ferry

extension CallEvent {
    /// What happened, in a word or two, for comparison.
    var name: String {
        switch self {
        case .queued: "queued"
        case .attempt(let number, _): "attempt \(number)"
        case .sent(let progress): "sent \(progress.completed)"
        case .head(let head): "head \(head.status.code)"
        case .data(let data): "data \(data.count)"
        case .progress(let progress): "progress \(progress.completed)"
        case .retry: "retry"
        case .cacheHit: "cacheHit"
        case .redirected: "redirected"
        case .pinMismatch: "pinMismatch"
        case .finished: "finished"
        }
    }

    var isProgress: Bool {
        switch self {
        case .sent, .progress: true
        default: false
        }
    }
}
