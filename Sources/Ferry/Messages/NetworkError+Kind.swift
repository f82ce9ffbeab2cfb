extension NetworkError {
    /// What went wrong: an open set of names.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// Creates a kind with its name, for the errors of your own transports and interceptors.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension NetworkError.Kind {
    // Before anything is sent.

    /// The base URL, path or URL cannot make a request.
    public static let invalidURL = Self(rawValue: "invalidURL")
    /// A header name or value is malformed, or the field belongs to the transport.
    public static let invalidHeader = Self(rawValue: "invalidHeader")
    /// The request contradicts itself: a malformed method, a body on GET, a time-out that is not a time.
    public static let invalidRequest = Self(rawValue: "invalidRequest")
    /// The body cannot be read: a missing or non-regular file, a stream of another length than declared.
    public static let invalidBody = Self(rawValue: "invalidBody")
    /// A value could not be encoded.
    public static let encoding = Self(rawValue: "encoding")
    /// A pinned host or another demand that the transport cannot honour.
    public static let unsupported = Self(rawValue: "unsupported")

    // Answered by the server.

    /// 401 or 403.
    public static let authentication = Self(rawValue: "authentication")
    /// Another 4xx.
    public static let client = Self(rawValue: "client")
    /// 5xx.
    public static let server = Self(rawValue: "server")
    /// Another status that the call does not accept.
    public static let status = Self(rawValue: "status")
    /// The call's own validation refused the response.
    public static let validation = Self(rawValue: "validation")
    /// The response's content type is not one that the call accepts.
    public static let contentType = Self(rawValue: "contentType")
    /// A redirect that is refused: too many, malformed, from https to http.
    public static let redirect = Self(rawValue: "redirect")

    // On the way.

    /// The connection could not be made.
    public static let cannotConnect = Self(rawValue: "cannotConnect")
    /// The host's name could not be resolved.
    public static let cannotFindHost = Self(rawValue: "cannotFindHost")
    /// The connection ended before the response was complete.
    public static let connectionLost = Self(rawValue: "connectionLost")
    /// The device has no network.
    public static let offline = Self(rawValue: "offline")
    /// What the server sent is not HTTP or contradicts itself.
    public static let malformedResponse = Self(rawValue: "malformedResponse")
    /// Another transport failure.
    public static let network = Self(rawValue: "network")
    /// The secure connection could not be made, or the certificate is not trusted.
    public static let tls = Self(rawValue: "tls")
    /// A time-out fired; see `timeout`.
    public static let timeout = Self(rawValue: "timeout")
    /// The call was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The response's body is larger than the client allows.
    public static let bodyTooLarge = Self(rawValue: "bodyTooLarge")
    /// The response's head is larger than the client or the transport allows.
    public static let headTooLarge = Self(rawValue: "headTooLarge")
    /// The body would have to be sent again and cannot be.
    public static let bodyNotReplayable = Self(rawValue: "bodyNotReplayable")
    /// A response stream was read twice.
    public static let streamConsumed = Self(rawValue: "streamConsumed")

    // Understanding the response.

    /// The content is not what the type needs.
    public static let decoding = Self(rawValue: "decoding")
    /// The key path leads nowhere.
    public static let unwrapping = Self(rawValue: "unwrapping")
    /// The content is empty and the type needs some.
    public static let emptyBody = Self(rawValue: "emptyBody")

    /// The next page cannot be asked for: its cursor came before, or its URL is of another origin.
    public static let paging = Self(rawValue: "paging")

    // Without the network.

    /// The cache was asked alone and has no answer.
    public static let cacheMiss = Self(rawValue: "cacheMiss")
    /// The mock is missing or broken.
    public static let mock = Self(rawValue: "mock")
    /// A file could not be read or written.
    public static let file = Self(rawValue: "file")
}

extension NetworkError.Kind: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}

/// Which time-out fired.
public enum TimeoutKind: String, Hashable, Sendable, CaseIterable {
    /// From the start of an attempt until the response's head.
    case head
    /// Until the connection was made, where the transport has such a time-out.
    case connect
    /// Between two bytes.
    case idle
    /// One attempt.
    case attempt
    /// The whole call, with all attempts, redirects and waits.
    case total
}

extension NetworkError {
    /// A time-out.
    ///
    /// - Parameters:
    ///   - timeout: Which one.
    ///   - limit: How long it was, where known.
    package static func timedOut(_ timeout: TimeoutKind, after limit: Duration?) -> NetworkError {
        let words =
            switch timeout {
            case .head: "No response head came"
            case .connect: "The connection was not made"
            case .idle: "Nothing was transferred"
            case .attempt: "The attempt did not finish"
            case .total: "The call did not finish"
            }
        let time = limit.map { " within \($0.seconds) s" } ?? " in time"
        return NetworkError(.timeout, words + time).with { $0.timeout = timeout }
    }
}

extension Duration {
    /// The duration in seconds.
    package var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// The duration in milliseconds, to a tenth, for people.
    package var milliseconds: Double { (seconds * 10_000).rounded() / 10 }
}
