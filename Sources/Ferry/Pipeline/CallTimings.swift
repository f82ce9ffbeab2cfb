/// Where the time of a call went, by the SDK's own clock on every platform.
public struct CallTimings: Hashable, Sendable {
    /// From the start of the call to its end.
    public var total: Duration = .zero
    /// Waiting for a slot or for a rate limit, over all attempts.
    public var queued: Duration = .zero
    /// Waiting between attempts.
    public var retryWait: Duration = .zero
    /// From the start of the last attempt until its response's head; nil where none came.
    public var head: Duration?
    /// From the head until the last byte of the body; nil where it did not come.
    public var body: Duration?
    /// Bytes of the request body that were sent, over all attempts.
    public var bytesSent: Int64 = 0
    /// Bytes of the response body that were received after decoding, over all attempts.
    public var bytesReceived: Int64 = 0
    /// Attempts made.
    public var attempts = 0

    /// Creates timings of zero.
    public init() {}
}
