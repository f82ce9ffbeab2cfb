public import Foundation

/// A typed value with the response that it came in.
public struct Response<Value: Sendable>: Sendable {
    /// The value.
    public let value: Value
    /// Status and fields.
    public let head: HTTPResponse.Head
    /// The content that the value was made of.
    public let body: Data
    /// Where the time went.
    public let timings: CallTimings
    /// Each attempt, in order.
    public let attempts: [CallAttempt]
    /// The redirects that were followed, in order.
    public let redirects: [Redirect]
    /// Where the response came from.
    public let source: HTTPResponse.Source
    /// How old a response from the cache is; nil where it comes from elsewhere.
    public let age: Duration?

    /// The status.
    public var status: HTTPStatus { head.status }
    /// The header fields.
    public var headers: HTTPHeaders { head.headers }
    /// The URL that answered, after redirects.
    public var url: URL { head.url }
}

extension Response: CustomStringConvertible, CustomReflectable {
    /// Status, size and time: fields and content may be secret.
    public var description: String { "\(status), \(body.count) bytes in \(timings.total.milliseconds) ms" }

    /// The description and the value.
    public var customMirror: Mirror { Mirror(self, children: ["response": description, "value": value]) }
}
