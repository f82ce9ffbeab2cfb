import Foundation

/// The date of an Expires attribute, as loosely as servers write it (RFC 6265 §5.1.1).
enum CookieDate {
    /// The date, or nil where the algorithm of the RFC fails.
    static func parse(_ text: some StringProtocol) -> Date? {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            let token = Array(token)
            if time == nil, let found = timeOfDay(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 }
        if (0...69).contains(year) { year += 2000 }
        guard year >= 1601, time.second <= 59 else { return nil }
        return CivilTime(
            year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)?.date
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Leading digits in that many places, whatever follows them but another digit.
    private static func number(_ token: [UInt8], digits: ClosedRange<Int>) -> Int? {
        let leading = token.prefix(while: isDigit)
        guard digits.contains(leading.count) else { return nil }
        return leading.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func timeOfDay(_ token: [UInt8]) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(isDigit), parts[1].allSatisfy(isDigit),
            let hour = number(Array(parts[0]), digits: 1...2), let minute = number(Array(parts[1]), digits: 1...2),
            let second = number(Array(parts[2]), digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func monthNumber(_ token: [UInt8]) -> Int? {
        let name = token.prefix(3).map(FieldSyntax.lowercased)
        return HTTPDate.months.firstIndex { $0.utf8.map(FieldSyntax.lowercased) == name }.map { $0 + 1 }
    }
}
