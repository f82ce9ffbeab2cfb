// Transport: makes one exchange over URLSession: tasks, their delegate, deadlines, buffers, failures.
// May name Messages and Pipeline. All that is peculiar to FoundationNetworking on Linux stays in this room.

import Synchronization

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// The default transport, over URLSession.
///
/// Redirects, cookies, cache, credentials and time-outs are switched off in the session: the client does them, alike on
/// every platform.
///
/// ## On Linux
///
/// - Requests with a body use a second session that sends `Connection: close`: on a kept-alive connection that the server
///   closes at that moment, FoundationNetworking sends the head again without the body and waits. See
///   ``Settings/reusesConnectionsForBodies``.
/// - A transfer cannot be paused. A stream whose consumer is slower than the server keeps `Limits.streamMemory` bytes in
///   memory and lets the rest wait in an unlinked temporary file, up to `Limits.streamOverflow`.
/// - A server that closes inside the response's head, and a chunked response with trailers, end the process inside
///   FoundationNetworking. No code over URLSession can prevent that.
public final class URLSessionTransport: Transport {
    /// What can be chosen about the transport.
    public struct Settings: Sendable {
        /// Whether requests with a body may use a connection that served a request before. Default: false on Linux, where
        /// such a request can hang when the server closes the connection at that moment; true elsewhere.
        public var reusesConnectionsForBodies: Bool

        /// Creates the settings.
        public init(reusesConnectionsForBodies: Bool = Settings.platformReusesConnectionsForBodies) {
            self.reusesConnectionsForBodies = reusesConnectionsForBodies
        }

        /// False on Linux, true elsewhere.
        public static var platformReusesConnectionsForBodies: Bool {
            #if canImport(FoundationNetworking)
                false
            #else
                true
            #endif
        }
    }

    private struct Lane {
        let session: URLSession
        let delegate: ExchangeDelegate
    }

    private let plain: Lane
    private let withBody: Lane
    /// Why no request can be sent: the session configuration is unusable.
    private let defect: NetworkError?
    /// Guards the moment of creating a task and adding its exchange: a task created after invalidation would trap, and an
    /// exchange added after it would not be cancelled.
    private let isShutDown = Mutex(false)
    /// Bodies that are read before their exchange begins.
    private let preparations = UploadPreparations()
    private static let startQueue = DispatchQueue(label: "ferry.urlsession.start")

    /// The session's own timer must never fire before the SDK's: a week, in seconds. FoundationNetworking cuts it to
    /// whole seconds and traps on infinite or huge values.
    private static let sessionTimeout: TimeInterval = 7 * 24 * 3600

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - configuration: Proxy, connections per host, additional headers and the like; it is copied, and what the SDK does
    ///     itself is switched off in the copy. Default: `URLSessionConfiguration.default`.
    ///   - settings: Default: those of the platform.
    public init(configuration: URLSessionConfiguration = .default, settings: Settings = Settings()) {
        TemporaryFile.removeLeftOversOnce()
        let (copy, defect) = Self.prepared(configuration)
        self.defect = defect
        plain = Self.lane(copy)
        if settings.reusesConnectionsForBodies {
            withBody = plain
        } else {
            let (closing, _) = Self.prepared(configuration)
            var headers = closing.httpAdditionalHeaders ?? [:]
            headers["Connection"] = "close"
            closing.httpAdditionalHeaders = headers
            withBody = Self.lane(closing)
        }
    }

    deinit {
        // Lets running exchanges end: a stream may outlive its client.
        plain.session.finishTasksAndInvalidate()
        if withBody.session !== plain.session { withBody.session.finishTasksAndInvalidate() }
    }

    /// True: deadlines are kept by the SDK's clock, for each exchange.
    public var enforcesTimeouts: Bool { true }

