#if os(Linux)
    import CFerryCurl
    import Ferry

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// What a code of libcurl means; no text is read.
    enum CurlCodes {
        /// What is known besides the code.
        struct Circumstances {
            /// Whether a line of a head has come.
            var hasLine = false
            /// Whether the final head has come.
            var hasHead = false
            /// Whether the response is chunked, over a connection without TLS: only there a code tells a malformed chunk.
            var isPlainChunked = false
            /// errno of the last failed system call, or 0.
            var errno: Int32 = 0
        }

        /// The error for a code other than 0.
        static func error(_ code: Int32, _ circumstances: Circumstances) -> NetworkError {
            let kind = kind(code, circumstances)
            let words = String(cString: ferry_curl_words(code))
            let message =
                code == 27 && !circumstances.hasLine
                ? "The request's head is too large for libcurl, which sends 1 MiB at most"
                : messages[kind] ?? "The transfer failed"
            let error = NetworkError(kind, "\(message) (libcurl \(code): \(words))")
            // No other clock of libcurl's is used.
            return kind == .timeout ? error.with { $0.timeout = .connect } : error
        }

        private static func kind(_ code: Int32, _ circumstances: Circumstances) -> NetworkError.Kind {
            switch code {
            // What came is no HTTP/1.x: the scheme was checked before.
            case 1: .malformedResponse
            case 7: circumstances.errno == ENETUNREACH || circumstances.errno == ENETDOWN ? .offline : .cannotConnect
            // Out of memory is also what libcurl before 8 says of a line beyond 100 kB, and of a request's head beyond 1 MiB.
            case 27: circumstances.hasHead ? .network : .headTooLarge
            // Both a reset and a malformed chunk; only the first comes from the system.
            case 56:
                circumstances.isPlainChunked && circumstances.hasHead && !systemLosses.contains(circumstances.errno)
                    ? .malformedResponse : .connectionLost
            default: kinds[code] ?? .network
            }
        }

        private static let systemLosses: Set<Int32> = [
            ECONNRESET, ECONNABORTED, EPIPE, ETIMEDOUT, ENOTCONN, ENETDOWN, ENETRESET, EHOSTUNREACH, ENETUNREACH,
        ]

        private static let kinds: [Int32: NetworkError.Kind] = [
            2: .unsupported,  // FAILED_INIT
            3: .invalidURL,  // URL_MALFORMAT
            4: .unsupported,  // NOT_BUILT_IN: a pin, a certificate or a socket that this libcurl cannot do
            5: .cannotFindHost,  // COULDNT_RESOLVE_PROXY
            6: .cannotFindHost,  // COULDNT_RESOLVE_HOST
            8: .malformedResponse,  // WEIRD_SERVER_REPLY
            16: .connectionLost,  // HTTP2
            18: .connectionLost,  // PARTIAL_FILE: short of the length, or of the last chunk
            28: .timeout,  // OPERATION_TIMEDOUT: connecting
            35: .tls,  // SSL_CONNECT_ERROR
            // BAD_FUNCTION_ARGUMENT: a line of a head or of the trailers without a colon, or folded without one before it.
            43: .malformedResponse,
            48: .unsupported,  // UNKNOWN_OPTION
            52: .connectionLost,  // GOT_NOTHING
            53: .tls,  // SSL_ENGINE_NOTFOUND
            54: .tls,  // SSL_ENGINE_SETFAILED
            55: .connectionLost,  // SEND_ERROR
            58: .tls,  // SSL_CERTPROBLEM: the client's own
            59: .tls,  // SSL_CIPHER
            60: .tls,  // PEER_FAILED_VERIFICATION
            61: .malformedResponse,  // BAD_CONTENT_ENCODING
            65: .connectionLost,  // SEND_FAIL_REWIND: lost before the response, and the body cannot be sent again
            66: .tls,  // SSL_ENGINE_INITFAILED
            77: .tls,  // SSL_CACERT_BADFILE
            80: .tls,  // SSL_SHUTDOWN_FAILED
            82: .tls,  // SSL_CRL_BADFILE
            83: .tls,  // SSL_ISSUER_ERROR
            89: .cannotConnect,  // NO_CONNECTION_AVAILABLE
            90: .tls,  // SSL_PINNEDPUBKEYNOTMATCH
            91: .tls,  // SSL_INVALIDCERTSTATUS
            92: .connectionLost,  // HTTP2_STREAM
            97: .cannotConnect,  // PROXY
            98: .tls,  // SSL_CLIENTCERT: the server wants one
            100: .headTooLarge,  // TOO_LARGE
        ]

        private static let messages: [NetworkError.Kind: String] = [
            .timeout: "The connection was not made in time",
            .cannotConnect: "The connection could not be made",
            .cannotFindHost: "The host's name could not be resolved",
            .connectionLost: "The connection ended before the response was complete",
            .offline: "There is no network",
            .invalidURL: "libcurl cannot use this URL",
            .malformedResponse: "What the server sent is not a proper HTTP response",
            .tls: "The secure connection could not be made",
            .headTooLarge: "The response's head is too large for libcurl",
            .unsupported: "The libcurl of this system cannot do what was asked",
        ]
    }
#endif
