#if os(Linux)
    import CFerryCurl
    import Ferry
    import Foundation

    /// What every handle of a transport is set to. Made and used by one loop; owns the lists that libcurl reads in place.
    final class CurlSetUp {
        let settings: CurlTransport.Settings
        private let library: CurlLibrary
        private var usesHTTP2: Bool { settings.usesHTTP2 && library.hasHTTP2 }
        private var resolve: [UnsafeMutablePointer<ferry_list>] = []

        init(_ settings: CurlTransport.Settings, _ library: CurlLibrary) throws(NetworkError) {
            for (name, value) in [
                ("connectionsPerHost", settings.connectionsPerHost), ("idleConnections", settings.idleConnections),
            ] where value < 0 {
                throw NetworkError(.invalidRequest, "The setting \(name) is negative: \(value)")
            }
            self.settings = settings
            self.library = library
            for entry in try settings.resolveEntries().reversed() {
                let node = UnsafeMutablePointer<ferry_list>.allocate(capacity: 1)
                node.initialize(to: ferry_list(text: strdup(entry), next: resolve.last))
                resolve.append(node)
            }
        }

        /// Gives the lists back, once every handle is gone.
        func release() {
            for node in resolve {
                free(node.pointee.text)
                node.deallocate()
            }
            resolve = []
        }

        /// Sets a new handle.
        ///
        /// - Throws: `unsupported` for what this libcurl cannot do; nothing is left out silently.
        func apply(to easy: OpaquePointer, share: OpaquePointer?) throws(NetworkError) {
            if let share { try set(easy, FERRY_OPT_SHARE, UnsafeRawPointer(share), "a shared session cache") }
            try set(easy, FERRY_OPT_HTTP_VERSION, usesHTTP2 ? FERRY_HTTP_2_TLS : FERRY_HTTP_1_1, "the HTTP version")
            if let timeout = settings.connectTimeout {
                try set(
                    easy, FERRY_OPT_CONNECTTIMEOUT_MS, Self.milliseconds(timeout), "a connect time-out")
            }
            // To libcurl a limit of 0 is none.
            if settings.idleConnections == 0 { try set(easy, FERRY_OPT_FORBID_REUSE, 1, "no idle connections") }
            if let path = settings.unixSocket {
                guard library.hasUnixSockets else { throw unsupported("Unix domain sockets", 4) }
                // The room for it in sockaddr_un, less the NUL. libcurl would say that a name cannot be resolved.
                guard path.utf8.count < 108 else {
                    throw NetworkError(.invalidRequest, "The path of a Unix domain socket has at most 107 bytes")
                }
                try set(easy, FERRY_OPT_UNIX_SOCKET_PATH, path, "a Unix domain socket")
            }
            if let first = resolve.last { try set(easy, FERRY_OPT_RESOLVE, UnsafeRawPointer(first), "name mapping") }
            switch settings.proxy.kind {
            case .environment: break
            case .none: try set(easy, FERRY_OPT_PROXY, "", "no proxy")
            case .url(let url, let exceptions):
                try set(easy, FERRY_OPT_PROXY, url, "a proxy")
                try set(easy, FERRY_OPT_NOPROXY, exceptions.joined(separator: ","), "exceptions from the proxy")
            }
            try applyTLS(to: easy)
        }

        private func applyTLS(to easy: OpaquePointer) throws(NetworkError) {
            let tls = settings.tls
            guard library.hasTLS else {
                if tls != CurlTransport.TLS() { throw unsupported("TLS", 4) }
                return
            }
            let version =
                switch tls.minimumVersion {
                case .tls12: FERRY_TLS_1_2
                case .tls13: FERRY_TLS_1_3
                }
            try set(easy, FERRY_OPT_SSL_VERSION, version, "a minimum TLS version")
            switch tls.authorities.kind {
            case .system: break
            case .file(let url):
                try checkReadable(url, "authorities")
                try set(easy, FERRY_OPT_CAINFO, url.path(percentEncoded: false), "a file of authorities")
                try set(easy, FERRY_OPT_CAPATH, nil as UnsafeRawPointer?, "a file of authorities")
            case .data(let data):
                try set(easy, FERRY_OPT_CAINFO_BLOB, data, "authorities in memory (needs 7.77)")
                try set(easy, FERRY_OPT_CAPATH, nil as UnsafeRawPointer?, "authorities in memory")
            }
            guard let identity = tls.clientCertificate else { return }
            try set(easy, FERRY_OPT_SSLCERTTYPE, "PEM", "client certificates")
            switch identity.kind {
            case .files(let certificate, let key):
                try checkReadable(certificate, "client certificate")
                try checkReadable(key, "client key")
                try set(easy, FERRY_OPT_SSLCERT, certificate.path(percentEncoded: false), "a client certificate")
                try set(easy, FERRY_OPT_SSLKEY, key.path(percentEncoded: false), "a client key")
            case .data(let certificate, let key):
                try set(easy, FERRY_OPT_SSLCERT_BLOB, certificate, "a client certificate in memory (needs 7.71)")
                try set(easy, FERRY_OPT_SSLKEY_BLOB, key, "a client key in memory (needs 7.71)")
            }
            if let password = identity.password { try set(easy, FERRY_OPT_KEYPASSWD, password, "a key's password") }
        }

        /// Rounded up, and no longer than libcurl counts on every platform: 24 days.
        private static func milliseconds(_ time: Duration) -> Int {
            Int(min(max(1, (time.seconds * 1000).rounded(.up)), Double(Int32.max)))
        }

        /// Sets what differs between transfers.
        func adjust(_ easy: OpaquePointer, for transfer: CurlTransfer) {
            // Small buffers cost less to make, large ones move more at once.
            ferry_easy_set_long(easy, Int32(FERRY_OPT_BUFFERSIZE), transfer.isStreamed ? 256 << 10 : 32 << 10)
            ferry_easy_set_long(easy, Int32(FERRY_OPT_UPLOAD_BUFFERSIZE), transfer.isLargeUpload ? 1 << 20 : 64 << 10)
            // Over TLS a second call to a host waits for the first one's handshake, which tells whether the connection can
            // be shared. Over plain http only a response would tell, which may take for ever.
            ferry_easy_set_long(easy, Int32(FERRY_OPT_PIPEWAIT), usesHTTP2 && transfer.wire.isSecure ? 1 : 0)
        }

        // MARK: Options

        private func set(_ easy: OpaquePointer, _ option: Int, _ value: Int, _ what: String) throws(NetworkError) {
            try check(ferry_easy_set_long(easy, Int32(option), value), what)
        }

        private func set(_ easy: OpaquePointer, _ option: Int, _ value: String, _ what: String) throws(NetworkError) {
            guard !value.utf8.contains(0) else {
                throw NetworkError(.invalidRequest, "The setting for \(what) has a NUL byte")
            }
            try check(ferry_easy_set_pointer(easy, Int32(option), value), what)
        }

        private func set(
            _ easy: OpaquePointer, _ option: Int, _ value: UnsafeRawPointer?, _ what: String
        ) throws(NetworkError) {
            try check(ferry_easy_set_pointer(easy, Int32(option), value), what)
        }

        private func set(_ easy: OpaquePointer, _ option: Int, _ value: Data, _ what: String) throws(NetworkError) {
            let code = value.withUnsafeBytes { ferry_easy_set_blob(easy, Int32(option), $0.baseAddress, $0.count) }
            try check(code, what)
        }

        private func check(_ code: Int32, _ what: String) throws(NetworkError) {
            if code != 0 { throw unsupported(what, code) }
        }

        private func unsupported(_ what: String, _ code: Int32) -> NetworkError {
            NetworkError(
                .unsupported,
                "libcurl \(library.version) cannot do \(what) (\(code): \(String(cString: ferry_curl_words(code))))")
        }

        private func checkReadable(_ url: URL, _ what: String) throws(NetworkError) {
            guard url.isFileURL, FileManager.default.isReadableFile(atPath: url.path(percentEncoded: false)) else {
                throw NetworkError(.invalidRequest, "The file \(url.lastPathComponent) (\(what)) cannot be read")
            }
        }
    }
#endif
