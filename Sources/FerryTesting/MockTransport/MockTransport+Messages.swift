import Ferry
import Foundation

extension MockTransport {
    /// Most routes that a failure names.
    private static let nearestCount = 3

    /// What a test's author reads where no route matches.
    func unmatched(_ request: RecordedRequest) -> String {
        var text = "\(request) was not mocked"
        if request.url.query(percentEncoded: true) != nil {
            text += " (query names: \(request.queryItems.map(\.name).joined(separator: ", ")))"
        }
        let path = Array(request.path.utf8)
        let near = routes.map { route in
            var misses = route.misses(request)
            let count = answered(route)
            if misses.isEmpty, count >= route.maximum {
                misses.append(
                    count == 0 ? "it is never to answer" : "it has answered \(count) of \(route.maximum) times")
            }
            return (route, misses, Self.distance(path, Array(route.pattern.text.utf8)))
        }.sorted { ($0.1.count, $0.2, $0.0.id) < ($1.1.count, $1.2, $1.0.id) }
        guard !near.isEmpty else { return text + ": the transport has no routes" }
        text += near.count > 1 ? ". The nearest routes:" : ". The nearest route:"
        for (route, misses, _) in near.prefix(Self.nearestCount) {
            text += "\n  - \(route): does not fit: \(misses.joined(separator: ", "))"
        }
        if near.count > Self.nearestCount { text += "\n  and \(near.count - Self.nearestCount) more" }
        return text
    }

    /// Fails the test unless the requests so far are exactly these, in this order.
    ///
    /// - Parameters:
    ///   - expected: Method and path of each, such as `GET /users/1`, paths as in a route; a query asks for its
    ///     pairs, among others.
    ///   - fileID: The place that a failure names, with the next three. Default: the caller's.
    ///   - filePath: As `fileID`.
    ///   - line: As `fileID`.
    ///   - column: As `fileID`.
    public func assertRequests(
        _ expected: String..., fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        let came = requests
        let isSame =
            came.count == expected.count && zip(came, expected).allSatisfy { Self.fits($0, $1) }
        guard !isSame else { return }
        var lines = ["The requests are not the expected ones:"]
        for index in 0..<max(came.count, expected.count) {
            let request = index < came.count ? "\(came[index].method) \(came[index].path)" : "nothing"
            let wanted = index < expected.count ? expected[index] : "nothing"
            let mark = index < min(came.count, expected.count) && Self.fits(came[index], expected[index]) ? " " : "✗"
            lines.append("  \(mark) \(index + 1). came \(request), expected \(wanted)")
        }
        fail(lines.joined(separator: "\n"), at: place)
    }

    /// Fails the test unless a route answered all its requests before another one answered any.
    public func assertOrder(
        _ first: MockRoute, before second: MockRoute, fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        let early = requests(of: first).map(\.number)
        let late = requests(of: second).map(\.number)
        guard let last = early.max(), let next = late.min() else {
            let unused = early.isEmpty ? first : second
            return fail("\(unused) answered no request, so it has no order", at: place)
        }
        if last > next {
            fail("\(first) answered request \(last), after \(second) answered request \(next)", at: place)
        }
    }

    private static func fits(_ request: RecordedRequest, _ expected: String) -> Bool {
        let parts = expected.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, HTTPMethod(String(parts[0])) == request.method else { return false }
        let target = parts[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = target.count > 1 ? RecordedRequest.pairs(String(target[1])) : []
        return PathPattern(String(target[0])).match(PathPattern.split(request.path)) != nil
            && query.allSatisfy { request.queryItems.contains($0) }
    }

    /// How many bytes must be changed, put in or left out to make one path of the other (Levenshtein), of long paths by
    /// their beginnings: it only orders the routes of a message.
    private static func distance(_ lhs: [UInt8], _ rhs: [UInt8]) -> Int {
        let (left, right) = (lhs.prefix(100), rhs.prefix(100))
        var row = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let above = row[column + 1]
                row[column + 1] = min(above + 1, row[column] + 1, diagonal + (byte == other ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }
}
