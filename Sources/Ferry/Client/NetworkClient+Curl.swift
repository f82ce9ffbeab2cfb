extension NetworkClient {
    /// A call as a command for a POSIX shell that sends its request with curl.
    ///
    /// Cookies of the jar and credentials of `authorization` join a request when it is sent and are not part of it.
    ///
    /// - Parameters:
    ///   - call: The call; it is not made.
    ///   - redaction: What is hidden. Default: as the client's configuration says; `.none` gives the exact request.
    /// - Throws: `NetworkError` where the call gives no valid request, as making it would.
    public nonisolated func curl(
        for call: NetworkCall, redaction: Redaction? = nil
    ) throws(NetworkError) -> String {
        try builder.request(for: call).curl(redaction: redaction ?? configuration.redaction)
    }

    /// A call as a command for a POSIX shell that sends its request with curl.
    ///
    /// - Parameters:
    ///   - api: The call; it is not made.
    ///   - redaction: What is hidden. Default: as the client's configuration says; `.none` gives the exact request.
    /// - Throws: `NetworkError` where the call gives no valid request, as making it would.
    public nonisolated func curl(
        for api: some Api, redaction: Redaction? = nil
    ) throws(NetworkError) -> String {
        try curl(for: api.call, redaction: redaction)
    }
}
