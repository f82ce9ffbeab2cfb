// LoopbackServer: a real HTTP/1.1 server on 127.0.0.1 for tests, in this process. It speaks correctly unless a test asks
// for a fault. It may name Ferry's Messages and clock, Foundation and, in Sockets.swift alone, the system's calls.
// One thread owns all sockets; handlers run in tasks; what both touch is behind a Mutex.

public import Ferry
public import Foundation
import Synchronization

/// An HTTP server on this machine for tests of code that makes requests.
///
/// Requests are parsed strictly (RFC 9112); a malformed one is answered with 400 and noted in ``rejections``. A
/// request without a route is answered with 404 and a text that names it.
///
/// ## Step by step
///
/// Start it and point a client at it; the system picks the port:
///
/// ```swift
/// let server = try await LoopbackServer.start()
/// let client = NetworkClient(baseURL: server.baseURL) { $0.retry = .constant(.zero, maxRetries: 2) }
/// ```
///
/// Script it: a handler for what depends on the request, a list for what changes from one request to the next.
///
/// ```swift
/// server.on(.get, "/books/{id}") { request in
///     .json(#"{"title": "Book \#(request.pathParameters["id"] ?? "")"}"#)
/// }
/// server.script(.get, "/flaky", [.status(503), .status(503), .json(#"{"title": "Patience"}"#)])
///
/// let book: Book = try await client.get("/books/7")
/// let flaky: Book = try await client.get("/flaky")  // retried twice
/// ```
///
/// Ask what came:
///
/// ```swift
/// XCTAssertEqual(server.requests.map(\.path), ["/books/7", "/flaky", "/flaky", "/flaky"])
/// ```
///
/// Control the time. A test never sleeps: it waits for what it needs and opens a ``Gate`` when the server may go on.
///
/// ```swift
/// let gate = Gate()
/// server.on(.get, "/events") { _ in
///     .stream { writer in
///         try await writer.write("first\n")
///         await gate.wait()
///         try await writer.write("second\n")
///     }
/// }
/// var lines: [String] = []
/// for try await line in client.lines(NetworkCall(.get, "/events")) {
///     lines.append(line)
///     gate.open()  // the first line is here; only now does the server send the second
/// }
/// ```
///
/// Break things: cut a response after so many bytes, lie about its length, and much more.
///
/// ```swift
/// server.on(.get, "/cut", .text("hello").cut(after: 40, then: .reset))
/// server.on(.get, "/short", .json("{}").claiming(contentLength: 100))
///
/// let call = NetworkCall(.get, "/short", retry: .never)
/// let error = await XCTAssertThrowsNetworkError(.connectionLost) { try await client.data(call) }
/// ```
///
/// Stop it. The thread and every descriptor are gone afterwards:
///
/// ```swift
/// await server.stop()
/// ```
public final class LoopbackServer: Sendable {
    /// What happens to a new connection.
    public enum ConnectionAction: Hashable, Sendable {
        /// It is served.
        case serve
        /// It is closed without a byte.
        case close
        /// It is reset without a byte.
        case reset
        /// Whatever comes is dropped, and no answer ever sent.
        case ignore
    }

    /// The port, picked by the system.
    public let port: Int
    /// `http://127.0.0.1:PORT`, without a slash at the end.
    public let baseURL: URL

    let core: LoopbackCore
    private let thread: JoinableThread
    /// Guards that the thread is joined once, by whoever stops first; the others wait for the same task.
    private let stopping = Mutex<Task<Void, Never>?>(nil)

    private init(core: LoopbackCore, thread: JoinableThread, port: Int, baseURL: URL) {
        self.core = core
        self.thread = thread
        self.port = port
        self.baseURL = baseURL
    }

    deinit {
        guard stopping.withLock({ $0 == nil }) else { return }
        core.mailbox.send(.stop)
        thread.detach()
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - requestLimit: Most bytes of a request body that is kept in memory; a larger one is answered with 413.
    ///     Default 64 MiB. Streaming handlers have no limit.
    ///   - headLimit: Most bytes of a request head; a larger one is answered with 431. Default 64 KiB.
    ///   - recordLimit: At least this many of the newest requests are kept in ``requests``; 0 keeps none. Default
    ///     100 000.
    ///   - configure: Adds routes before the first connection is accepted. Default: none.
    /// - Throws: `NetworkError` of kind `network` where the system has no socket, port or thread left.
    public static func start(
        requestLimit: Int = 64 << 20, headLimit: Int = 64 << 10, recordLimit: Int = 100_000,
        configure: sending (LoopbackServer) -> Void = { _ in }
    ) async throws(NetworkError) -> LoopbackServer {
        guard let mailbox = LoopbackMailbox() else {
            throw NetworkError(.network, "The loopback server has no descriptor left")
        }
        let listener: Int32
        let port: Int
        switch Sockets.listen(backlog: 1024) {
        case .success(let socket): (listener, port) = (socket.descriptor, Int(socket.port))
        case .failure(let error):
            _ = mailbox.close()
            throw NetworkError(.network, "The loopback server cannot listen: \(error.message)", underlying: error)
        }
        let core = LoopbackCore(
            recorder: LoopbackRecorder(limit: recordLimit), mailbox: mailbox,
            limits: LoopbackCore.Limits(requestBody: requestLimit, head: headLimit))
        guard let baseURL = URL(string: "http://127.0.0.1:\(port)"),
            let thread = JoinableThread({ LoopbackLoop(core: core, listener: listener).run() })
        else {
            _ = mailbox.close()
            Sockets.close(listener)
            throw NetworkError(.network, "The loopback server cannot start its thread")
        }
        let server = LoopbackServer(core: core, thread: thread, port: port, baseURL: baseURL)
        // Nobody knows the port before this returns, so no request comes before the routes.
        configure(server)
        return server
    }

    /// Stops the server: no connection is accepted, open ones are closed, tasks of handlers are cancelled.
    ///
    /// Returns when the thread and all descriptors are gone; stopping again waits for the same. Handlers that ignore
    /// cancellation run on, but their answers go nowhere. Waits on the server return; ``requests`` stays readable.
    public func stop() async {
        let task = stopping.withLock { stopping in
            if let task = stopping { return task }
            let task = Task { [core, thread] in
                core.mailbox.send(.stop)
                await core.ended.wait()
                thread.join()
            }
            stopping = task
            return task
        }
        await task.value
    }
}
