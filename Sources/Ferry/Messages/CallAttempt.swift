/// One attempt of a call: what came of it and when.
public struct CallAttempt: Sendable {
    /// Its number, from 1.
    public let number: Int
    /// When it began, from the start of the call.
    public let start: Duration
    /// How long it took.
    public let duration: Duration
    /// The status that came, if one did.
    public let status: HTTPStatus?
    /// The failure's kind, if it failed without a status.
    public let failure: NetworkError.Kind?

    /// Creates a record of one attempt.
    public init(number: Int, start: Duration, duration: Duration, status: HTTPStatus?, failure: NetworkError.Kind?) {
        self.number = number
        self.start = start
        self.duration = duration
        self.status = status
        self.failure = failure
    }
}

extension CallAttempt: CustomStringConvertible {
    /// Number, outcome and time: `#2 503 Service Unavailable after 12.3 ms`.
    public var description: String {
        let outcome = status.map(String.init(describing:)) ?? failure?.rawValue ?? "ended"
        return "#\(number) \(outcome) after \(duration.milliseconds) ms"
    }
}
