// Observability: what the outside learns of a call.
// May name Messages and Pipeline.

public import Foundation

/// What a log says of a call that ended.
///
/// The description is one line without header values, query, userinfo and content: it can be logged.
public struct CallLog: Sendable {
    /// The call's number in the process.
    public let id: CallContext.ID
    /// The method, once the request was built.
    public let method: HTTPMethod?
    /// The URL as it was requested first, with its query: it may hold secrets.
    public let url: URL?
    /// The last response's head, where one came.
    public let response: HTTPResponse.Head?
    /// Where the response came from.
    public let source: HTTPResponse.Source?
    /// The redirects that were followed.
    public let redirects: [Redirect]
    /// Each attempt, in order.
    public let attempts: [CallAttempt]
    /// Where the time went.
    public let timings: CallTimings
    /// The error that the call threw, if it did.
    public let error: NetworkError?

    package init(
        context: CallContext, request: HTTPRequest?, response: HTTPResponse?, error: NetworkError?
    ) {
        id = context.id
        method = request?.method
        url = request?.url
        self.response = response?.head ?? error?.response
        source = response?.source
        redirects = response?.redirects ?? []
        attempts = context.attempts
        timings = context.timings
        self.error = error
    }
}

extension CallLog: CustomStringConvertible, CustomReflectable {
    /// One line: `#7 GET https://api.example.com/users 200 OK, 943 bytes, 1 attempt, 12.3 ms`.
    public var description: String {
        var text = "\(id)"
        if let method, let url { text += " \(method) \(url.redacted)" }
        if let response { text += " \(response.status)" }
        if source == .mock { text += " (mock)" }
        text += ", \(timings.bytesReceived) bytes, \(attempts.count) attempt\(attempts.count == 1 ? "" : "s")"
        text += ", \(timings.total.milliseconds) ms"
        if let error { text += ", \(error.kind): \(error.message)" }
        return text
    }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["log": description]) }
}
