import Foundation

/// Runs one download: the face around `DownloadStateMachine`, `PartialFile` and the client's chain.
///
/// It moves only while somebody awaits `step`, so that leaving a download needs no signal: nothing is under way then but
/// the transfer, which ends with its stream.
actor DownloadEngine {
    /// How far a step came.
    enum Step {
        case event(DownloadEvent)
        /// Stopped to be gone on with.
        case paused
        case end
    }

    private enum Phase {
        case starting
        case requesting
        case reading(ByteStream)
        case finishing
        case finished(DownloadedFile)
        case ended
    }

    private struct Job {
        let call: NetworkCall
        let context: CallContext
        let request: HTTPRequest
        let destination: DownloadDestination
        let file: PartialFile
        let checksum: [UInt8]?
    }

    /// Bytes that are written at a time: few writes, and little that a killed process has not on disk.
    private static let batchSize = 256 << 10
    /// Bytes that wait in memory while a batch is written.
    private static let streamMemory = 4 << 20

    private let client: NetworkClient
    private let call: NetworkCall
    private let target: URL
    private let options: DownloadOptions
    private let isPaused: @Sendable () -> Bool
    /// What must be given back however the download ends.
    nonisolated let lease: DownloadLease

    private var phase = Phase.starting
    private var job: Job?
    private var machine: DownloadStateMachine?
    private var response: HTTPResponse?
    /// Where the content of the current response begins.
    private var responseStart: Int64 = 0
    /// Digests of parts that came with the parts.
    private var partDigests: [(range: Range<Int64>, digest: [UInt8])] = []
    private var throttle: ProgressThrottle
    private var reported: TransferProgress?

    init(
        _ client: NetworkClient, _ call: NetworkCall, to target: URL, options: DownloadOptions,
        isPaused: @escaping @Sendable () -> Bool = { false }
    ) {
        self.client = client
        var call = call
        var limits = call.limits ?? client.configuration.limits
        limits.streamMemory = max(limits.streamMemory, Self.streamMemory)
        call.limits = limits
        self.call = call
        self.target = target
        self.options = options
        self.isPaused = isPaused
        lease = DownloadLease(client)
        throttle = ProgressThrottle(interval: options.progressInterval)
    }

    /// Goes on to the next event.
    func step() async throws(NetworkError) -> Step {
        do throws(NetworkError) {
            while true {
                if let step = try await advance() { return step }
            }
        } catch {
            guard error.kind == .cancelled, isPaused(), job != nil else { throw end(error) }
            pause()
            return .paused
        }
    }

    /// Lets go of the transfer, to be gone on with in a later step.
    func pause() { if case .reading = phase { phase = .requesting } }

    /// Ends the download for a reason of its user.
    func abort(_ error: NetworkError) -> NetworkError { end(error) }

    private func end(_ error: NetworkError) -> NetworkError {
        phase = .ended
        if error.kind == .file || error.kind == .checksum || error.kind == .malformedResponse {
            // A full disk needs the space, and wrong bytes are worth nothing.
            job?.file.keep(false)
        }
        return lease.end(error, response) ?? error
    }

    private func advance() async throws(NetworkError) -> Step? {
        switch phase {
        case .starting: try start()
        case .requesting: return try await request()
        case .reading(let stream): return try await read(stream)
        case .finishing: try await finish()
        case .finished(let file):
            phase = .ended
            return .event(.finished(file))
        case .ended: return .end
        }
        return nil
    }

    // MARK: Start

    private func start() throws(NetworkError) {
        if Task.isCancelled { throw .cancelled }
        let context = try client.context(for: call, delivery: .streamed)
        lease.begin(context)
        var request = try client.builder.request(for: call)
        lease.request = request
        for name in ["Range", "If-Range"] where request.headers.contains(name) {
            throw NetworkError(.invalidHeader, "Header \(name) is set by the download and cannot be given")
        }
        // Ranges count encoded bytes, and the transport decodes (RFC 9110 §14.1.2).
        if !call.headers.contains("Accept-Encoding") { request.headers["Accept-Encoding"] = "identity" }
        let checksum = try options.checksum?.bytes()
        let destination = try DownloadDestination(target, options: options)
        let file = try PartialFile(
            in: destination.directory, key: destination.key(for: request), isPrivate: options.permissions != nil)
        lease.file = file
        let mayResume = options.resumes && request.method == .get && file.isShared
        machine = DownloadStateMachine(
            url: request.url, record: file.record, length: file.length, mayResume: mayResume)
        // Until the server says otherwise, what an earlier run left is worth keeping.
        file.keep(machine?.isResumable ?? false)
        job = Job(
            call: call, context: context, request: request, destination: destination, file: file, checksum: checksum)
        phase = .requesting
    }

    // MARK: Request

    private func request() async throws(NetworkError) -> Step? {
        guard let job, var machine else { return .end }
        if Task.isCancelled { throw .cancelled }
        var request = job.request
        if case .range(let from, let validator) = machine.request() {
            request.headers["Range"] = "bytes=\(from)-"
            request.headers["If-Range"] = validator
        }
        let answer = try await client.chain.send(request, context: job.context)
        // Without its content, which would keep the transfer alive.
        response = HTTPResponse(head: answer.head, source: answer.source, redirects: answer.redirects)
        let action = machine.receive(answer.head, now: job.context.clock.date)
        self.machine = machine
        switch action {
        case .write(let offset):
            return try await open(answer, at: offset, job)
        case .complete:
            phase = .finishing
            return report(always: true)
        case .restart:
            try restart(job)
            return nil
        case .judge:
            // Throws unless the call accepts the status, so that its content is the file.
            let body = try await client.acceptStream(answer, of: job.call)
            self.machine?.accept(answer.head)
            return try begin(body, answer, at: 0, job)
        case .fail(let kind, let message):
            throw NetworkError(kind, message).with { $0.response = answer.head }
        }
    }

    private func open(_ answer: HTTPResponse, at offset: Int64, _ job: Job) async throws(NetworkError) -> Step? {
        var judged = answer
        // A part that was asked for is judged as the whole that it belongs to.
        if answer.status == .partialContent { judged.head.status = .ok }
        let body = try await client.acceptStream(judged, of: job.call)
        return try begin(body, answer, at: offset, job)
    }

    private func begin(
        _ body: ByteStream, _ answer: HTTPResponse, at offset: Int64, _ job: Job
    ) throws(NetworkError) -> Step? {
        if job.destination.name == nil { try job.destination.check(name(answer.head), options) }
        try job.file.truncate(to: offset)
        try job.file.setRecord(machine?.record)
        job.file.keep(machine?.isResumable ?? false)
        partDigests.removeAll { $0.range.upperBound > offset }
        responseStart = offset
        phase = .reading(body)
        return report()
    }

    private func restart(_ job: Job) throws(NetworkError) {
        try job.file.truncate(to: 0)
        try job.file.setRecord(nil)
        job.file.keep(false)
        partDigests = []
    }

    // MARK: Content

    private func read(_ stream: ByteStream) async throws(NetworkError) -> Step? {
        guard let job, let position = machine?.position else { return .end }
        let batch = await Self.collect(from: stream.source, job.context.clock, pause: options.progressInterval)
        if batch.count > 0 {
            if let most = options.maxBytes, Int64(batch.count) > most - position {
                job.file.keep(false)
                throw NetworkError(
                    .bodyTooLarge, "The download is larger than \(most) bytes (DownloadOptions.maxBytes)")
            }
            try await job.file.write(batch.chunks, at: position)
            machine?.wrote(batch.count)
            job.file.keep(machine?.isResumable ?? false)
            if machine?.isTooLong == true {
                throw NetworkError(.malformedResponse, "The response has more bytes than it announced")
            }
        }
        switch batch.end {
        case nil: return report()
        case .success: return try await complete(job)
        case .failure(let error): return try await broke(error, job)
        }
    }

    /// The content of one response is complete.
    private func complete(_ job: Job) async throws(NetworkError) -> Step? {
        guard let machine, let head = response?.head else { return .end }
        let range = responseStart..<machine.position
        switch machine.finish() {
        case .complete:
            note(head, range)
            phase = .finishing
            return report(always: true)
        case .proceed:
            guard !range.isEmpty else {
                throw NetworkError(.malformedResponse, "A part of the file came without content")
            }
            note(head, range)
            phase = .requesting
            return report()
        case .fail(.connectionLost, let message):
            return try await broke(NetworkError(.connectionLost, message), job)
        case .fail(let kind, let message):
            throw NetworkError(kind, message).with { $0.response = head }
        }
    }

    /// The transfer broke: goes on from there, or from the start, where the retry policy allows it.
    private func broke(_ error: NetworkError, _ job: Job) async throws(NetworkError) -> Step? {
        phase = .requesting
        try await RetryInterceptor(client.configuration.retry).waitToContinue(after: error, job.request, job.context)
        return nil
    }

    private func note(_ head: HTTPResponse.Head, _ range: Range<Int64>) {
        if !head.isEncoded, let digest = DigestFields.content(head.headers) { partDigests.append((range, digest)) }
    }

    private struct Batch {
        var chunks: [Data] = []
        var count = 0
        /// How the content ended, where it did.
        var end: Result<Void, NetworkError>?
    }

    /// Takes chunks until there are enough for a write, or time has passed, or the content ends.
    private static func collect(
        from source: any ByteSource, _ clock: any NetworkClock, pause: Duration
    ) async -> Batch {
        var batch = Batch()
        let start = clock.now
        let longest = min(max(pause, .zero), .seconds(1))
        do throws(NetworkError) {
            repeat {
                guard let chunk = try await source.next() else {
                    batch.end = .success(())
                    return batch
                }
                batch.chunks.append(chunk)
                batch.count += chunk.count
            } while batch.count < batchSize && clock.now - start < longest
        } catch {
            batch.end = .failure(error)
        }
        return batch
    }

    // MARK: End

    private func finish() async throws(NetworkError) {
        guard let job, let machine, let response else { return }
        let whole = 0..<machine.position
        var found: [UInt8]?
        let promised = promisedDigest(response.head)
        if job.checksum != nil || promised != nil {
            let digest = try await job.file.digest(of: whole)
            found = digest
            if let checksum = job.checksum, digest != checksum {
                throw NetworkError(.checksum, "The file does not have the checksum that was given")
            }
            if let promised, digest != promised {
                throw NetworkError(.checksum, "The file does not have the digest that the server gave")
            }
        }
        for (range, digest) in partDigests where range != whole || digest != found {
            guard try await job.file.digest(of: range) == digest else {
                throw NetworkError(.checksum, "The content does not have the digest that came with it")
            }
        }
        if Task.isCancelled { throw .cancelled }
        let url = try job.file.place(
            as: name(response.head), conflict: options.onConflict, permissions: options.permissions)
        phase = .finished(
            DownloadedFile(
                url: url, size: machine.position, resumedFrom: machine.resumedFrom, head: response.head,
                redirects: response.redirects, sha256: found.map { Hex.text($0) }))
        lease.end(nil, response)
    }

    private func promisedDigest(_ head: HTTPResponse.Head) -> [UInt8]? {
        if head.isEncoded { return nil }
        // A 416 has a representation of its own: the error page.
        let own = head.status == .rangeNotSatisfiable ? nil : DigestFields.representation(head.headers)
        return own ?? machine?.record?.digest.flatMap(Hex.bytes)
    }

    private func name(_ head: HTTPResponse.Head) -> String {
        job?.destination.name ?? machine?.record?.name ?? SafeFileName.of(head)
    }

    private func report(always: Bool = false) -> Step? {
        guard let machine, let clock = job?.context.clock else { return nil }
        let isDue = throttle.passes(at: clock.now) || always
        let progress = TransferProgress(completed: machine.position, total: machine.total)
        guard isDue, progress != reported else { return nil }
        reported = progress
        return .event(.progress(progress))
    }
}
