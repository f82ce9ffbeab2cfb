import Foundation

/// Writes what happens to calls into a log, without secrets.
///
/// ```swift
/// let client = NetworkClient(baseURL: url) {
///     $0.logger = CallLogger(level: .debug, bodyLimit: 2_000)
/// }
/// ```
///
/// - `error`: a call failed. `warning`: an attempt is repeated, a key is not pinned. `info`: a call ended, a redirect is followed.
/// - `debug`: each attempt and each response head with its fields; cache hits.
/// - `trace`: everything else, such as progress.
///
/// Fields that hold credentials are named, and their values are not shown; see ``Redaction``.
public struct CallLogger: Sendable {
    /// The least that is written.
    public var level: LogLevel
    /// How many bytes of a request's and a response's content are written when a call ended. Default nil: none.
    public var bodyLimit: Int?
    /// Where entries go.
    public var sink: LogSink

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - level: The least that is written. Default `info`.
    ///   - bodyLimit: How many bytes of content are written, JSON indented. Default nil: none.
    ///   - sink: Where entries go. Default: standard error.
    public init(level: LogLevel = .info, bodyLimit: Int? = nil, sink: LogSink = .standardError) {
        self.level = level
        self.bodyLimit = bodyLimit
        self.sink = sink
    }

    /// Writes an event, unless it is the end: that comes with more knowledge.
    package func log(_ event: CallEvent, of call: CallContext.ID, redaction: Redaction) {
        let level: LogLevel =
            switch event {
            case .retry, .pinMismatch: .warning
            case .redirected: .info
            case .attempt, .head, .cacheHit: .debug
            case .queued, .sent, .data, .progress, .finished: .trace
            }
        guard level >= self.level else { return }
        let id = ("call", Optional("\(call)"))
        let entry: LogEntry? =
            switch event {
            case .queued: LogEntry(level, "call queued", [id])
            case .attempt(let number, let request):
                LogEntry(
                    level, "attempt started",
                    [
                        id, ("attempt", "\(number)"), ("method", "\(request.method)"),
                        ("url", redaction.url(request.url).absoluteString),
                        ("headers", Self.shown(request.headers, redaction)), ("body", "\(request.body)"),
                    ])
            case .head(let head):
                LogEntry(
                    level, "head received",
                    [id, ("status", "\(head.status.code)"), ("headers", Self.shown(head.headers, redaction))])
            case .sent(let progress): LogEntry(level, "body sent", [id, ("progress", "\(progress)")])
            case .progress(let progress): LogEntry(level, "body received", [id, ("progress", "\(progress)")])
            case .retry(let wait, let reason):
                LogEntry(
                    level, "attempt repeated",
                    [id, ("wait", "\(wait.milliseconds) ms"), ("reason", redaction.text("\(reason)"))])
            case .cacheHit: LogEntry(level, "cache hit", [id])
            case .redirected(let redirect):
                LogEntry(
                    level, "redirected",
                    [
                        id, ("status", "\(redirect.status.code)"), ("method", "\(redirect.method)"),
                        ("url", redaction.url(redirect.target).absoluteString),
                    ])
            case .pinMismatch(let mismatch):
                LogEntry(
                    level, "pin mismatch",
                    [id, ("host", mismatch.host), ("found", mismatch.found.joined(separator: " "))])
            case .data, .finished: nil
            }
        if let entry { sink(entry) }
    }

    /// Writes how a call ended.
    package func log(_ log: CallLog, _ request: HTTPRequest?, _ response: HTTPResponse?, redaction: Redaction) {
        let isFailure = log.error.map { $0.kind != .cancelled } ?? false
        let level: LogLevel = isFailure ? .error : .info
        guard level >= self.level else { return }
        sink(
            LogEntry(
                level, log.error == nil ? "call finished" : "call failed",
                [
                    ("call", "\(log.id)"), ("method", log.method.map { "\($0)" }),
                    ("url", log.url.map { redaction.url($0).absoluteString }),
                    ("status", log.response.map { "\($0.status.code)" }),
                    ("source", log.source.flatMap { $0 == .network ? nil : "\($0)" }),
                    ("attempts", "\(log.timings.attempts)"), ("sent", "\(log.timings.bytesSent)"),
                    ("received", "\(log.timings.bytesReceived)"), ("total", "\(log.timings.total.milliseconds) ms"),
                    ("queued", log.timings.queued == .zero ? nil : "\(log.timings.queued.milliseconds) ms"),
                    ("head", log.timings.head.map { "\($0.milliseconds) ms" }),
                    ("error", log.error.map { redaction.text("\($0.kind): \($0.message)") }),
                    ("request", request.flatMap { shown($0.body, redaction) }),
                    ("response", shown(response, log.error, redaction)),
                ]))
    }

    /// Each field as `name: value`, with a secret's value replaced.
    private static func shown(_ headers: HTTPHeaders, _ redaction: Redaction) -> String {
        redaction.headers(headers).map { "\($0.name): \($0.value)" }.joined(separator: "; ")
    }

    private func shown(_ body: RequestBody, _ redaction: Redaction) -> String? {
        guard bodyLimit != nil, !body.isNone else { return nil }
        guard case .data(let data) = body.content else { return "\(body)" }
        return shown(data, body.contentType, redaction)
    }

    private func shown(_ response: HTTPResponse?, _ error: NetworkError?, _ redaction: Redaction) -> String? {
        guard bodyLimit != nil else { return nil }
        if case .data(let data)? = response?.body { return shown(data, response?.head.contentType, redaction) }
        return error?.body.flatMap { shown($0, error?.response?.contentType, redaction) }
    }

    private func shown(_ data: Data, _ type: MediaType?, _ redaction: Redaction) -> String? {
        guard let bodyLimit, !data.isEmpty else { return nil }
        let part = data.prefix(max(0, bodyLimit))
        guard var text = redaction.bodyText(Data(part), contentType: type) else { return "\(data.count) bytes" }
        if type?.isJSON == true { text = JSONIndenter.indented(text) }
        return part.count < data.count ? text + "… (\(data.count) bytes in all)" : text
    }
}
