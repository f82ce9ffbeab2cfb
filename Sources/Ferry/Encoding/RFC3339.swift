package import Foundation

/// Dates and times as on the Internet (RFC 3339 §5.6): `2023-11-14T22:13:20Z`.
///
/// By hand because `ISO8601DateFormatter` reads either no fraction or exactly three digits of it.
package enum RFC3339 {
    package enum Fraction: Sendable {
        /// Whole seconds, rounded down.
        case none
        /// Always three digits.
        case milliseconds
        /// Three digits where they are not all zero.
        case millisecondsIfAny
    }

    /// The date in UTC, or nil outside the years 0 to 9999.
    package static func format(_ date: Date, fraction: Fraction) -> String? {
        let interval = date.timeIntervalSince1970
        guard abs(interval) < 1e12 else { return nil }
        let milliseconds =
            fraction == .none ? Int(interval.rounded(.down)) * 1000 : Int((interval * 1000).rounded())
        let seconds = CivilTime.floorDivide(milliseconds, 1000)
        guard CivilTime.range.contains(seconds) else { return nil }
        let time = CivilTime(Date(timeIntervalSince1970: Double(seconds)))
        let padded = CivilTime.padded
        var text = padded(time.year, 4) + "-" + padded(time.month, 2) + "-" + padded(time.day, 2)
        text += "T" + padded(time.hour, 2) + ":" + padded(time.minute, 2) + ":" + padded(time.second, 2)
        let rest = milliseconds - seconds * 1000
        if fraction == .milliseconds || fraction == .millisecondsIfAny && rest != 0 { text += "." + padded(rest, 3) }
        return text + "Z"
    }

    /// Reads a date, or gives nil where the text is none.
    ///
    /// Takes any number of fraction digits, "T" and "Z" in any case, and offsets with or without a colon (the latter is
    /// ISO 8601 alone, and common). A leap second (:60) reads as the second after it.
    package static func parse(_ text: String) -> Date? {
        var bytes = Array(text.utf8)[...]
        guard let year = digits(4, &bytes), take("-", &bytes), let month = digits(2, &bytes), take("-", &bytes),
            let day = digits(2, &bytes), take("t", &bytes),
            let hour = digits(2, &bytes), take(":", &bytes), let minute = digits(2, &bytes), take(":", &bytes),
            let second = digits(2, &bytes), second <= 60,
            // An offset puts a leap second at any minute.
            let time = CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: min(second, 59))
        else { return nil }
        var fraction = 0.0
        if take(".", &bytes) {
            let run = bytes.prefix { $0 >= 0x30 && $0 <= 0x39 }
            guard !run.isEmpty, let value = Double("0." + String(decoding: run, as: UTF8.self)) else { return nil }
            fraction = value
            bytes = bytes.dropFirst(run.count)
        }
        guard let offset = offset(&bytes), bytes.isEmpty else { return nil }
        let leap = second == 60 ? 1 : 0
        return Date(timeIntervalSince1970: time.date.timeIntervalSince1970 + Double(leap - offset) + fraction)
    }

    private static func offset(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        if take("z", &bytes) { return 0 }
        let sign: Int
        if take("+", &bytes) { sign = 1 } else if take("-", &bytes) { sign = -1 } else { return nil }
        guard let hours = digits(2, &bytes) else { return nil }
        _ = take(":", &bytes)
        guard let minutes = digits(2, &bytes), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    /// Takes a lower-case character in either case.
    private static func take(_ character: Unicode.Scalar, _ bytes: inout ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, FieldSyntax.lowercased(first) == UInt8(ascii: character) else { return false }
        bytes.removeFirst()
        return true
    }

    private static func digits(_ count: Int, _ bytes: inout ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= count else { return nil }
        var value = 0
        for byte in bytes.prefix(count) {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        bytes = bytes.dropFirst(count)
        return value
    }
}
