import Foundation

/// The path of a route: literals, `{name}` for one segment or a part of it (`{name}.json`), `*` for any one segment, a
/// final `**` for the rest.
struct PathPattern: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
        case literal(String)
        case capture(String)
        /// Captures with text around them.
        case pieces([Piece])
        case anyOne
        case rest
    }

    enum Piece: Hashable, Sendable {
        case text(String)
        case capture(String)
    }

    /// The path with its leading slash.
    let text: String
    let segments: [Segment]

    /// Parses a pattern. A leading slash that is absent is added; `*` alone is the request-target of `OPTIONS *`.
    ///
    /// - Precondition: It has no query and no fragment; `**` comes last.
    init(_ path: String) {
        precondition(
            !path.utf8.contains(UInt8(ascii: "?")) && !path.utf8.contains(UInt8(ascii: "#")),
            "The path of a route has neither query nor fragment: \(path)")
        text = path == "*" || path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
        let isTarget = path == "*"
        segments = Self.split(text).map { segment in
            switch segment {
            case "**": .rest
            case "*" where !isTarget: .anyOne
            default: Self.segment(segment)
            }
        }
        precondition(
            !segments.dropLast().contains(.rest), "** stands for the rest of a path, so it comes last: \(path)")
    }

    private static func segment(_ text: String) -> Segment {
        var pieces: [Piece] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            if open > rest.startIndex { pieces.append(.text(decoded(String(rest[..<open])))) }
            pieces.append(.capture(String(rest[rest.index(after: open)..<close])))
            rest = rest[rest.index(after: close)...]
        }
        if pieces.isEmpty { return .literal(decoded(text)) }
        if pieces.count == 1, rest.isEmpty, case .capture(let name) = pieces[0] { return .capture(name) }
        if !rest.isEmpty { pieces.append(.text(decoded(String(rest)))) }
        return .pieces(pieces)
    }

    private static func decoded(_ text: String) -> String { text.removingPercentEncoding ?? text }

    /// The literal path where the pattern is nothing else, and is written as it is meant.
    var literalPath: String? {
        guard !text.utf8.contains(UInt8(ascii: "%")) else { return nil }
        return segments.allSatisfy { if case .literal = $0 { true } else { false } } ? text : nil
    }

    /// Less is more specific: compared segment by segment.
    var rank: [Int] {
        segments.map { segment in
            switch segment {
            case .literal: 0
            case .pieces: 1
            case .capture, .anyOne: 2
            case .rest: 3
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
            let value = Self.decoded(path[index])
            switch segment {
            case .literal(let literal): guard literal == value else { return nil }
            case .capture(let name):
                guard !value.isEmpty else { return nil }
                captured[name] = value
            case .pieces(let pieces):
                guard let values = Self.match(pieces[...], value[...]) else { return nil }
                captured.merge(values) { $1 }
            case .anyOne: guard !value.isEmpty else { return nil }
            case .rest: break
            }
        }
        return path.count == segments.count ? captured : nil
    }

    /// The captured values of a segment; a capture takes at least one character, and the fewest that let the rest match.
    private static func match(_ pieces: ArraySlice<Piece>, _ value: Substring) -> [String: String]? {
        guard let piece = pieces.first else { return value.isEmpty ? [:] : nil }
        switch piece {
        case .text(let text):
            return value.hasPrefix(text) ? match(pieces.dropFirst(), value.dropFirst(text.count)) : nil
        case .capture(let name):
            guard pieces.count > 1 else { return value.isEmpty ? nil : [name: String(value)] }
            for end in value.indices.dropFirst() {
                if let rest = match(pieces.dropFirst(), value[end...]) {
                    return rest.merging([name: String(value[..<end])]) { $1 }
                }
            }
            return nil
        }
    }

    /// The segments of a path; `/` is one empty segment, and a trailing slash is another.
    static func split(_ path: String) -> [String] {
        // By bytes: a combining mark after a slash must not hide it.
        let slash = UInt8(ascii: "/")
        let rest = path.utf8.first == slash ? path.utf8.dropFirst() : path.utf8[...]
        return rest.split(separator: slash, omittingEmptySubsequences: false).map { String(Substring($0)) }
    }
}
