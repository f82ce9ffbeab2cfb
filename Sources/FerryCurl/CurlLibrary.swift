#if os(Linux)
    import CFerryCurl
    import Ferry

    /// The libcurl of the system, opened once a process.
    struct CurlLibrary: Sendable {
        /// Its version, such as `7.88.1`.
        let version: String
        let hasTLS: Bool
        let hasHTTP2: Bool
        let hasUnixSockets: Bool
        /// Whether names are looked up on threads of their own.
        let looksNamesUpAside: Bool
        /// Whether a handle may make a second transfer. libcurl 7.83 to 8.1.0 keeps a pointer to the last field of the first
        /// one, which is freed by then, and writes to it where the next response begins with a folded line (curl issue 11101).
        let reusesHandles: Bool
        /// Whether zlib is there too: without it no coding of content is asked for.
        let hasZlib: Bool

        /// The oldest that is relied on: 7.68 of January 2020, which every supported distribution has.
        private static let oldest: (number: UInt32, text: String) = (0x07_44_00, "7.68")

        private static let loaded: Result<CurlLibrary, NetworkError> = load()

        /// The library.
        ///
        /// - Throws: `unsupported` where it is missing or too old.
        static func open() throws(NetworkError) -> CurlLibrary { try loaded.get() }

        private static func load() -> Result<CurlLibrary, NetworkError> {
            guard ferry_curl_load() == 0 else {
                let problem = String(cString: ferry_curl_problem())
                return .failure(
                    NetworkError(
                        .unsupported, "FerryCurl needs libcurl.so.4 (Debian and Ubuntu: package libcurl4): \(problem)"))
            }
            let version = String(cString: ferry_curl_version())
            guard ferry_curl_version_number() >= oldest.number else {
                return .failure(
                    NetworkError(.unsupported, "FerryCurl needs libcurl \(oldest.text); this is \(version)"))
            }
            let features = Int(ferry_curl_features())
            return .success(
                CurlLibrary(
                    version: version, hasTLS: features & FERRY_FEATURE_TLS != 0,
                    hasHTTP2: features & FERRY_FEATURE_HTTP2 != 0,
                    hasUnixSockets: features & FERRY_FEATURE_UNIX_SOCKETS != 0,
                    looksNamesUpAside: features & FERRY_FEATURE_ASYNCHRONOUS_DNS != 0,
                    reusesHandles: !(0x07_53_00..<0x08_01_01).contains(ferry_curl_version_number()),
                    hasZlib: ferry_zlib_loaded()))
        }
    }
#endif
