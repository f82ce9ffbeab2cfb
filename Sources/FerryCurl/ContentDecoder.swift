#if os(Linux)
    import CFerryCurl
    import Ferry
    import Foundation

    /// Undoes the coding of a response's content: gzip or deflate (RFC 9110 §8.4.1).
    ///
    /// Not left to libcurl, which takes content that was cut for complete and unfolds without bound. Owned by one transfer,
    /// in the loop's turn.
    final class ContentDecoder {
        private var inflater: OpaquePointer
        private let isGzip: Bool
        private var hasInput = false
        private var isAtEnd = false
        private var isRaw = false
        /// What came and is not decoded yet.
        private var waiting = Data()

        /// Bytes that are decoded at a time.
        private static let step = 64 << 10
        /// Bytes of the header by which zlib is known (RFC 1950 §2.2).
        private static let zlibHeader = 2

        /// The decoder that a response's fields ask for; nil where its content is not coded.
        ///
        /// - Throws: `malformedResponse` for a coding that is not known.
        static func make(for headers: HTTPHeaders) throws(NetworkError) -> ContentDecoder? {
            guard let field = headers["Content-Encoding"] else { return nil }
            let codings = field.split(separator: ",").map { FieldSyntax.trimmed($0).lowercased() }
                .filter { !$0.isEmpty && $0 != "identity" }
            guard let coding = codings.first else { return nil }
            guard codings.count == 1, ferry_zlib_loaded(), let decoder = ContentDecoder(coding) else {
                throw NetworkError(.malformedResponse, "The response has a content coding that is not supported")
            }
            return decoder
        }

        private init?(_ coding: String) {
            switch coding {
            case "gzip", "x-gzip": isGzip = true
            case "deflate": isGzip = false
            default: return nil
            }
            guard let inflater = ferry_inflater_make(false) else { return nil }
            self.inflater = inflater
        }

        deinit { ferry_inflater_free(inflater) }

        /// Whether there is more to decode without more input.
        private(set) var hasWaiting = false

        /// Whether the content is whole: it ended as the coding says, or there was none at all.
        ///
        /// - Parameter isFramed: Whether the end of an empty content was told by more than the end of the connection.
        func isWhole(isFramed: Bool) -> Bool {
            !hasWaiting && waiting.isEmpty && (isAtEnd || !hasInput && isFramed)
        }

        /// Decodes bytes, or those that wait where there are none.
        ///
        /// - Parameters:
        ///   - input: What came; what is not decoded is kept.
        ///   - deliver: Takes decoded bytes; false: enough for now.
        /// - Throws: `malformedResponse` where the content is not what its coding says.
        func decode(
            _ input: UnsafeRawBufferPointer, deliver: (UnsafeRawBufferPointer) -> Bool
        ) throws(NetworkError) {
            hasWaiting = false
            if !isGzip, !hasInput, waiting.count + input.count < Self.zlibHeader {
                // One byte does not tell which "deflate" this is.
                return waiting.append(contentsOf: input)
            }
            if !waiting.isEmpty {
                waiting.append(contentsOf: input)
                let all = waiting
                waiting = Data()
                // The closure of withUnsafeBytes does not keep the type of the error.
                let result = all.withUnsafeBytes { bytes in self.result(bytes, deliver: deliver) }
                return try result.get()
            }
            try result(input, deliver: deliver).get()
        }

        private func result(
            _ input: UnsafeRawBufferPointer, deliver: (UnsafeRawBufferPointer) -> Bool
        ) -> Result<Void, NetworkError> {
            var rest = input
            return withUnsafeTemporaryAllocation(byteCount: Self.step, alignment: 16) { room in
                while true {
                    if isAtEnd {
                        // More gzip behind the end of a member is another member (RFC 1952 §2.2); anything else is none.
                        guard isGzip, rest.first == 0x1F, ferry_inflater_reset(inflater) == 0 else {
                            return .success(())
                        }
                        isAtEnd = false
                    }
                    var used = rest.count
                    var made = room.count
                    var state = ferry_inflate(inflater, rest.baseAddress, &used, room.baseAddress, &made)
                    if state == FERRY_INFLATE_BROKEN, !isGzip, !isRaw, !hasInput, let raw = ferry_inflater_make(true) {
                        // "deflate" is zlib by the standard and raw by habit of some servers (RFC 9110 §8.4.1.2).
                        ferry_inflater_free(inflater)
                        inflater = raw
                        isRaw = true
                        used = rest.count
                        made = room.count
                        state = ferry_inflate(inflater, rest.baseAddress, &used, room.baseAddress, &made)
                    }
                    guard state != FERRY_INFLATE_BROKEN else {
                        return .failure(
                            NetworkError(.malformedResponse, "The response's content is not what its coding says"))
                    }
                    hasInput = hasInput || used > 0
                    rest = UnsafeRawBufferPointer(rebasing: rest[used...])
                    isAtEnd = state == FERRY_INFLATE_END
                    let isEnough = made > 0 && !deliver(UnsafeRawBufferPointer(rebasing: room[..<made]))
                    // All was taken, and less came out than there is room for: zlib holds nothing back.
                    if rest.isEmpty, made < room.count || isAtEnd { return .success(()) }
                    if isEnough {
                        waiting = Data(rest)
                        hasWaiting = true
                        return .success(())
                    }
                }
            }
        }
    }
#endif
