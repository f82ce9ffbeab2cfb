import Ferry
import Foundation

/// The routes of a server: which answer belongs to a method and path.
///
/// The most specific pattern wins, segment by segment: a literal before a capture or `*`, these before `**`; a route
/// of one method before one of any. The same method and pattern replace the earlier route.
struct RouteTable: Sendable {
    enum Action: Sendable {
        case canned(LoopbackResponse)
        case script([LoopbackResponse])
        case handler(@Sendable (LoopbackRequest) async throws -> LoopbackResponse)
        case streaming(@Sendable (LoopbackRequest, LoopbackRequestBody) async throws -> LoopbackResponse)
    }

    struct Match: Sendable {
        var action: Action
        var parameters: [String: String]
    }

    private struct Route: Sendable {
        var method: HTTPMethod?
        var pattern: PathPattern
        var action: Action
    }

    private struct Literal: Hashable {
        var method: HTTPMethod?
        var path: String
    }

    /// The common case needs one look-up: routes whose path is literal.
    private var literals: [Literal: Action] = [:]
    private var patterns: [Route] = []
    private var fallback: Action?

    mutating func set(_ method: HTTPMethod?, _ path: String, _ action: Action) {
        let pattern = PathPattern(path)
        if let path = pattern.literalPath { return literals[Literal(method: method, path: path)] = action }
        let route = Route(method: method, pattern: pattern, action: action)
        patterns.removeAll { $0.method == method && $0.pattern == pattern }
        let place = patterns.firstIndex { Self.isMoreSpecific(route, than: $0) } ?? patterns.endIndex
        patterns.insert(route, at: place)
    }

    mutating func setFallback(_ action: Action) { fallback = action }

    mutating func removeAll() { self = RouteTable() }

    private static func isMoreSpecific(_ lhs: Route, than rhs: Route) -> Bool {
        let left = lhs.pattern.rank
        let right = rhs.pattern.rank
        if left != right { return left.lexicographicallyPrecedes(right) }
        return lhs.method != nil && rhs.method == nil
    }

    /// The action for a request, a script's turn taken; nil where no route matches and there is no fallback.
    ///
    /// HEAD is answered by a GET route where it has none of its own (RFC 9110 §9.3.2).
    mutating func match(_ method: HTTPMethod, _ path: String) -> Match? {
        if let match = find(method, path) { return match }
        if method == .head, let match = find(.get, path) { return match }
        return fallback.map { Match(action: $0, parameters: [:]) }
    }

    private mutating func find(_ method: HTTPMethod, _ path: String) -> Match? {
        if let match = findLiteral(method, path) { return match }
        let segments = PathPattern.split(path)
        if path.utf8.contains(UInt8(ascii: "%")) {
            let decoded = segments.map { $0.removingPercentEncoding ?? $0 }
            // An encoded slash divides nothing (RFC 3986 §2.2), so it is in no literal path.
            if !decoded.contains(where: { $0.utf8.contains(UInt8(ascii: "/")) }),
                let match = findLiteral(method, "/" + decoded.joined(separator: "/"))
            {
                return match
            }
        }
        for (index, route) in patterns.enumerated() where route.method == nil || route.method == method {
            guard let parameters = route.pattern.match(segments) else { continue }
            return Match(action: Self.turn(of: route.action) { patterns[index].action = $0 }, parameters: parameters)
        }
        return nil
    }

    private mutating func findLiteral(_ method: HTTPMethod, _ path: String) -> Match? {
        for key in [Literal(method: method, path: path), Literal(method: nil, path: path)] {
            if let action = literals[key] {
                return Match(action: Self.turn(of: action) { literals[key] = $0 }, parameters: [:])
            }
        }
        return nil
    }

    /// The next response of a script; the last one stays for every later request.
    private static func turn(of action: Action, _ store: (Action) -> Void) -> Action {
        guard case .script(let responses) = action, let first = responses.first else { return action }
        if responses.count > 1 { store(.script(Array(responses.dropFirst()))) }
        return .canned(first)
    }
}