    /// Makes one exchange.
    ///
    /// - Throws: `NetworkError`: `invalidBody` for a file or stream that cannot be sent, `cancelled`, `timeout`, or what
    ///   happened on the way.
    public func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        if let defect { throw defect }
        if Task.isCancelled { throw .cancelled }
        let upload = try await preparations.run(request.body, context: context) { () throws(NetworkError) in
            try await UploadSource.make(request)
        }
        defer { upload.remove() }
        let exchange = URLSessionExchange(request, upload, context: context)
        start(exchange, request, upload)
        switch try await exchange.response().get() {
        case .complete(let head, let data):
            return HTTPResponse(head: head.answering(request), body: .data(data))
        case .head(let head):
            return HTTPResponse(head: head.answering(request), body: .stream(ByteStream(exchange)))
        }
    }

    /// Ends every exchange with `cancelled`; later requests fail with `cancelled`.
    public func shutdown() {
        let isFirst = isShutDown.withLock { isDown in
            defer { isDown = true }
            return !isDown
        }
        guard isFirst else { return }
        preparations.shutDown()
        for lane in [plain, withBody] { for exchange in lane.delegate.all { exchange.cancel(.cancelled) } }
        plain.session.finishTasksAndInvalidate()
        if withBody.session !== plain.session { withBody.session.finishTasksAndInvalidate() }
    }

    // MARK: Tasks

    /// Starts an exchange.
    ///
    /// On Linux creating a task waits for the session's queue, and so does resuming it: done at once while that is idle,
    /// else from a queue of its own, so that no thread of Swift concurrency waits there.
    private func start(_ exchange: URLSessionExchange, _ request: HTTPRequest, _ upload: UploadSource) {
        let lane = request.body.isNone ? plain : withBody
        #if canImport(FoundationNetworking)
            guard lane.delegate.isEmpty else {
                return Self.startQueue.async { self.start(exchange, request, upload, in: lane) }
            }
        #endif
        start(exchange, request, upload, in: lane)
    }

    private func start(
        _ exchange: URLSessionExchange, _ request: HTTPRequest, _ upload: UploadSource, in lane: Lane
    ) {
        guard !exchange.isEnded else { return }
        let task = isShutDown.withLock { isDown -> URLSessionTask? in
            guard !isDown else { return nil }
            let task = Self.task(for: URLRequest(request), upload, in: lane)
            // Known before the lock is given back, so that a shutdown finds it.
            lane.delegate.add(exchange, for: task)
            return task
        }
        guard let task else { return exchange.cancel(NetworkError(.cancelled, "The transport was shut down")) }
        // Never resumed where the call is over: the session keeps the task until then, so let it end at once.
        guard exchange.attach(task) else { return Self.cancel(task) }
        task.resume()
    }

    private static func task(for request: URLRequest, _ upload: UploadSource, in lane: Lane) -> URLSessionTask {
        switch upload.way {
        case .none, .data:
            return lane.session.dataTask(with: request)
        case .file(let url):
            return lane.session.uploadTask(with: request, fromFile: url)
        #if canImport(FoundationNetworking)
            case .read(let body):
                var request = request
                request.setStream(body.makeStream(), length: body.length)
                return lane.session.dataTask(with: request)
        #endif
        }
    }

    /// Cancels a task, from a queue of its own: on Linux `cancel()` waits for the session's queue, so calling it from a
    /// callback or from a cancellation handler deadlocks. Behind the start, so that no task is resumed afterwards.
    static func cancel(_ task: URLSessionTask) {
        #if canImport(FoundationNetworking)
            startQueue.async { task.cancel() }
        #else
            task.cancel()
        #endif
    }

    // MARK: Sessions

    private static func lane(_ configuration: URLSessionConfiguration) -> Lane {
        let delegate = ExchangeDelegate()
        return Lane(
            session: URLSession(configuration: configuration, delegate: delegate, delegateQueue: .forExchanges),
            delegate: delegate)
    }

    /// A copy of a configuration with everything off that the SDK does itself, and what makes it unusable.
    private static func prepared(_ original: URLSessionConfiguration) -> (URLSessionConfiguration, NetworkError?) {
        guard let copy = original.copy() as? URLSessionConfiguration else {
            return (.default, NetworkError(.invalidRequest, "The session configuration cannot be copied"))
        }
        var defect: NetworkError?
        // Also what traps or leaves cookies and caches behind on Linux: any cache makes an early cancel trap there.
        copy.urlCache = nil
        copy.requestCachePolicy = .reloadIgnoringLocalCacheData
        copy.httpCookieStorage = nil
        copy.httpShouldSetCookies = false
        copy.httpCookieAcceptPolicy = .never
        copy.urlCredentialStorage = nil
        copy.timeoutIntervalForRequest = sessionTimeout
        copy.timeoutIntervalForResource = sessionTimeout
        do throws(NetworkError) {
            copy.httpAdditionalHeaders = try checked(original.httpAdditionalHeaders)
        } catch {
            copy.httpAdditionalHeaders = nil
            defect = error
        }
        return (copy, defect)
    }

    /// Additional headers as strings that may go on the wire; others trap or split requests on Linux.
    private static func checked(_ headers: [AnyHashable: Any]?) throws(NetworkError) -> [AnyHashable: Any]? {
        guard let headers else { return nil }
        var fields = HTTPHeaders()
        for (name, value) in headers {
            guard let name = name as? String, let value = value as? String else {
                throw NetworkError(
                    .invalidHeader, "An additional header of the session configuration is not a string: \(name)")
            }
            fields.append(name, value)
        }
        try fields.validateForRequest()
        for name in HTTPHeaders.credentialNames where fields.contains(name) {
            throw NetworkError(
                .invalidHeader,
                "\(name) among the additional headers of the session would go to every origin; set it on the client")
        }
        return headers
    }
}

extension OperationQueue {
    /// The queue for delegate callbacks.
    ///
    /// On Linux it runs each callback where the session makes it, on its own work queue: with an ordinary queue
    /// a backlog of hundreds of MiB builds up behind a slow consumer. Elsewhere an ordinary serial queue.
    fileprivate static var forExchanges: OperationQueue {
        #if canImport(FoundationNetworking)
            return InlineQueue()
        #else
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            return queue
        #endif
    }
}

#if canImport(FoundationNetworking)
    extension URLRequest {
        /// Sets a body stream with exact framing.
        ///
        /// FoundationNetworking tells libcurl no length of a stream, which then sends chunks; a Content-Length beside
        /// them would be two framings. A Transfer-Encoding of white space alone makes libcurl leave chunks and the field
        /// out, so that what remains is Content-Length, over HTTP/1.1. Held by a test of the bytes on the wire.
        fileprivate mutating func setStream(_ stream: InputStream, length: Int64) {
            httpBodyStream = stream
            setValue("\(length)", forHTTPHeaderField: "Content-Length")
            setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
        }
    }

    /// Runs each block at once, on the caller's thread.
    private final class InlineQueue: OperationQueue, @unchecked Sendable {  // It stores nothing; no lock is needed.
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    }
#endif

extension HTTPResponse.Head {
    /// This head with the URL as it was asked for, fragment included: the session's own has been through the wire.
    fileprivate func answering(_ request: HTTPRequest) -> HTTPResponse.Head {
        var copy = self
        copy.url = request.url
        return copy
    }
}
