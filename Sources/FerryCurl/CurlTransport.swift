// FerryCurl: a transport on the libcurl of the system, for Linux. May name Ferry's Messages, Pipeline and the pieces of
// Transport that are common to both transports.

#if os(Linux)
    public import Ferry
    import Foundation
    import Synchronization

    /// A transport over libcurl, for Linux.
    ///
    /// ```swift
    /// let client = NetworkClient(baseURL: url) { $0.transport = .curl() }
    /// ```
    ///
    /// It gives what URLSession on Linux cannot: a server that is stopped while a stream's consumer is slow, uploads that are
    /// sent while they are produced, pinned keys, own authorities, client certificates, a connect time-out, trailers, and
    /// responses that are broken or strange without harm to the process.
    ///
    /// ## Threads and owners
    ///
    /// Each loop is one multi handle and one thread that waits for its sockets. One thread at a time has the loop's turn, uses
    /// the handles of libcurl and runs its callbacks: a call that finds it free sends its request itself; otherwise the
    /// request goes to the thread through a mailbox, as does all that is not urgent. A buffered call is resumed once, a
    /// streamed one for its head and for each chunk that its consumer waits for. A transfer lives from before its handle is
    /// added until after it was removed, so libcurl never calls into one that is gone.
    ///
    /// A transport that is dropped lets its exchanges end, and its threads after them; ``shutdown()`` ends both at once.
    public final class CurlTransport: Transport {
        private let threads: [CurlThread]
        private let next = Atomic<Int>(0)
        /// Bodies that are read before their exchange begins.
        private let preparations = UploadPreparations()
        /// Why no request can be sent.
        private let defect: NetworkError?
        private let decodes: Bool
        private let userAgent: String

        /// Creates a transport.
        ///
        /// - Parameter settings: Default: those of `Settings()`.
        /// - Throws: `NetworkError`: `unsupported` where libcurl is missing, older than 7.68 or cannot do what the settings ask
        ///   for; `invalidRequest` for settings that make no sense.
        public init(_ settings: Settings = Settings()) throws(NetworkError) {
            let library = try CurlLibrary.open()
            var threads: [CurlThread] = []
            do throws(NetworkError) {
                for _ in 0..<max(1, settings.loops) { threads.append(try CurlThread(settings, library)) }
            } catch {
                for thread in threads { thread.stop() }
                throw error
            }
            self.threads = threads
            defect = nil
            decodes = library.hasZlib
            userAgent = settings.userAgent ?? "Ferry libcurl/\(library.version)"
        }

        /// A transport that can send nothing.
        private init(defect: NetworkError) {
            threads = []
            self.defect = defect
            decodes = false
            userAgent = ""
        }

        deinit { for thread in threads { thread.finish() } }

        /// A transport, or one whose calls all fail with the reason why there is none.
        static func reporting(_ settings: Settings) -> CurlTransport {
            do throws(NetworkError) {
                return try CurlTransport(settings)
            } catch {
                return CurlTransport(defect: error)
            }
        }

        /// True: deadlines are kept by the client's clock, for each exchange.
        public var enforcesTimeouts: Bool { true }

        /// True: a server's own key that is not pinned ends the handshake, before a byte of the request is sent. Pins that only
        /// report are compared with the certificate of each new connection.
        public var enforcesPins: Bool { true }

        /// Makes one exchange.
        ///
        /// - Throws: `NetworkError`: `unsupported` where there is no usable libcurl, or for plain http to a pinned host;
        ///   `invalidBody` for a file or stream that cannot be sent, `cancelled`, `timeout`, or what happened on the way.
        public func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
            if let defect { throw defect }
            if Task.isCancelled { throw .cancelled }
            let wire = try WireRequest(
                request, check: try pinCheck(request, context), decodes: decodes, userAgent: userAgent)
            let upload = try await preparations.run(request.body, context: context) { () throws(NetworkError) in
                try await CurlUpload(request.body)
            }
            let thread =
                threads.count == 1
                ? threads[0] : threads[next.add(1, ordering: .relaxed).oldValue & Int.max % threads.count]
            let exchange = CurlExchange(request, context: context, mailbox: thread.mailbox)
            let result = await exchange.response {
                if !thread.loop.begin(exchange, wire, upload) {
                    upload.cancel()
                    exchange.cancel(NetworkError(.cancelled, "The transport was shut down"))
                }
            }
            switch try result.get() {
            case .complete(var head, let data):
                head.trailers = exchange.trailers
                return HTTPResponse(head: head, body: .data(data))
            case .head(let head):
                return HTTPResponse(head: head, body: .stream(ByteStream(exchange)))
            }
        }

        /// Ends every exchange with `cancelled`, closes every connection and waits for the threads to end, but in a handler
        /// that a thread calls; later requests fail with `cancelled`.
        public func shutdown() {
            preparations.shutDown()
            for thread in threads { thread.stop() }
        }

        /// What is to be checked of the server, or nil where it is not pinned.
        private func pinCheck(_ request: HTTPRequest, _ context: CallContext) throws(NetworkError) -> PinCheck? {
            let pins = context.pins
            guard !pins.isEmpty else { return nil }
            try pins.validate()
            // A host that cannot be read cannot be compared.
            guard let origin = Origin(request.url) else {
                throw NetworkError(.invalidURL, "The URL's host is malformed")
            }
            guard let check = pins.check(for: origin.host) else { return nil }
            guard origin.scheme != "https" else { return check }
            guard check.mode == .report else { throw check.plainRefused }
            context.emit(.pinMismatch(PinMismatch(host: check.host, found: [])))
            return nil
        }
    }

    extension Transport where Self == CurlTransport {
        /// A transport over libcurl.
        ///
        /// Where libcurl is missing or cannot do what the settings ask for, each call fails with that reason, of kind
        /// `unsupported`; `CurlTransport.init(_:)` tells it at once.
        public static func curl(_ settings: CurlTransport.Settings = CurlTransport.Settings()) -> CurlTransport {
            .reporting(settings)
        }
    }
#endif

extension CurlTransport: CustomReflectable {
    /// How many loops: the settings may hold passwords.
    public var customMirror: Mirror { Mirror(self, children: ["loops": threads.count]) }
}
