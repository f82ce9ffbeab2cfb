import Ferry
import Foundation

/// Which recorded exchange answers a request.
///
/// Both sides are redacted before they are compared, so a token in the query does not keep a request from its recording.
public struct CassetteMatching: Sendable {
    /// Whether the method counts. Default true.
    public var comparesMethod = true
    /// Whether scheme, host and port count. Default true; false replays a recording against another server's URL.
    public var comparesOrigin = true
    /// Whether the query counts, in any order of its pairs. Default true.
    public var comparesQuery = true
    /// Query names that do not count, such as a time stamp. Default: none.
    public var ignoredQueryNames: Set<String> = []
    /// Header fields that count. Default: none.
    public var comparedHeaders: [String] = []
    /// Whether the body counts: JSON by value, a multipart form without its boundary, others byte for byte. Default false.
    public var comparesBody = false
    /// What must hold besides: the request, and the recorded one. Default: nothing.
    public var isMatch: (@Sendable (RecordedRequest, RecordedRequest) -> Bool)?

    /// Creates the standard rules: method and URL.
    public init() {}

    /// Method and URL.
    public static let standard = CassetteMatching()

    /// Standard rules with changes.
    ///
    /// ```swift
    /// let rules = CassetteMatching.with { $0.comparesBody = true; $0.ignoredQueryNames = ["timestamp"] }
    /// ```
    public static func with(_ change: (inout CassetteMatching) -> Void) -> CassetteMatching {
        var rules = CassetteMatching()
        change(&rules)
        return rules
    }

    /// What does not fit, in words; empty where the recorded request is this one.
    func misses(_ request: RecordedRequest, _ recorded: RecordedRequest) -> [String] {
        var misses: [String] = []
        if comparesMethod, request.method != recorded.method { misses.append("method \(recorded.method)") }
        if comparesOrigin, Origin(request.url) != Origin(recorded.url) { misses.append("origin") }
        if Self.segments(request) != Self.segments(recorded) { misses.append("path \(recorded.path)") }
        if comparesQuery, query(request) != query(recorded) { misses.append("query") }
        for name in comparedHeaders where request.headers[name] != recorded.headers[name] {
            misses.append("header \(name)")
        }
        if comparesBody, !Self.isSameBody(request, recorded) { misses.append("body") }
        if misses.isEmpty, let isMatch, !isMatch(request, recorded) { misses.append("the test's own rule") }
        return misses
    }

    /// Decoded: tools escape more or less of a path.
    private static func segments(_ request: RecordedRequest) -> [String] {
        PathPattern.split(request.path).map { $0.removingPercentEncoding ?? $0 }
    }

    private func query(_ request: RecordedRequest) -> [String] {
        request.queryItems.filter { !ignoredQueryNames.contains($0.name) }.map { "\($0.name)=\($0.value ?? "")" }
            .sorted()
    }

    private static func isSameBody(_ lhs: RecordedRequest, _ rhs: RecordedRequest) -> Bool {
        if lhs.body == rhs.body { return true }
        if let left = try? lhs.json, let right = try? rhs.json { return left == right }
        guard let left = boundary(lhs), let right = boundary(rhs) else { return false }
        return pieces(lhs.body, left) == pieces(rhs.body, right)
    }

    private static func boundary(_ request: RecordedRequest) -> String? {
        request.headers["Content-Type"].flatMap { MediaType($0) }?.parameter("boundary")
    }

    /// What stands between the boundaries.
    private static func pieces(_ body: Data, _ boundary: String) -> [Data] {
        let delimiter = Data(boundary.utf8)
        var pieces: [Data] = []
        var rest = body[...]
        while !delimiter.isEmpty, let found = rest.range(of: delimiter) {
            pieces.append(Data(rest[..<found.lowerBound]))
            rest = rest[found.upperBound...]
        }
        return pieces + [Data(rest)]
    }
}
