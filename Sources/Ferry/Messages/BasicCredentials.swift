import Foundation

/// A user and a password as the Basic scheme sends them (RFC 7617 §2).
package enum BasicCredentials {
    /// The value of an Authorization field, in UTF-8 and Normalization Form C: a password typed on a system that decomposes
    /// accents is the one that the server knows (§2.1).
    ///
    /// - Returns: Nil for what cannot be sent: a user with a colon, or control characters.
    package static func field(user: String, password: String) -> String? {
        guard !user.utf8.contains(UInt8(ascii: ":")),
            !(user + password).unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        let pair = "\(user.precomposedStringWithCanonicalMapping):\(password.precomposedStringWithCanonicalMapping)"
        return "Basic " + Data(pair.utf8).base64EncodedString()
    }
}
