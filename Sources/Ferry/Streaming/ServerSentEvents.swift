public import Foundation

/// The events of a server, as they arrive, over one connection or over as many as it takes.
///
/// With a reconnection policy the sequence goes on after the end of a response: it waits for the time that the server
/// set, sends the last event ID and goes on with the events of the new response. It ends when the server answers 204,
/// and throws for another status, another content type, and after too many failures in a row. Without a policy the end
/// of the response is the end, and a cut response throws after the events that came.
///
/// Leaving the loop, or cancelling the task, ends the transfer or the wait.
///
/// ## Step by step
///
/// Each event is there as soon as its block has arrived. Without reconnection the end of the response is the end:
///
/// ```swift
/// var tides: [String] = []
/// var last = ""
/// for try await event in client.serverSentEvents(NetworkCall(.get, "/tides"), reconnection: nil) {
///     tides.append("\(event.event) \(event.data)")
///     last = event.id
/// }
/// ```
///
/// Later, go on behind the last event that was seen; this time the stream reconnects until the server answers 204:
///
/// ```swift
/// let rest = client.serverSentEvents(NetworkCall(.get, "/tides"), lastEventID: last)
/// for try await event in rest { tides.append(event.data) }
/// ```
///
/// Events whose data are JSON are decoded, up to the sentinel that ends them:
///
/// ```swift
/// struct Piece: Decodable, Sendable { let text: String }
///
/// let question = NetworkCall(.post, "/chat", body: .json(["prompt": "Where to?"]))
/// var words = ""
/// for try await piece in client.serverSentEvents(question, as: Piece.self, until: "[DONE]") {
///     words += piece.text
/// }
/// ```
///
/// A response that is there already has its events too, with the head beside them:
///
/// ```swift
/// let response = try await client.stream(NetworkCall(.get, "/tides"))
/// var next = ServerSentEvents(response.body).makeAsyncIterator()
/// let event = try await next.next()
/// ```
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = ServerSentEvent
    /// Every failure is a `NetworkError`.
    public typealias Failure = NetworkError

    /// Makes one connection: sends the request, with a `Last-Event-ID` field of the given value where it is not nil,
    /// and gives the response with its body as a stream.
    public typealias Connect = @Sendable (_ lastEventID: String?) async throws(NetworkError) -> HTTPResponse

    private enum Source: Sendable {
        case stream(ByteStream)
        case connections(Connect, any NetworkClock)
    }

    private let source: Source
    private let connector: ServerSentEventConnector

    /// The events of a response that is there already.
    ///
    /// - Parameters:
    ///   - stream: Its body.
    ///   - maxEventSize: Largest event in bytes; a larger one is an error. Default 16 MiB.
    public init(_ stream: ByteStream, maxEventSize: Int = ServerSentEventParser.defaultMaxEventSize) {
        source = .stream(stream)
        connector = ServerSentEventConnector(maxEventSize: maxEventSize, isConnected: true)
    }

    /// The events of a server that is connected to when the loop begins. Each loop is a session of its own.
    ///
    /// - Parameters:
    ///   - reconnection: How to reconnect; nil never to. Default nil: only a request that is safe to repeat may be.
    ///   - lastEventID: The ID to begin with, such as one kept from an earlier session. Default empty: none.
    ///   - maxEventSize: Largest event in bytes; a larger one is an error. Default 16 MiB.
    ///   - clock: For the waits. Default: the system's.
    ///   - connect: Makes one connection.
    public init(
        reconnection: ServerSentEventReconnection? = nil, lastEventID: String = "",
        maxEventSize: Int = ServerSentEventParser.defaultMaxEventSize, clock: any NetworkClock = .system,
        connect: @escaping Connect
    ) {
        source = .connections(connect, clock)
        connector = ServerSentEventConnector(
            reconnection: reconnection, lastEventID: lastEventID, maxEventSize: maxEventSize)
    }

    /// Iterates over the events.
    public func makeAsyncIterator() -> Iterator {
        switch source {
        case .stream(let stream): Iterator(connector: connector, body: stream.makeAsyncIterator())
        case .connections(let connect, let clock): Iterator(connector: connector, connect: connect, clock: clock)
        }
    }

    /// Iterates over the events of `ServerSentEvents`.
    public struct Iterator: AsyncIteratorProtocol {
        private var connector: ServerSentEventConnector
        private var connect: Connect?
        private let clock: any NetworkClock
        /// The body being read; nil between connections, so that the transfer is let go of.
        private var body: ByteStream.Iterator?

        fileprivate init(
            connector: ServerSentEventConnector, body: ByteStream.Iterator? = nil, connect: Connect? = nil,
            clock: any NetworkClock = .system
        ) {
            self.connector = connector
            self.body = body
            self.connect = connect
            self.clock = clock
        }

        /// The ID of the last event, to go on from in a later session; empty where there is none.
        public var lastEventID: String { connector.lastEventID }

        /// The next event, or nil at the end.
        ///
        /// - Throws: `NetworkError`; afterwards the sequence is finished.
        public mutating func next() async throws(NetworkError) -> ServerSentEvent? { try await next(isolation: nil) }

        /// The next event, or nil at the end.
        ///
        /// - Throws: `NetworkError`; afterwards the sequence is finished.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkError) -> ServerSentEvent? {
            while true {
                if Task.isCancelled { connector.didFail(.cancelled) }
                let action = connector.next()
                if case .deliver(let event) = action { return event }
                guard try await perform(action, isolation: actor) else { return nil }
            }
        }

        /// The data of the next event as they came, without text in between; nil at the end.
        @usableFromInline
        mutating func nextData(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Data? {
            while true {
                if let data = readyData() { return data }
                if Task.isCancelled { connector.didFail(.cancelled) }
                let action = connector.next()
                if case .deliver(let event) = action { return Data(event.data.utf8) }
                guard try await perform(action, isolation: actor) else { return nil }
            }
        }

        /// The data of an event that is there already; spares the asynchronous calls.
        @usableFromInline
        mutating func readyData() -> Data? { Task.isCancelled ? nil : connector.readyData() }

        /// Does what the connector says and reports how it went; false at the end.
        private mutating func perform(
            _ action: ServerSentEventConnector.Action, isolation actor: isolated (any Actor)?
        ) async throws(NetworkError) -> Bool {
            switch action {
            case .deliver: break
            case .read: await read(isolation: actor)
            case .connect(let id): await open(lastEventID: id, isolation: actor)
            case .wait(let time): await wait(time, isolation: actor)
            case .finish:
                release()
                return false
            case .fail(let error):
                release()
                throw error
            }
            return true
        }

        private mutating func read(isolation actor: isolated (any Actor)?) async {
            do throws(NetworkError) {
                if let chunk = try await body?.next(isolation: actor) { return connector.didReceive(chunk) }
                connector.didEnd()
            } catch {
                connector.didFail(error)
            }
            body = nil
        }

        private mutating func open(lastEventID: String?, isolation actor: isolated (any Actor)?) async {
            guard let connect else { return }
            do throws(NetworkError) {
                let response = try await connect(lastEventID)
                connector.didConnect(response.head)
                let stream =
                    switch response.body {
                    case .data(let data): ByteStream([data])
                    case .stream(let stream): stream
                    }
                if let refusal = connector.failure {
                    connector.didFail(await refusal.keepingBody(of: stream, isolation: actor))
                } else {
                    body = stream.makeAsyncIterator()
                }
            } catch {
                connector.didFail(error)
            }
        }

        private mutating func wait(_ time: Duration, isolation actor: isolated (any Actor)?) async {
            do {
                try await clock.sleep(for: time)
                connector.didWait()
            } catch {
                connector.didFail(.cancelled)
            }
        }

        private mutating func release() {
            body = nil
            connect = nil
        }
    }
}

@available(*, unavailable)
extension ServerSentEvents.Iterator: Sendable {}

extension NetworkError {
    /// This error with what a refused response says, up to `bodyLimit`; without, where it cannot be read.
    fileprivate func keepingBody(of stream: ByteStream, isolation actor: isolated (any Actor)?) async -> NetworkError {
        var iterator = stream.makeAsyncIterator()
        var body = Data()
        do throws(NetworkError) {
            while body.count <= Self.bodyLimit, let chunk = try await iterator.next(isolation: actor) {
                body.append(chunk)
            }
        } catch {
            if error.isCancelled { return error }
        }
        return with {
            $0.body = Data(body.prefix(Self.bodyLimit))
            $0.isBodyTruncated = body.count > Self.bodyLimit
        }
    }
}
