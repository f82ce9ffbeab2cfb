/// How much of a response a client takes.
///
/// A negative limit is refused as `invalidRequest` before anything is sent. Zero is a limit like any other.
public struct Limits: Hashable, Sendable {
    /// Most bytes of a body that is buffered, counted after decompression, so that a small compressed body cannot
    /// unfold without bound. Default 128 MiB. Streams and downloads are not limited by it.
    public var bufferedBody: Int
    /// Most field lines of a head, as far as the transport shows them. Default 512.
    public var headerCount: Int
    /// Bytes of a stream that are kept in memory while its consumer is slower than the server. Default 1 MiB.
    public var streamMemory: Int
    /// Bytes of a stream that may wait in a temporary file beyond `streamMemory`, on a transport that cannot stop the
    /// server; more is an error of kind `bodyTooLarge`. Default 2 GiB.
    public var streamOverflow: Int64

    /// Creates a set of limits.
    public init(
        bufferedBody: Int = 128 << 20, headerCount: Int = 512, streamMemory: Int = 1 << 20,
        streamOverflow: Int64 = 2 << 30
    ) {
        self.bufferedBody = bufferedBody
        self.headerCount = headerCount
        self.streamMemory = streamMemory
        self.streamOverflow = streamOverflow
    }

    /// Refuses limits that nothing could keep.
    ///
    /// - Throws: `NetworkError` of kind `invalidRequest` where one is negative.
    package func validate() throws(NetworkError) {
        let all: [(name: String, value: Int64)] = [
            ("bufferedBody", Int64(bufferedBody)), ("headerCount", Int64(headerCount)),
            ("streamMemory", Int64(streamMemory)), ("streamOverflow", streamOverflow),
        ]
        for (name, value) in all where value < 0 {
            throw NetworkError(.invalidRequest, "Limits.\(name) is negative: \(value)")
        }
    }
}
