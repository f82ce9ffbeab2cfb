package import Foundation

/// The Retry-After field (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// How long the server asks to wait.
    ///
    /// - Parameters:
    ///   - value: `delay-seconds`, digits alone, or an HTTP-date in any of its three forms (§5.6.7).
    ///   - now: The date to count from.
    /// - Returns: Never below zero: a date in the past means now. More seconds than a number holds count as the most
    ///   it holds. Nil for anything malformed: signs, fractions, lists, words.
    package static func parse(_ value: String, now: Date) -> Duration? {
        let text = FieldSyntax.trimmed(value)
        guard !text.isEmpty else { return nil }
        let isNumber = text.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        if isNumber { return .seconds(Int64(text) ?? .max) }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        // Up, so that the wait never ends before the date.
        let milliseconds = (date.timeIntervalSince(now) * 1000).rounded(.up)
        return .milliseconds(Int64(exactly: max(0, milliseconds)) ?? .max)
    }
}
