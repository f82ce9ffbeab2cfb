package import Foundation

/// A URI reference split into its five parts, and its resolution against a base (RFC 3986 §4.1, §5).
///
///     http://user@host:80/a/b?x=1#frag
///     scheme authority    path query fragment
///
/// Works on bytes and by the letter of the RFC: relative resolution of Foundation's `URL` differs between platforms
/// (over URLSession on Linux a Location of `d` under `/a/b` becomes `/d`).
package struct URIReference: Hashable, Sendable {
    package var scheme: String?
    package var authority: String?
    package var path: String
    package var query: String?
    package var fragment: String?

    /// Splits a reference (RFC 3986 appendix B). Never fails: what is no scheme, authority, query or fragment is path.
    ///
    /// Bytes that no URI may hold (spaces, controls, non-ASCII, `|`, a `%` that starts no escape) are percent-encoded
    /// as UTF-8 in path, query and fragment; escapes that are there stay as they are. The authority is kept as written.
    package init(_ text: some StringProtocol) {
        var rest = Array(text.utf8)[...]
        scheme = Self.takeScheme(&rest)
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = Self.encoded(rest[(hash + 1)...], .query)
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = Self.encoded(rest[(mark + 1)...], .query)
            rest = rest[..<mark]
        }
        authority = Self.takeAuthority(&rest)
        path = Self.encoded(rest, .path)
    }

    /// Scheme and authority of a reference alone, as splitting it gives them.
    static func schemeAndAuthority(of text: String) -> (scheme: String?, authority: String?) {
        var rest = Array(text.utf8)[...]
        let scheme = takeScheme(&rest)
        if let end = rest.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            rest = rest[..<end]
        }
        return (scheme, takeAuthority(&rest))
    }

    private static func takeScheme(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard let colon = rest.firstIndex(where: { ":/?#".utf8.contains($0) }), rest[colon] == UInt8(ascii: ":"),
            isScheme(rest[..<colon])
        else { return nil }
        defer { rest = rest[(colon + 1)...] }
        return string(rest[..<colon])
    }

    private static func takeAuthority(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.starts(with: "//".utf8) else { return nil }
        let text = rest.dropFirst(2)
        let end = text.firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        rest = text[end...]
        return string(text[..<end])
    }

    /// Splits a URL.
    package init(_ url: URL) { self.init(url.absoluteString) }

    /// The reference resolved against a base that has a scheme (RFC 3986 §5.2.2, strict).
    package func resolved(against base: URIReference) -> URIReference {
        var target = self
        if scheme != nil {
            target.path = Self.removingDotSegments(path)
            return target
        }
        target.scheme = base.scheme
        if authority != nil {
            target.path = Self.removingDotSegments(path)
            return target
        }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.utf8.first == UInt8(ascii: "/") {
            target.path = Self.removingDotSegments(path)
        } else {
            target.path = Self.removingDotSegments(base.merged(with: path))
        }
        return target
    }

    /// The reference as text (RFC 3986 §5.3).
    package var text: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// A relative path under the folder of this one (RFC 3986 §5.2.3).
    private func merged(with relative: String) -> String {
        if authority != nil, path.isEmpty { return "/" + relative }
        let bytes = path.utf8
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return relative }
        return String(path[...slash]) + relative
    }
}

extension URIReference {
    /// A path without the segments `.` and `..` (RFC 3986 §5.2.4), their escaped spellings included.
    package static func removingDotSegments(_ path: String) -> String {
        String(decoding: DotSegment.remove(from: Array(path.utf8)).path, as: UTF8.self)
    }

    /// Whether the bytes are a scheme (RFC 3986 §3.1).
    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, (0x61...0x7A).contains(first | 0x20) else { return false }
        return bytes.allSatisfy(ByteSet.scheme.contains)
    }

    private static func encoded(_ bytes: ArraySlice<UInt8>, _ allowed: ByteSet) -> String {
        // Nearly always there is nothing to repair.
        if bytes.allSatisfy(allowed.contains) { return string(bytes) }
        return String(decoding: PercentEncoding.repair(bytes, allowed: allowed), as: UTF8.self)
    }

    private static func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
