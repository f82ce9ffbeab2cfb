/// A path segment that means "here" or "up" (RFC 3986 §3.3), also in its escaped spellings, which servers and proxies
/// decode before they look (WHATWG URL §4.1 treats `%2e` alike).
package enum DotSegment: Sendable {
    case here
    case up

    package init?(_ segment: some Collection<UInt8>) {
        switch segment.count {
        case 1...6: break
        default: return nil
        }
        switch PercentEncoding.decode(segment) {
        case ".": self = .here
        case "..": self = .up
        default: return nil
        }
    }
}

extension DotSegment {
    /// `path` without its dot segments (RFC 3986 §5.2.4), and whether one of them led above its start.
    ///
    /// A path that ends in a dot segment ends in a slash afterwards. Empty segments count as segments.
    ///
    /// - Parameter path: Any path; one without a leading slash stays without.
    package static func remove(from path: [UInt8]) -> (path: [UInt8], climbs: Bool) {
        // Without a dot in either spelling the path stays as it is: most have none.
        guard path.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else { return (path, false) }
        let slash = UInt8(ascii: "/")
        let isRooted = path.first == slash
        var segments: [ArraySlice<UInt8>] = []
        var climbs = false
        let input = path.dropFirst(isRooted ? 1 : 0).split(separator: slash, omittingEmptySubsequences: false)
        for (index, segment) in input.enumerated() {
            let dots = DotSegment(segment)
            if dots == nil {
                segments.append(segment)
                continue
            }
            if dots == .up, segments.popLast() == nil { climbs = true }
            if index == input.count - 1, isRooted || !segments.isEmpty { segments.append([]) }
        }
        let joined = segments.joined(separator: [slash])
        return (isRooted ? [slash] + joined : Array(joined), climbs)
    }
}
