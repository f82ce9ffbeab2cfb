public import Ferry
public import Foundation
import Synchronization

/// Writes the body of one response; see ``LoopbackResponse/stream(contentLength:contentType:_:)``.
public final class LoopbackWriter: Sendable {
    private let address: ExchangeAddress
    private let mailbox: LoopbackMailbox
    private let framing: ResponsePlan.Framing
    private let pace: LoopbackResponse.Pace?
    private let disconnection: Gate
    /// Guards the count of bytes that a cut response may still send and the count of the body's bytes.
    private let counts: Mutex<Counts>

    private struct Counts {
        var allowed: Int
        var body = 0
    }

    init(
        _ address: ExchangeAddress, _ mailbox: LoopbackMailbox, framing: ResponsePlan.Framing,
        response: LoopbackResponse, disconnection: Gate
    ) {
        self.address = address
        self.mailbox = mailbox
        self.framing = framing
        self.disconnection = disconnection
        pace = response.pace
        counts = Mutex(Counts(allowed: response.limit ?? .max))
    }

    /// Bytes of the body written so far, framing not counted.
    public var byteCount: Int { counts.withLock { $0.body } }

    /// Whether the client still holds the connection.
    public var isClientConnected: Bool { !disconnection.isOpen }

    /// Waits until the client closes or resets the connection, or the server stops.
    public func waitForDisconnect() async { await disconnection.wait() }

    /// Sends bytes of the body, as one chunk where the coding is chunked.
    ///
    /// Returns once at most 256 KiB wait to be taken by the client: a slow client slows the writer.
    ///
    /// - Throws: `NetworkError` of kind `connectionLost` when the client has gone, the server stops, or the response
    ///   was cut here by ``LoopbackResponse/cut(after:then:)``.
    public func write(_ data: Data) async throws(NetworkError) {
        counts.withLock { $0.body += data.count }
        switch framing {
        case .identity: try await send(data)
        case .chunked: try await send(ResponsePlan.chunk(data))
        case .none: break
        }
    }

    /// Sends text in UTF-8.
    public func write(_ text: String) async throws(NetworkError) { try await write(Data(text.utf8)) }

    /// Sends bytes as they are, without framing.
    func send(_ data: Data) async throws(NetworkError) {
        guard let pace else { return try await deliver(data) }
        var rest = data[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pace.byteCount)
            rest = rest.dropFirst(piece.count)
            try await deliver(piece)
            do {
                try await pace.wait()
            } catch {
                throw NetworkError(.cancelled, "The pacing of the response ended it", underlying: error)
            }
        }
    }

    private func deliver(_ data: Data) async throws(NetworkError) {
        let (kept, isCut) = counts.withLock { counts in
            let kept = data.prefix(counts.allowed)
            counts.allowed -= kept.count
            return (kept, kept.count < data.count)
        }
        if !kept.isEmpty {
            let isThere = await withCheckedContinuation { continuation in
                if !mailbox.send(.write(address, kept, continuation)) { continuation.resume(returning: false) }
            }
            guard isThere else { throw NetworkError(.connectionLost, "The client has closed the connection") }
        }
        if isCut { throw NetworkError(.connectionLost, "The response was cut here, as the test asked") }
    }
}

extension LoopbackWriter {
    /// Sends a response that takes its time, and ends the exchange.
    static func transmit(
        _ response: LoopbackResponse, _ context: ResponsePlan.Context, to address: ExchangeAddress,
        _ mailbox: LoopbackMailbox, disconnection: Gate
    ) async {
        if let delay = response.delay {
            do {
                try await delay.clock.sleep(for: delay.duration)
            } catch {
                mailbox.send(.finish(address, .close, keepsAlive: false))
                return
            }
        }
        var response = response
        var file: FileHandle?
        var length: Int?
        switch response.body {
        case .stream(let announced, _): length = announced
        case .file(let url):
            do {
                // A directory can be opened, and says that it is as long as a number can be.
                _ = try BodyFile.check(url)
                let handle = try FileHandle(forReadingFrom: url)
                length = Int(try handle.seekToEnd())
                try handle.seek(toOffset: 0)
                file = handle
            } catch {
                response = .text("The file cannot be read: \(error)", status: 500)
            }
        case .data, .chunks, .unframed, .raw: break
        }
        if response.delay != nil { response.delay = nil }
        if response.isImmediate {
            mailbox.send(.answer(address, ImmediateAnswer(response, context)))
            return
        }
        await send(response, length: length, file: file, context, to: address, mailbox, disconnection)
        do { try file?.close() } catch {}
    }

    private static func send(
        _ response: LoopbackResponse, length: Int?, file: FileHandle?, _ context: ResponsePlan.Context,
        to address: ExchangeAddress, _ mailbox: LoopbackMailbox, _ disconnection: Gate
    ) async {
        let plan = ResponsePlan(response, length: length, context)
        let writer = LoopbackWriter(
            address, mailbox, framing: plan.framing, response: response, disconnection: disconnection)
        var keepsAlive = false
        do {
            switch response.body {
            case .data, .chunks, .unframed, .raw:
                // All bytes are known: only their pace needs the task.
                var whole = response
                whole.limit = nil
                let answer = ImmediateAnswer(whole, context)
                for piece in answer.pieces { try await writer.send(piece) }
                keepsAlive = answer.keepsAlive
            case .file, .stream:
                try await writer.send(ResponsePlan.interimHeads(response, context) + plan.head)
                if plan.framing != .none { try await produce(response, file: file, writer) }
                if plan.framing == .chunked { try await writer.send(ResponsePlan.lastChunk([:])) }
                let isWhole = plan.framing != .identity || length.map { $0 == writer.byteCount } ?? true
                keepsAlive = plan.keepsAlive && isWhole
            }
        } catch {
            // The client sees a cut response: what was sent stays, the connection ends.
            mailbox.send(.finish(address, response.ending ?? .close, keepsAlive: false))
            return
        }
        let ending = response.ending ?? (keepsAlive ? nil : .close)
        mailbox.send(.finish(address, ending, keepsAlive: keepsAlive))
    }

    private static func produce(_ response: LoopbackResponse, file: FileHandle?, _ writer: LoopbackWriter) async throws
    {
        if case .stream(_, let produce) = response.body { return try await produce(writer) }
        while let piece = try file?.read(upToCount: 256 * 1024), !piece.isEmpty { try await writer.write(piece) }
    }
}
