#if os(Linux)
    import CFerryCurl
    import Ferry
    import Foundation

    /// One transfer of a loop: what libcurl's callbacks work on, in the loop's turn alone.
    ///
    /// The loop keeps it from before its handle is added until after the handle was removed; libcurl holds a pointer to it
    /// that is not retained, and uses it only in between.
    final class CurlTransfer {
        let exchange: CurlExchange
        let easy: OpaquePointer
        let wire: WireRequest
        let upload: CurlUpload
        /// Whether the handle is in the multi handle.
        var isAdded = false
        /// Whether bytes wait for `flush`.
        private(set) var isDirty = false
        /// Told once when bytes begin to wait.
        private let markDirty: (CurlTransfer) -> Void

        private var parser = HeadParser()
        private var decoder: ContentDecoder?
        /// Buffered: all that came. Streamed: what the consumer has not been told of yet.
        private var body = Data()
        private var received: Int64 = 0
        private var sent: Int64 = 0
        private var expected: Int64?
        /// What was decided here; libcurl's own code says only that a callback stopped it.
        private var failure: NetworkError?
        private var isReceivingPaused = false
        private var isSendingPaused = false
        /// How the transfer ended while decoded bytes still wait for the consumer.
        private var pendingEnd: Int32?
        private var isFramed = true
        private var isChunked = false
        let isStreamed: Bool
        private let bufferLimit: Int

        /// Bytes that are handed to the consumer of a stream at once, at most about so many.
        private static let chunkSize = 128 << 10

        init(
            _ exchange: CurlExchange, _ wire: WireRequest, _ upload: CurlUpload, easy: OpaquePointer,
            markDirty: @escaping (CurlTransfer) -> Void
        ) {
            self.exchange = exchange
            self.wire = wire
            self.upload = upload
            self.easy = easy
            self.markDirty = markDirty
            isStreamed = exchange.context.delivery == .streamed
            bufferLimit = exchange.context.limits.bufferedBody
        }

        /// Prepares the handle.
        ///
        /// - Returns: libcurl's code.
        func attach() -> Int32 {
            var request = wire.prepared
            let context = Unmanaged.passUnretained(self).toOpaque()
            switch upload {
            case .none:
                request.body = Int32(wire.isHead ? FERRY_BODY_HEAD : FERRY_BODY_NONE)
                return ferry_easy_attach(easy, &request, context)
            case .bytes(let data):
                request.body = Int32(FERRY_BODY_BYTES)
                request.size = Int64(data.count)
                return data.withUnsafeBytes { bytes in
                    withUnsafePointer(to: UInt8(0)) { none in
                        // No bytes have no address, which would mean something else.
                        request.bytes = bytes.baseAddress ?? UnsafeRawPointer(none)
                        return ferry_easy_attach(easy, &request, context)
                    }
                }
            case .source(let reader):
                request.body = Int32(FERRY_BODY_READ)
                request.size = reader.length
                return ferry_easy_attach(easy, &request, context)
            }
        }

        /// Whether this is large enough to be worth larger buffers.
        var isLargeUpload: Bool {
            if case .source(let reader) = upload { reader.length > 1 << 20 } else { false }
        }

        // MARK: Callbacks

        /// A line of a head, or of the trailers.
        ///
        /// - Returns: Whether to go on.
        func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
            do throws(NetworkError) {
                guard try parser.take(line) else { return true }
                return try takeHead()
            } catch {
                failure = error
                return false
            }
        }

        private func takeHead() throws(NetworkError) -> Bool {
            let request = exchange.request
            let status = HTTPStatus(parser.status)
            let head = HTTPResponse.Head(status: status, headers: parser.takeFields(), url: request.url)
            if case .bytes(let data) = upload, !data.isEmpty {
                exchange.sent(data.count, completed: Int64(data.count), total: Int64(data.count))
            }
            let transferCoding = head.headers["Transfer-Encoding"]
            isChunked = transferCoding != nil
            if transferCoding != nil, head.headers.contains("Content-Length"), !status.forbidsBody {
                // Two parties may see two ends of this message (RFC 9112 §6.3).
                throw NetworkError(
                    .malformedResponse, "The response has both Transfer-Encoding and Content-Length")
            }
            expected = try ContentLength.expected(of: head, method: request.method)
            if request.method != .head, !status.forbidsBody {
                if let transferCoding, !["chunked", "identity"].contains(transferCoding.lowercased()) {
                    // libcurl hands out what it cannot decode as if it were the content (RFC 9112 §6.1).
                    throw NetworkError(.malformedResponse, "The response has a transfer coding other than chunked")
                }
                decoder = try ContentDecoder.make(for: head.headers)
                isFramed = parser.version > 1 || isChunked || head.headers.contains("Content-Length")
            }
            if !isStreamed, let expected { body.reserveCapacity(Int(min(expected, 1 << 20, Int64(bufferLimit)))) }
            if let check = wire.reporting { report(check) }
            return exchange.received(head)
        }

        /// Tells of a new connection to a server whose key is not pinned.
        private func report(_ check: PinCheck) {
            let pem = ferry_easy_certificate(easy).map { Data(String(cString: $0).utf8) }
            if pem == nil, ferry_easy_connections(easy) == 0 { return }
            let pin = pem.flatMap { try? CertificatePins.pin(ofCertificate: $0) }
            if case .report(let mismatch) = check.judge(pins: pin.map { [$0] } ?? []) {
                exchange.context.emit(.pinMismatch(mismatch))
            }
        }

        /// Bytes of the body.
        ///
        /// - Returns: How many were taken, or `FERRY_WRITE_PAUSE`.
        func take(_ bytes: UnsafeRawBufferPointer) -> Int {
            guard parser.isComplete else {
                failure = NetworkError(.malformedResponse, "Content came before the response's head was complete")
                return 0
            }
            if isStreamed, isFull() {
                isReceivingPaused = true
                return Int(FERRY_WRITE_PAUSE)
            }
            if let decoder { return decode(decoder, bytes) ? bytes.count : 0 }
            return append(bytes) ? bytes.count : 0
        }

        /// - Returns: Whether to go on.
        private func decode(_ decoder: ContentDecoder, _ bytes: UnsafeRawBufferPointer) -> Bool {
            do throws(NetworkError) {
                try decoder.decode(bytes) { decoded in append(decoded) && !(isStreamed && isFull()) }
            } catch {
                failure = error
            }
            return failure == nil
        }

        private func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
            received += Int64(bytes.count)
            if isStreamed {
                if body.isEmpty {
                    body.reserveCapacity(bytes.count < Self.chunkSize / 4 ? bytes.count : Self.chunkSize)
                }
                body.append(contentsOf: bytes)
                if !isDirty {
                    isDirty = true
                    markDirty(self)
                }
                return body.count < Self.chunkSize || deliver()
            }
            guard bytes.count <= bufferLimit - body.count else {
                failure = NetworkError(
                    .bodyTooLarge, "The response body is larger than \(bufferLimit) bytes (Limits.bufferedBody)")
                return false
            }
            body.append(contentsOf: bytes)
            exchange.reportReceived(received, total: expected)
            return true
        }

        /// Whether the consumer has as much as it may; hands over what waits here first.
        private func isFull() -> Bool {
            if !body.isEmpty { _ = deliver() }
            return exchange.pausesIfFull()
        }

        private func deliver() -> Bool {
            let chunk = body
            body = Data()
            return exchange.received(chunk)
        }

        /// Hands what waits to the consumer.
        func flush() {
            isDirty = false
            if isStreamed, !body.isEmpty { _ = deliver() }
        }

        /// Room for bytes of the request's body.
        ///
        /// - Returns: How many were put there, `FERRY_READ_PAUSE` or `FERRY_READ_ABORT`.
        func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
            guard case .source(let reader) = upload else { return 0 }
            switch reader.read(into: room) {
            case .bytes(let count):
                sent += Int64(count)
                if count > 0 { exchange.sent(count, completed: sent, total: reader.length) }
                return count
            case .later:
                isSendingPaused = true
                exchange.sendingPaused(true)
                return Int(FERRY_READ_PAUSE)
            case .failed(let error):
                failure = error
                return Int(FERRY_READ_ABORT)
            }
        }

        /// libcurl must send the body again.
        func seek(_ offset: Int64, _ origin: Int32) -> Bool {
            guard case .source(let reader) = upload, offset == 0, origin == 0, reader.rewind() else { return false }
            sent = 0
            return true
        }

        // MARK: From the loop

        /// The consumer took enough.
        ///
        /// - Returns: The code of a transfer that is to be finished now: it had ended, or refuses what was kept for it.
        func resumeReceiving() -> Int32? {
            if let decoder, decoder.hasWaiting {
                guard decode(decoder, UnsafeRawBufferPointer(start: nil, count: 0)) else { return pendingEnd ?? 23 }
                if decoder.hasWaiting { return nil }
            }
            if let pendingEnd { return pendingEnd }
            if isReceivingPaused {
                isReceivingPaused = false
                // libcurl hands out what it kept, and leaves it to its user to end a transfer that refuses it.
                let code = ferry_easy_pause(easy, false, isSendingPaused)
                return code == 0 ? nil : code
            }
            return nil
        }

        /// The producer has more.
        func resumeSending() {
            guard isSendingPaused else { return }
            isSendingPaused = false
            exchange.sendingPaused(false)
            ferry_easy_pause(easy, isReceivingPaused, false)
        }

        /// Ends the exchange; the handle was removed.
        ///
        /// - Returns: False where decoded bytes wait for the consumer: then `resumeReceiving` gives the code again.
        func finish(_ code: Int32) -> Bool {
            flush()
            if failure == nil, code == 0, let decoder, decoder.hasWaiting {
                pendingEnd = code
                return false
            }
            upload.cancel()
            let trailers = parser.isComplete ? parser.takeFields() : HTTPHeaders()
            exchange.ended(body: isStreamed ? Data() : body, trailers: trailers, error(code))
            return true
        }

        private func error(_ code: Int32) -> NetworkError? {
            if let failure { return failure }
            guard code == 0 else {
                return CurlCodes.error(
                    code,
                    CurlCodes.Circumstances(
                        hasLine: parser.hasBegun, hasHead: parser.isComplete,
                        isPlainChunked: isChunked && !wire.isSecure,
                        errno: Int32(truncatingIfNeeded: ferry_easy_errno(easy))))
            }
            guard parser.isComplete else {
                // libcurl takes a head that was cut for a whole one.
                return NetworkError(.connectionLost, "The connection ended before the response's head was complete")
            }
            if let decoder, !decoder.isWhole(isFramed: isFramed) {
                return NetworkError(.malformedResponse, "The response's content ends before its coding does")
            }
            return nil
        }
    }
#endif
