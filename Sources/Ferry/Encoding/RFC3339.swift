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
        let seconds = milliseconds.floorDivided(by: 1000)
        let day = seconds.floorDivided(by: 86_400)
        let (year, month, dayOfMonth) = civil(fromDays: day)
        guard (0...9999).contains(year) else { return nil }
        let second = seconds - day * 86_400
        var text = pad(year, 4) + "-" + pad(month, 2) + "-" + pad(dayOfMonth, 2)
        text += "T" + pad(second / 3600, 2) + ":" + pad(second / 60 % 60, 2) + ":" + pad(second % 60, 2)
        let rest = milliseconds - seconds * 1000
        if fraction == .milliseconds || fraction == .millisecondsIfAny && rest != 0 { text += "." + pad(rest, 3) }
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
            let second = digits(2, &bytes),
            (1...12).contains(month), day >= 1, day <= daysIn(month: month, year: year),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction = 0.0
        if take(".", &bytes) {
            let run = bytes.prefix { $0 >= 0x30 && $0 <= 0x39 }
            guard !run.isEmpty, let value = Double("0." + String(decoding: run, as: UTF8.self)) else { return nil }
            fraction = value
            bytes = bytes.dropFirst(run.count)
        }
        guard let offset = offset(&bytes), bytes.isEmpty else { return nil }
        let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(seconds) + fraction)
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

    private static func pad(_ value: Int, _ width: Int) -> String {
        let text = "\(value)"
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    private static func daysIn(month: Int, year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01 of a date in the proleptic Gregorian calendar. Years start in March here, so that the leap
    /// day is the last of its year; 400 years always have 146,097 days.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.floorDivided(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The inverse of ``days(_:_:_:)``.
    private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

extension Int {
    fileprivate func floorDivided(by divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
