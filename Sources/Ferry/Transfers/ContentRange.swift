/// The Content-Range field (RFC 9110 §14.4), in bytes.
///
///     bytes 0-499/1234    bytes 0-499/*    bytes */1234
package struct ContentRange: Hashable, Sendable {
    /// First and last position, both inclusive; nil where the range was not satisfiable.
    package let range: ClosedRange<Int64>?
    /// Bytes of the whole representation, or nil where the server does not say.
    package let total: Int64?

    /// Parses a field value, or gives nil where it is malformed, contradicts itself or is in another unit.
    package init?(_ text: String) {
        var scanner = FieldScanner(FieldSyntax.trimmed(text))
        guard let unit = scanner.token(), FieldSyntax.equalIgnoringCase(unit, "bytes"), scanner.take(" ") else {
            return nil
        }
        scanner.skipWhitespace()
        if scanner.take("*") {
            guard scanner.take("/"), let total = Self.number(&scanner), scanner.isAtEnd else { return nil }
            range = nil
            self.total = total
            return
        }
        guard let first = Self.number(&scanner), scanner.take("-"), let last = Self.number(&scanner), first <= last,
            last < .max, scanner.take("/")
        else { return nil }
        if scanner.take("*") {
            total = nil
        } else {
            guard let number = Self.number(&scanner), last < number else { return nil }
            total = number
        }
        guard scanner.isAtEnd else { return nil }
        range = first...last
    }

    private static func number(_ scanner: inout FieldScanner) -> Int64? {
        scanner.take { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }.flatMap { Int64($0) }
    }
}
