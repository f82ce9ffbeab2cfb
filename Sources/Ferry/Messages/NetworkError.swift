public import Foundation

/// What every throwing function of Ferry throws.
///
/// ```swift
/// do {
///     let user = try await client.request(GetUser(id: 7))
/// } catch {                                   // error is a NetworkError: throws are typed
///     switch error.kind {
///     case .authentication: signIn()
///     case .timeout: showRetry()
///     default: show(error.serverMessage ?? error.message)
///     }
/// }
/// ```
///
/// The description names the request without userinfo, query and fragment, and shows no header value and no body: it
/// can be logged.
public struct NetworkError: Error {
    package struct Details: Sendable {
        package var kind: Kind
        package var message: String
        package var method: HTTPMethod?
        package var url: URL?
        package var response: HTTPResponse.Head?
        package var body: Data?
        package var isBodyTruncated = false
        package var serverMessage: String?
        package var problem: ProblemDetails?
        package var timeout: TimeoutKind?
        package var codingPath: String?
        package var attempts: [CallAttempt] = []
        package var underlying: (any Error)?
        package var decoder: JSONDecoder?
    }

    /// One word to throw: the details live behind a reference.
    private final class Storage: Sendable {
        let details: Details

        init(_ details: Details) { self.details = details }
    }

    private var storage: Storage

    package var details: Details {
        get { storage.details }
        set { storage = Storage(newValue) }
    }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - kind: What went wrong.
    ///   - message: The same in words, without secrets.
    ///   - underlying: The error that caused it. Default nil.
    public init(_ kind: Kind, _ message: String, underlying: (any Error)? = nil) {
        storage = Storage(Details(kind: kind, message: message, underlying: underlying))
    }

    /// A call that was cancelled.
    public static var cancelled: NetworkError { NetworkError(.cancelled, "The call was cancelled") }

    /// This error with changed details.
    package func with(_ change: (inout Details) -> Void) -> NetworkError {
        var copy = self
        change(&copy.details)
        return copy
    }

    /// This error, naming the request where it names none yet.
    package func describing(_ request: HTTPRequest) -> NetworkError {
        guard details.url == nil else { return self }
        return with {
            $0.method = request.method
            $0.url = request.url
        }
    }
}

extension NetworkError {
    /// What went wrong.
    public var kind: Kind { storage.details.kind }
    /// The same in words, without secrets.
    public var message: String { storage.details.message }
    /// The method of the failed request, once it was built.
    public var method: HTTPMethod? { storage.details.method }
    /// The URL of the failed request, once it was built.
    public var url: URL? { storage.details.url }
    /// The response's head, where one came.
    public var response: HTTPResponse.Head? { storage.details.response }
    /// The status, where a response came.
    public var status: HTTPStatus? { storage.details.response?.status }
    /// The response's header fields; empty where no response came.
    public var headers: HTTPHeaders { storage.details.response?.headers ?? [:] }
    /// The response's content, at most ``bodyLimit`` bytes of it, where a response came.
    public var body: Data? { storage.details.body }
    /// Whether the content was longer than `body`.
    public var isBodyTruncated: Bool { storage.details.isBodyTruncated }
    /// The server's own message: found by the client's `errorMessageKeyPath`, else the detail or title of an RFC 9457
    /// problem.
    public var serverMessage: String? { storage.details.serverMessage }
    /// The problem details of the response (RFC 9457), where it had some.
    public var problem: ProblemDetails? { storage.details.problem }
    /// Which time-out fired, for kind `timeout`.
    public var timeout: TimeoutKind? { storage.details.timeout }
    /// Where in the JSON decoding failed, such as `items[3].name`, for kinds `decoding` and `unwrapping`.
    public var codingPath: String? { storage.details.codingPath }
    /// Each attempt of the call that failed, in order, the last one included.
    public var attempts: [CallAttempt] { storage.details.attempts }
    /// The error that caused this one, such as a `URLError` or a `DecodingError`.
    public var underlyingError: (any Error)? { storage.details.underlying }

    /// Most bytes of a response's content that an error keeps: 64 KiB.
    public static let bodyLimit = 64 * 1024
}

extension NetworkError: CustomStringConvertible, LocalizedError, CustomReflectable {
    /// Kind, request, status and message; no header value, no query, and nothing of the body, such as the server's
    /// message.
    public var description: String {
        var text = "\(kind)"
        if let method, let url { text += " [\(method) \(url.redacted)]" }
        if let status { text += " \(status)" }
        text += ": \(message)"
        if attempts.count > 1 { text += " (after \(attempts.count) attempts)" }
        return text
    }

    /// The server's message where there is one, else the message.
    public var errorDescription: String? { serverMessage ?? message }

    /// What the description shows: the rest may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
