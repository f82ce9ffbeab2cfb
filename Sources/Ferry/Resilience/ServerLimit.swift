package import Foundation

/// What a server says about how much more it takes.
package enum ServerLimit {
    /// How long the server wants to be left alone, or nil where it does not.
    ///
    /// Retry-After on 429 and 503 (RFC 6585 §4, RFC 9110 §15.6.4); else a quota that is used up, of which the longest
    /// wait counts: `RateLimit: "default";r=0;t=30` (draft-ietf-httpapi-ratelimit-headers-08), or `RateLimit-Remaining`
    /// and `RateLimit-Reset` in seconds as in its older versions. The `X-` fields are not read: their reset is a date
    /// with some servers and seconds with others.
    package static func hold(_ head: HTTPResponse.Head, now: Date) -> Duration? {
        if head.status == .tooManyRequests || head.status == .serviceUnavailable,
            let wait = head.headers["Retry-After"].flatMap({ RetryAfter.parse($0, now: now) })
        {
            return wait
        }
        if let field = head.headers["RateLimit"] { return quotas(field) }
        if seconds(head.headers["RateLimit-Remaining"]) == 0 {
            return seconds(head.headers["RateLimit-Reset"]).map { .seconds($0) }
        }
        return nil
    }

    /// The longest reset among the quotas that are used up. A malformed list counts as absent (RFC 9651 §4.2).
    private static func quotas(_ field: String) -> Duration? {
        var scanner = FieldScanner(field)
        var longest: Int64?
        repeat {
            scanner.skipWhitespace()
            guard scanner.tokenOrQuotedString() != nil else { return nil }
            var parameters: [String: Int64] = [:]
            while scanner.take(";") {
                scanner.skipWhitespace()
                guard let name = scanner.token() else { return nil }
                guard scanner.take("=") else { continue }
                if scanner.peek == UInt8(ascii: ":") {
                    // A byte sequence, such as a partition key.
                    _ = scanner.take(":")
                    _ = scanner.take(while: { $0 != UInt8(ascii: ":") })
                    guard scanner.take(":") else { return nil }
                } else {
                    guard let value = scanner.tokenOrQuotedString() else { return nil }
                    parameters[name] = seconds(value)
                }
            }
            if parameters["r"] == 0, let reset = parameters["t"] { longest = max(longest ?? 0, reset) }
            scanner.skipWhitespace()
        } while scanner.take(",")
        return scanner.isAtEnd ? longest.map { .seconds($0) } : nil
    }

    /// A number of digits alone.
    private static func seconds(_ text: String?) -> Int64? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return Int64(text)
    }
}
