package import Foundation

/// The dates of HTTP fields (RFC 9110 §5.6.7): reads all three forms, writes the preferred one.
///
///     IMF-fixdate    Sun, 06 Nov 1994 08:49:37 GMT
///     rfc850-date    Sunday, 06-Nov-94 08:49:37 GMT
///     asctime-date   Sun Nov  6 08:49:37 1994
///
/// Strict: names are case-sensitive, numbers have their full width, the zone is GMT. Only the day name may be the wrong
/// one of the seven: it adds nothing to the date, and servers that write it by hand get it wrong.
package enum HTTPDate {
    /// The date that `text` names, or nil where it is none of the three forms or no such date exists.
    ///
    /// - Parameters:
    ///   - text: A field value; white space around it is skipped.
    ///   - now: The date by which the two digits of an rfc850 year are read: the latest year that ends with them and
    ///     puts the date at most 50 years after `now`.
    package static func parse(_ text: some StringProtocol, now: Date) -> Date? {
        let scanner = FieldScanner(FieldSyntax.trimmed(text))
        return fixdate(scanner) ?? rfc850(scanner, now: CivilTime(now)) ?? asctime(scanner)
    }

    /// A date as IMF-fixdate, fractions of a second cut off.
    package static func format(_ date: Date) -> String {
        let time = CivilTime(date)
        let padded = CivilTime.padded
        return "\(days[time.weekday]), \(padded(time.day, 2)) \(months[time.month - 1]) \(padded(time.year, 4)) "
            + "\(padded(time.hour, 2)):\(padded(time.minute, 2)):\(padded(time.second, 2)) GMT"
    }

    package static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let longDays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    private static func fixdate(_ scanner: FieldScanner) -> Date? {
        var scanner = scanner
        guard scanner.takeOne(of: days) != nil, scanner.take(text: ", "), let day = scanner.number(2),
            scanner.take(" "), let month = scanner.takeOne(of: months), scanner.take(" "),
            let year = scanner.number(4), scanner.take(" "), let time = scanner.timeOfDay(),
            scanner.take(text: " GMT"), scanner.isAtEnd
        else { return nil }
        return date(year, month, day, time)
    }

    private static func rfc850(_ scanner: FieldScanner, now: CivilTime) -> Date? {
        var scanner = scanner
        guard scanner.takeOne(of: longDays) != nil, scanner.take(text: ", "), let day = scanner.number(2),
            scanner.take("-"), let month = scanner.takeOne(of: months), scanner.take("-"),
            let shortYear = scanner.number(2), scanner.take(" "), let time = scanner.timeOfDay(),
            scanner.take(text: " GMT"), scanner.isAtEnd
        else { return nil }
        let limit = [now.year + 50, now.month, now.day, now.hour, now.minute, now.second]
        var year = limit[0] / 100 * 100 + shortYear
        if limit.lexicographicallyPrecedes([year, month + 1, day, time.hour, time.minute, time.second]) { year -= 100 }
        return date(year, month, day, time)
    }

    private static func asctime(_ scanner: FieldScanner) -> Date? {
        var scanner = scanner
        guard scanner.takeOne(of: days) != nil, scanner.take(" "), let month = scanner.takeOne(of: months),
            scanner.take(" "), let day = scanner.take(" ") ? scanner.number(1) : scanner.number(2),
            scanner.take(" "), let time = scanner.timeOfDay(), scanner.take(" "),
            let year = scanner.number(4), scanner.isAtEnd
        else { return nil }
        return date(year, month, day, time)
    }

    private static func date(_ year: Int, _ month: Int, _ day: Int, _ time: TimeOfDay) -> Date? {
        CivilTime(
            year: year, month: month + 1, day: day, hour: time.hour, minute: time.minute, second: time.second)?.date
    }
}

private typealias TimeOfDay = (hour: Int, minute: Int, second: Int)

extension FieldScanner {
    /// Takes exactly that many digits.
    fileprivate mutating func number(_ width: Int) -> Int? {
        var value = 0
        for _ in 0..<width {
            guard let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            takeByte()
        }
        return value
    }

    fileprivate mutating func take(text: String) -> Bool {
        let start = self
        for scalar in text.unicodeScalars where !take(scalar) {
            self = start
            return false
        }
        return true
    }

    /// Takes one of the names and gives its index.
    fileprivate mutating func takeOne(of names: [String]) -> Int? {
        for (index, name) in names.enumerated() where take(text: name) { return index }
        return nil
    }

    fileprivate mutating func timeOfDay() -> TimeOfDay? {
        guard let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2) else {
            return nil
        }
        return (hour, minute, second)
    }
}
