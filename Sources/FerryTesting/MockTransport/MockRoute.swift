public import Ferry
import Foundation

/// Which requests a ``MockTransport`` answers in one way; what `on` gives back, to ask it later how often it answered.
public struct MockRoute: Sendable {
    /// How often a route is meant to answer.
    public enum Times: Hashable, Sendable {
        /// Each of its replies at least once; the last one repeats.
        case atLeastOnce
        /// Exactly so often: further requests are left to later routes. The last reply repeats. Of 0, never.
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
    /// Where the path was written as an absolute URL.
    let origin: Origin?
    let matches: [RequestMatch]
    let replies: Replies

    init(
        id: Int, method: HTTPMethod?, path: String, matches: [RequestMatch], times: Times, replies: Replies,
        place: SourcePlace
    ) {
        self.id = id
        self.method = method
        self.path = path
        self.times = times
        self.replies = replies
        self.place = place
        let target = RouteTarget(path)
        origin = target.origin
        pattern = PathPattern(target.path)
        self.matches = target.query.map { .query($0.name, $0.value ?? "") } + matches
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

    /// What a request does not fulfil, in words; empty where it is one for this route, used up or not.
    func misses(_ request: RecordedRequest) -> [String] {
        var misses: [String] = []
        if let method, method != request.method { misses.append("method \(method)") }
        if let origin, origin != Origin(request.url) { misses.append("origin \(origin.text)") }
        if parameters(request) == nil { misses.append("path \(pattern.text)") }
        return misses + matches.filter { !$0.test(request) }.map(\.description)
    }

    /// Whether a request is one for this route, used up or not, without the words: most routes of many are not.
    ///
    /// - Parameter segments: Those of the request's path.
    func takes(_ request: RecordedRequest, _ segments: [String]) -> Bool {
        guard method == nil || method == request.method, pattern.match(segments) != nil else { return false }
        return (origin == nil || origin == Origin(request.url)) && matches.allSatisfy { $0.test(request) }
    }

    func parameters(_ request: RecordedRequest) -> [String: String]? { pattern.match(PathPattern.split(request.path)) }
}

extension MockRoute: CustomStringConvertible {
    /// Method, path and what else is asked for.
    public var description: String {
        var text = "\(method.map(\.rawValue) ?? "any method") \(Redaction.standard.text(path))"
        // A query in the path shows there.
        let others = matches.dropFirst(RouteTarget(path).query.count)
        if !others.isEmpty { text += " with " + others.map(\.description).joined(separator: ", ") }
        return text
    }
}

extension MockRoute: CustomReflectable {
    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["route": description]) }
}

/// What a route's path says: an origin where it is an absolute URL, the path, and a query whose pairs are asked for.
private struct RouteTarget {
    let origin: Origin?
    let path: String
    let query: [URLQueryItem]

    init(_ text: String) {
        let mark = text.utf8.firstIndex(of: UInt8(ascii: "?"))
        let whole = text[..<(mark ?? text.endIndex)]
        query = mark.map { RecordedRequest.pairs(String(text[text.utf8.index(after: $0)...])) } ?? []
        guard let scheme = whole.range(of: "://") else {
            origin = nil
            path = String(whole)
            return
        }
        let slash = whole[scheme.upperBound...].utf8.firstIndex(of: UInt8(ascii: "/")) ?? whole.endIndex
        origin = URL(string: String(whole[..<slash])).flatMap { Origin($0) }
        precondition(origin != nil, "The URL of a route has an origin of http or https: \(text)")
        path = String(whole[slash...])
    }
}

extension Origin {
    fileprivate var text: String {
        let isDefault = port == (scheme == "https" ? 443 : 80)
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(scheme)://\(name)" + (isDefault ? "" : ":\(port)")
    }
}
