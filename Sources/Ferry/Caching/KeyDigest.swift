package import Foundation

/// Digests as text, for the names of entries and for what must be told apart without being kept.
package enum KeyDigest {
    /// The first bytes of the digest of a text as hexadecimal digits.
    package static func hex(_ text: String, bytes count: Int = 32) -> String {
        Hex.text(SHA256.digest(text.utf8).prefix(count))
    }

    /// The first bytes of the digest of data as hexadecimal digits.
    package static func hex(_ data: Data, bytes count: Int = 32) -> String {
        Hex.text(SHA256.digest(data).prefix(count))
    }
}
