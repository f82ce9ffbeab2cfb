public import Ferry
public import Foundation
import Synchronization

/// A transport that writes every exchange of another one to a cassette, a file of HTTP Archive 1.2.
///
/// ```swift
/// let recorder = RecordingTransport(to: file)               // over a URLSessionTransport
/// let client = NetworkClient(baseURL: url) { $0.transport = recorder }
/// ```
///
/// The file is there after each exchange: when a buffered call has its response, or a stream was read to its end. A stream
/// that is left before is not recorded, a failure is. Secrets are replaced before anything is written: see
/// `Redaction`. Bodies are held in memory, those of requests too.
public final class RecordingTransport: Transport {
    private let base: any Transport
    private let file: URL
    private let redaction: Redaction
    /// Guards the archive and the file behind it: exchanges end on many tasks.
    private let archive: Mutex<HAR>

    /// Creates a transport that begins a new cassette; an older file is replaced at the first exchange.
    ///
    /// - Parameters:
    ///   - file: Where to write; missing folders are made.
    ///   - base: Makes the exchanges. Default: a new `URLSessionTransport`.
    ///   - redaction: What is not written. Default: what usually is a secret.
    public convenience init(
        to file: URL, over base: any Transport = URLSessionTransport(), redaction: Redaction = .standard
    ) {
        self.init(file, base, redaction, HAR())
    }

    init(_ file: URL, _ base: any Transport, _ redaction: Redaction, _ archive: HAR) {
        self.file = file
        self.base = base
        self.redaction = redaction
        self.archive = Mutex(archive)
    }

    /// Whether the recorded transport keeps time-outs by itself.
    public var enforcesTimeouts: Bool { base.enforcesTimeouts }

    /// Whether the recorded transport keeps pins by itself.
    public var enforcesPins: Bool { base.enforcesPins }

    /// Shuts the recorded transport down.
    public func shutdown() { base.shutdown() }

    /// Makes one exchange and records it.
    ///
    /// - Throws: What the recorded transport throws; of kind `file` where the cassette cannot be written.
    public func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        // What is recorded is what is sent, also where it came from a stream that can be read once.
        let whole = try await request.withBodyInMemory()
        var recording = Recording(request: RecordedRequest(whole, number: 1), clock: context.clock)
        do throws(NetworkError) {
            var response = try await base.send(whole, context: context)
            recording.head(response.head)
            switch response.body {
            case .data(let data):
                recording.body = data
                try record(recording)
            case .stream(let stream):
                response.body = .stream(ByteStream(RecordingSource(stream, recording) { [self] in record($0, $1) }))
            }
            return response
        } catch {
            guard error.kind != .cancelled, error.kind != .file, recording.head == nil else { throw error }
            try record(recording, failure: error)
            throw error
        }
    }

    private func record(_ recording: Recording, _ failure: NetworkError?) -> NetworkError? {
        do throws(NetworkError) { try record(recording, failure: failure) } catch { return error }
        return nil
    }

    private func record(_ recording: Recording, failure: NetworkError? = nil) throws(NetworkError) {
        let entry = recording.entry(failure: failure, redaction: redaction)
        let result = archive.withLock { archive -> Result<Void, NetworkError> in
            archive.log.entries.append(entry)
            do throws(NetworkError) { return .success(try archive.write(file)) } catch { return .failure(error) }
        }
        try result.get()
    }
}

/// What is known of an exchange while it runs.
struct Recording: Sendable {
    let request: RecordedRequest
    let clock: any NetworkClock
    let date: Date
    let start: Duration
    var head: HTTPResponse.Head?
    var headAt: Duration = .zero
    var body = Data()
    var chunks: [[Double]] = []

    init(request: RecordedRequest, clock: any NetworkClock) {
        self.request = request
        self.clock = clock
        date = clock.date
        start = clock.now
    }

    mutating func head(_ head: HTTPResponse.Head) {
        self.head = head
        headAt = clock.now
    }

    mutating func append(_ chunk: Data) {
        body.append(chunk)
        chunks.append([Self.rounded(clock.now - headAt), Double(chunk.count)])
    }

    func entry(failure: NetworkError?, redaction: Redaction) -> HAR.Entry {
        let total = Self.rounded(clock.now - start)
        let wait = head == nil ? total : Self.rounded(headAt - start)
        var entry = HAR.Entry(
            startedDateTime: Self.format(date), time: total, request: HAR.Request(request, redaction: redaction),
            response: .none, timings: HAR.Timings(send: 0, wait: wait, receive: max(total - wait, 0)),
            _error: failure?.kind.rawValue)
        if let head, failure == nil { entry.response = HAR.Response(head, body: body, redaction: redaction) }
        // Redaction changes lengths, and chunks that do not add up would cut the content elsewhere.
        if !chunks.isEmpty, entry.response.bodySize == body.count { entry._chunks = chunks }
        return entry
    }

    /// Whole milliseconds: finer ones would make each recording differ.
    private static func rounded(_ duration: Duration) -> Double { (duration.seconds * 1000).rounded() }

    private static func format(_ date: Date) -> String { RFC3339.format(date, fraction: .milliseconds) ?? "" }
}

/// A body that is recorded while it is read.
private final class RecordingSource: ByteSource {
    private let stream: ByteStream
    private let record: @Sendable (Recording, NetworkError?) -> NetworkError?
    /// Guards what was read: the reader and whoever drops the stream are different tasks.
    private let recording: Mutex<Recording>

    init(
        _ stream: ByteStream, _ recording: Recording,
        _ record: @escaping @Sendable (Recording, NetworkError?) -> NetworkError?
    ) {
        self.stream = stream
        self.recording = Mutex(recording)
        self.record = record
    }

    func next() async throws(NetworkError) -> Data? {
        do throws(NetworkError) {
            guard let chunk = try await stream.source.next() else {
                if let error = record(recording.withLock { $0 }, nil) { throw error }
                return nil
            }
            recording.withLock { $0.append(chunk) }
            return chunk
        } catch {
            guard error.kind != .cancelled, error.kind != .file else { throw error }
            if let failed = record(recording.withLock { $0 }, error) { throw failed }
            throw error
        }
    }

    var trailers: HTTPHeaders { stream.trailers }

    func cancel() { stream.source.cancel() }
}

extension RecordingTransport: CustomReflectable {
    /// The file alone: exchanges may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["transport": "recording to \(file.lastPathComponent)"]) }
}
