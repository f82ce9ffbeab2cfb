package import Foundation

/// A date and time of day in UTC by the Gregorian calendar, to the second: what date formats of the wire are made of.
///
/// Counts days by arithmetic: a `Calendar` or a formatter would bring locale, time zone and leniency.
package struct CivilTime: Hashable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int

    /// Creates a time, or nil where no such date and time exists.
    ///
    /// The year goes from 0 to 9999: the formats have four digits. 23:59:60 exists (a leap second) and is the same
    /// instant as the midnight that follows, as POSIX time counts; no other minute has a second 60.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (0...9999).contains(year), (1...12).contains(month),
            (1...Self.days(inMonth: month, of: year)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute),
            (0...59).contains(second) || (hour, minute, second) == (23, 59, 60)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// The seconds since 1970 that the years 0 to 9999 hold.
    package static let range = -62_167_219_200...253_402_300_799

    /// The second in which a date lies. Dates outside the years 0 to 9999 are moved to the nearest end.
    package init(_ date: Date) {
        let seconds = date.timeIntervalSince1970
        // NaN compares false with everything and would trap in the conversion below.
        let clamped =
            seconds.isNaN ? 0 : min(max(seconds, Double(Self.range.lowerBound)), Double(Self.range.upperBound))
        let total = Int(clamped.rounded(.down))
        let days = Self.floorDivide(total, 86_400)
        let secondOfDay = total - days * 86_400

        // Years that begin on 1 March put the leap day last, so that months have fixed offsets.
        let shifted = days + Self.daysFromMarchOfYearZeroToEpoch
        let era = Self.floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = secondOfDay / 3600
        minute = secondOfDay / 60 % 60
        second = secondOfDay % 60
    }

    /// The instant.
    package var date: Date {
        Date(timeIntervalSince1970: TimeInterval(daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second))
    }

    /// The day of the week: 0 for Sunday.
    package var weekday: Int {
        // 1970-01-01 was a Thursday.
        let days = daysSinceEpoch + 4
        return days - Self.floorDivide(days, 7) * 7
    }

    private var daysSinceEpoch: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = Self.floorDivide(marchYear, 400)
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - Self.daysFromMarchOfYearZeroToEpoch
    }

    private static let daysFromMarchOfYearZeroToEpoch = 719_468

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// A number with as many leading zeros as a width needs.
    package static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// The quotient rounded down; `/` rounds towards zero.
    package static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
        value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
    }
}
