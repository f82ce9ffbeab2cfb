package import Foundation

/// Digests as text, for the names of entries and for what must be told apart without being kept.
package enum KeyDigest {
    /// The first bytes of the digest of a text as hexadecimal digits.
    package static func hex(_ text: String, bytes count: Int = 32) -> String { hex(Array(text.utf8), count) }

    /// The first bytes of the digest of data as hexadecimal digits.
    package static func hex(_ data: Data, bytes count: Int = 32) -> String { hex(Array(data), count) }

    private static func hex(_ bytes: [UInt8], _ count: Int) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(count * 2)
        for byte in SHA256.digest(bytes).prefix(count) {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
