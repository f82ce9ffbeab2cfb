#if os(Linux)
    import Ferry
    import FerryCurl
    import FerryTesting

    /// Tests of whole calls over libcurl.
    class CurlTestCase: ClientTestCase {
        /// A client over a transport of its own.
        func curl(_ change: (inout CurlTransport.Settings) -> Void = { _ in }) -> NetworkClient {
            var settings = CurlTransport.Settings()
            change(&settings)
            return client { $0.transport = .curl(settings) }
        }
    }
#endif
