/// A set of ASCII bytes.
package struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    package init(_ characters: String) {
        for byte in characters.utf8 where byte < 128 { insert(byte) }
    }

    private mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
    }

    package func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<64: low >> UInt64(byte) & 1 == 1
        case 64..<128: high >> UInt64(byte - 64) & 1 == 1
        default: false
        }
    }

    private static let alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    /// Bytes that mean the same escaped and unescaped (RFC 3986 §2.3).
    package static let unreserved = ByteSet(alphanumeric + "-._~")
    /// Bytes that the form serializer leaves (WHATWG URL §1.3, application/x-www-form-urlencoded percent-encode set).
    package static let form = ByteSet(alphanumeric + "*-._")
    /// Bytes that may stand in a path (RFC 3986 §3.3): pchar and "/".
    package static let path = ByteSet(alphanumeric + "-._~!$&'()*+,;=:@/")
    /// Bytes that may stand in a query or fragment (RFC 3986 §3.4, §3.5): pchar, "/" and "?".
    package static let query = ByteSet(alphanumeric + "-._~!$&'()*+,;=:@/?")
    /// Bytes that may stand in a scheme (RFC 3986 §3.1); the first is a letter.
    package static let scheme = ByteSet(alphanumeric + "+-.")
    /// Bytes that may stand in userinfo (RFC 3986 §3.2.1), escapes aside.
    package static let userinfo = ByteSet(alphanumeric + "-._~!$&'()*+,;=:")
}

/// Percent-encoding (RFC 3986 §2.1) over UTF-8 bytes.
package enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Escapes every byte that is not in `allowed`, "%" too: for data.
    package static func encode(_ text: String, allowed: ByteSet) -> String {
        if text.utf8.allSatisfy(allowed.contains) { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count + 8)
        for byte in text.utf8 { append(byte, allowed: allowed, to: &result) }
        return String(decoding: result, as: UTF8.self)
    }

    package static func append(_ byte: UInt8, allowed: ByteSet, to result: inout [UInt8]) {
        guard !allowed.contains(byte) else { return result.append(byte) }
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Escapes every byte that is not in `allowed` but keeps escapes that are there: for text that is already a part of
    /// a URL. A "%" that starts no escape becomes "%25".
    package static func repair(_ bytes: some Collection<UInt8>, allowed: ByteSet) -> [UInt8] {
        let bytes = Array(bytes)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count, hexValue(bytes[index + 1]) != nil,
                hexValue(bytes[index + 2]) != nil
            {
                result.append(byte)
            } else {
                append(byte, allowed: allowed, to: &result)
            }
        }
        return result
    }

    /// Undoes escapes; a "%" that starts none stays. With `plusIsSpace`, "+" becomes a space (WHATWG URL §5.1).
    ///
    /// Bytes that are no UTF-8 become U+FFFD.
    package static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String {
        let bytes = Array(bytes)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = hexValue(bytes[index + 1]),
                let low = hexValue(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(plusIsSpace && bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The value of a hexadecimal digit in any case.
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
