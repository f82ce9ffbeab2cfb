public import Ferry
import Foundation

/// Which requests a ``MockTransport`` answers in one way; what `on` gives back, to ask it later how often it answered.
public struct MockRoute: Sendable {
    /// How often a route is meant to answer.
    public enum Times: Hashable, Sendable {
        /// Each of its replies at least once; the last one repeats.
        case atLeastOnce
        /// Exactly so often: further requests are left to later routes. The last reply repeats.
        case exactly(Int)
        /// Any number of times, also never; the last reply repeats.
        case anyNumber
    }

    /// Gives the answer to one request.
    public typealias Reply = @Sendable (RecordedRequest) async throws -> MockResponse

    enum Replies: Sendable {
        case list([MockResponse])
        case closure(Reply)
    }

    let id: Int
    /// The method; nil is any.
    public let method: HTTPMethod?
    /// The path as written.
    public let path: String
    /// How often it is meant to answer.
    public let times: Times
    /// Where it was written.
    public let place: SourcePlace

    let pattern: PathPattern
    /// Scheme and authority where the path was written as an absolute URL.
    let origin: String?
    let matches: [RequestMatch]
    let replies: Replies

    init(
        id: Int, method: HTTPMethod?, path: String, matches: [RequestMatch], times: Times, replies: Replies,
        place: SourcePlace
    ) {
        self.id = id
        self.method = method
        self.path = path
        self.matches = matches
        self.times = times
        self.replies = replies
        self.place = place
        if let scheme = path.range(of: "://") {
            let rest = path[scheme.upperBound...]
            let slash = rest.firstIndex(of: "/") ?? rest.endIndex
            origin = path[..<slash].lowercased()
            pattern = PathPattern(slash == rest.endIndex ? "/" : String(rest[slash...]))
        } else {
            origin = nil
            pattern = PathPattern(path)
        }
    }

    /// Fewest requests that it must answer.
    var minimum: Int {
        switch times {
        case .anyNumber: 0
        case .exactly(let count): count
        case .atLeastOnce: if case .list(let replies) = replies { replies.count } else { 1 }
        }
    }

    /// Most requests that it answers.
    var maximum: Int { if case .exactly(let count) = times { count } else { .max } }

    /// What a request does not fulfil, in words; empty where it is one for this route.
    func misses(_ request: RecordedRequest, answered: Int) -> [String] {
        var misses: [String] = []
        if let method, method != request.method { misses.append("method \(method)") }
        if let origin, origin != request.origin { misses.append("origin \(origin)") }
        if parameters(request) == nil { misses.append("path \(pattern.text)") }
        misses += matches.filter { !$0.test(request) }.map(\.description)
        if misses.isEmpty, answered >= maximum { misses.append("it has answered \(answered) of \(maximum) times") }
        return misses
    }

    func parameters(_ request: RecordedRequest) -> [String: String]? { pattern.match(PathPattern.split(request.path)) }
}

extension RecordedRequest {
    fileprivate var origin: String {
        let path = url.path(percentEncoded: true)
        return String(url.redacted.dropLast(path.count)).lowercased()
    }
}

extension MockRoute: CustomStringConvertible {
    /// Method, path and what else is asked for.
    public var description: String {
        var text = "\(method.map(\.rawValue) ?? "any method") \(path)"
        if !matches.isEmpty { text += " with " + matches.map(\.description).joined(separator: ", ") }
        return text
    }
}

extension MockRoute: CustomReflectable {
    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["route": description]) }
}
