/// Calls that show how far their body is.
///
/// Any call can have any body: data, a file, a stream, a multipart form (see ``RequestBody``). These functions differ
/// from `request` and `response` in nothing but the progress.
extension NetworkClient {
    /// Makes a call, shows how much of its body is sent, and decodes the response.
    ///
    /// ```swift
    /// let user = try await client.upload(call, as: User.self) { progress in
    ///     show("\(progress.completed) of \(progress.total ?? 0) bytes")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - type: What to decode; inferred where possible.
    ///   - progress: Receives the bytes that went to the socket and the length of the body: at most 10 times a second,
    ///     and once at zero and once at the end. It never goes backwards: while a retry or a redirect sends the body
    ///     again, nothing is reported until it has passed what was reported before. Called on the transport's thread:
    ///     it must return quickly.
    /// - Throws: `NetworkError`, as `request` does.
    public nonisolated func upload<Value: Decodable & Sendable>(
        _ call: NetworkCall, as type: Value.Type = Value.self,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(NetworkError) -> Value {
        try await make(call, sink: sink(progress)) { content throws(NetworkError) in try content.decode() }.value
    }

    /// Makes a call that is described as a type, and shows how much of its body is sent.
    ///
    /// - Parameters:
    ///   - api: The call.
    ///   - progress: As for a `NetworkCall`.
    /// - Throws: `NetworkError`, as `request` does.
    public nonisolated func upload<A: Api>(
        _ api: A, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(NetworkError) -> A.Response {
        try await make(api.call, sink: sink(progress)) { content throws(NetworkError) in try api.decode(content) }.value
    }

    private nonisolated func sink(
        _ progress: @escaping @Sendable (TransferProgress) -> Void
    ) -> @Sendable (CallEvent) -> Void {
        let meter = UploadMeter(clock: configuration.clock, handler: progress)
        return { meter.take($0) }
    }
}
