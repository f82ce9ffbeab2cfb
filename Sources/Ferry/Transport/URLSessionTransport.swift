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
/// Pins are kept through the trust challenge, where there is one: not on Linux. Every set of pins has sessions of its own, as
/// no challenge comes for a connection that exists.
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

    /// One session and what counts along with it.
    struct Lane {
        let session: URLSession
        let delegate: ExchangeDelegate
        let line: ConnectionLine
    }

    /// The sessions of one set of pins.
    struct Lanes {
        let plain: Lane
        let withBody: Lane

        var sessions: [URLSession] {
            withBody.session === plain.session ? [plain.session] : [plain.session, withBody.session]
        }
    }

    let unpinned: Lanes
    private let makeLanes: @Sendable (CertificatePins) -> Lanes
    /// The sessions of those who pin. Guards against two of the same pins; a client has one set of pins.
    private let pinned = Mutex<[CertificatePins: Lanes]>([:])
    /// Why no request can be sent: the session configuration is unusable.
    private let defect: NetworkError?
    /// Guards the moment of creating a task and adding its exchange: a task created after invalidation would trap, and an
    /// exchange added after it would not be cancelled.
    let isShutDown = Mutex(false)
    /// Bodies that are read before their exchange begins.
    private let preparations = UploadPreparations()

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
        let closing: URLSessionConfiguration?
        if settings.reusesConnectionsForBodies {
            closing = nil
        } else {
            let (own, _) = Self.prepared(configuration)
            var headers = own.httpAdditionalHeaders ?? [:]
            headers["Connection"] = "close"
            own.httpAdditionalHeaders = headers
            closing = own
        }
        makeLanes = { pins in
            let plain = Self.lane(copy, pins)
            return Lanes(plain: plain, withBody: closing.map { Self.lane($0, pins) } ?? plain)
        }
        unpinned = makeLanes(CertificatePins())
    }

    deinit {
        // Lets running exchanges end: a stream may outlive its client.
        for session in lanes.flatMap(\.sessions) { session.finishTasksAndInvalidate() }
    }

    private var lanes: [Lanes] { [unpinned] + pinned.withLock { Array($0.values) } }

    /// Whether the platform asks about a server's certificate.
    private static var seesCertificates: Bool {
        #if canImport(FoundationNetworking)
            false
        #else
            true
        #endif
    }

    /// True but on Linux, where no trust challenge is delivered.
    public var enforcesPins: Bool { Self.seesCertificates }

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
        let lanes = try lanes(for: request, context)
        start(exchange, request, upload, in: request.body.isNone ? lanes.plain : lanes.withBody)
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
        for lanes in lanes {
            for lane in [lanes.plain, lanes.withBody] {
                for exchange in lane.delegate.all { exchange.cancel(.cancelled) }
            }
            for session in lanes.sessions { session.finishTasksAndInvalidate() }
        }
    }

    // MARK: Sessions

    /// The sessions for a request.
    ///
    /// - Throws: `unsupported` for plain http to a pinned host, `invalidRequest` for pins that make no sense.
    private func lanes(for request: HTTPRequest, _ context: CallContext) throws(NetworkError) -> Lanes {
        let pins = context.pins
        guard Self.seesCertificates, !pins.isEmpty else { return unpinned }
        try pins.validate()
        guard let origin = Origin(request.url) else {
            throw NetworkError(.invalidURL, "The URL's host is malformed")
        }
        if origin.scheme != "https", let check = pins.check(for: origin.host) {
            guard check.mode == .report else { throw check.plainRefused }
            context.emit(.pinMismatch(PinMismatch(host: check.host, found: [])))
        }
        return try isShutDown.withLock { isDown throws(NetworkError) in
            guard !isDown else { throw NetworkError(.cancelled, "The transport was shut down") }
            return pinned.withLock { known in
                if let lanes = known[pins] { return lanes }
                let lanes = makeLanes(pins)
                known[pins] = lanes
                return lanes
            }
        }
    }

    private static func lane(_ configuration: URLSessionConfiguration, _ pins: CertificatePins) -> Lane {
        let delegate = ExchangeDelegate(pins: pins)
        return Lane(
            session: URLSession(configuration: configuration, delegate: delegate, delegateQueue: .forExchanges),
            delegate: delegate, line: ConnectionLine(limit: configuration.httpMaximumConnectionsPerHost))
    }

    /// The session's own time-outs, in seconds, which must never come before the SDK's.
    ///
    /// FoundationNetworking cuts the one for a request to whole seconds, traps on infinite or greater values, and makes a timer
    /// for each line of a head and each chunk of a body. A time that libdispatch cannot represent is one that never comes,
    /// and a timer for it is never handed to the thread that waits for timers: half the context switches of a small call.
    package static var sessionTimeout: Double {
        let week: Double = 7 * 24 * 3600
        #if canImport(FoundationNetworking)
            // Three hundred years; milliseconds are counted in an Int.
            return Int.bitWidth > 32 ? 1e10 : week
        #else
            return week
        #endif
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

extension URLSessionTransport: CustomReflectable {
    /// Nothing: the session's configuration may hold the credentials of a proxy.
    public var customMirror: Mirror { Mirror(self, children: ["transport": "over URLSession"]) }
}
