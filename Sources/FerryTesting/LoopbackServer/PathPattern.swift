import Foundation

/// The path of a route: literals, `{name}` for one segment, `*` for any one segment, a final `**` for the rest.
struct PathPattern: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
        case literal(String)
        case capture(String)
        case anyOne
        case rest
    }

    let text: String
    let segments: [Segment]

    /// Parses a pattern.
    ///
    /// - Precondition: It begins with `/`, or is `*` for the request-target of `OPTIONS *`; `**` comes last.
    init(_ text: String) {
        precondition(text == "*" || text.hasPrefix("/"), "The path of a route begins with a slash: \(text)")
        self.text = text
        segments = Self.split(text).map { segment in
            switch segment {
            case "**": return .rest
            case "*" where text != "*": return .anyOne
            case _ where segment.hasPrefix("{") && segment.hasSuffix("}"):
                return .capture(String(segment.dropFirst().dropLast()))
            default: return .literal(segment.removingPercentEncoding ?? segment)
            }
        }
        precondition(
            !segments.dropLast().contains(.rest), "** stands for the rest of a path, so it comes last: \(text)")
    }

    /// The literal path where the pattern is nothing else.
    var literalPath: String? {
        segments.allSatisfy { if case .literal = $0 { true } else { false } } ? text : nil
    }

    /// Less is more specific: compared segment by segment.
    var rank: [Int] {
        segments.map { segment in
            switch segment {
            case .literal: 0
            case .capture, .anyOne: 1
            case .rest: 2
            }
        }
    }

    /// The captured values, or nil where the path does not match.
    ///
    /// - Parameter path: The segments of a path, still percent-encoded: an encoded slash divides nothing.
    func match(_ path: [String]) -> [String: String]? {
        var captured: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            if segment == .rest { return captured }
            guard index < path.count else { return nil }
            let value = path[index].removingPercentEncoding ?? path[index]
            switch segment {
            case .literal(let literal): guard literal == value else { return nil }
            case .capture(let name):
                guard !value.isEmpty else { return nil }
                captured[name] = value
            case .anyOne: guard !value.isEmpty else { return nil }
            case .rest: break
            }
        }
        return path.count == segments.count ? captured : nil
    }

    /// The segments of a path; `/` is one empty segment, and a trailing slash is another.
    static func split(_ path: String) -> [String] {
        let rest = path.hasPrefix("/") ? path.dropFirst() : path[...]
        return rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }
}
