public import Ferry
import Foundation

/// What a ``LoopbackServer`` answers: a well-formed response, or one that is wrong in exactly the way a test needs.
///
/// ```swift
/// let answers: [LoopbackResponse] = [
///     .json(#"{"id": 1}"#),
///     .status(503).header("Retry-After", "2"),
///     .chunked(["one", "two"], trailers: ["Digest": "x"]),
///     .text("late").delayed(by: .seconds(5), on: clock),
///     .text("broken").cut(after: 40, then: .reset),
/// ]
/// ```
///
/// A Content-Length is added to bodies of known size, and chunked coding to the others, unless the headers already
/// hold a Content-Length or a Transfer-Encoding: these go out exactly as written, right or wrong.
public struct LoopbackResponse: Sendable {
    /// What happens to the connection after the response.
    public enum Ending: Hashable, Sendable {
        /// An orderly end (FIN).
        case close
        /// A reset (RST).
        case reset
        /// Nothing more is sent; the connection stays until the client closes it or the server stops.
        case keepOpen
    }

    /// The status.
    public var status: HTTPStatus
    /// The reason phrase; nil is the registered one.
    public var reason: String?
    /// The header fields, sent in this order and spelling.
    public var headers: HTTPHeaders
    /// What happens to the connection afterwards; nil, the default, keeps it for the next request unless one side
    /// said `Connection: close`.
    public var ending: Ending?

    var body: Body
    var interim: [Interim] = []
    var limit: Int?
    var delay: Delay?
    var pace: Pace?

    enum Body: Sendable {
        case data(Data)
        case chunks([Data], trailers: HTTPHeaders)
        case file(URL)
        case stream(length: Int?, produce: @Sendable (LoopbackWriter) async throws -> Void)
        /// Bytes after the head, as they are, with no framing added.
        case unframed(Data)
        /// All bytes of the response, the head included.
        case raw(Data)
    }

    struct Interim: Sendable {
        var status: HTTPStatus
        var headers: HTTPHeaders
    }

    struct Delay: Sendable {
        var duration: Duration
        var clock: any NetworkClock
    }

    struct Pace: Sendable {
        var byteCount: Int
        var wait: @Sendable () async throws -> Void
    }

    init(status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: Body = .data(Data()), ending: Ending? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.ending = ending
    }

    /// Whether it can be answered at once on the server's own thread.
    var isImmediate: Bool {
        guard delay == nil, pace == nil else { return false }
        switch body {
        case .data, .chunks, .unframed, .raw: return true
        case .file, .stream: return false
        }
    }
}

extension LoopbackResponse {
    /// This response with a header line added.
    public func header(_ name: String, _ value: String) -> LoopbackResponse {
        with { $0.headers.append(name, value) }
    }

    /// This response with header fields that replace those of the same names.
    public func headers(_ headers: HTTPHeaders) -> LoopbackResponse {
        with { $0.headers.merge(headers) }
    }

    /// This response with another status.
    public func status(_ status: HTTPStatus) -> LoopbackResponse { with { $0.status = status } }

    /// This response with an ending of the connection that is not announced by a header.
    public func then(_ ending: Ending) -> LoopbackResponse { with { $0.ending = ending } }

    /// This response after a wait.
    ///
    /// - Parameters:
    ///   - duration: How long nothing is sent.
    ///   - clock: The clock to wait on. Default the system's; a `ManualClock` keeps tests free of real time.
    public func delayed(by duration: Duration, on clock: any NetworkClock = SystemClock()) -> LoopbackResponse {
        with { $0.delay = Delay(duration: duration, clock: clock) }
    }

    func with(_ change: (inout LoopbackResponse) -> Void) -> LoopbackResponse {
        var copy = self
        change(&copy)
        return copy
    }
}

extension LoopbackResponse: CustomStringConvertible, CustomReflectable {
    /// The status alone: fields and content may be secret.
    public var description: String { "\(status)" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
