import Foundation

/// The SHA-256 digests that a response promises (RFC 9530, and the Digest field of RFC 3230 before it).
package enum DigestFields {
    /// The digest of the whole representation: `Repr-Digest`, else `Digest`; nil where there is none that is
    /// well-formed. It covers the encoded form, so it says nothing where the transport decoded a content coding.
    package static func representation(_ headers: HTTPHeaders) -> [UInt8]? {
        structured(headers["Repr-Digest"]) ?? legacy(headers["Digest"])
    }

    /// The digest of this message's content, of a 206 the range alone: `Content-Digest`.
    package static func content(_ headers: HTTPHeaders) -> [UInt8]? { structured(headers["Content-Digest"]) }

    /// The `sha-256` member of a dictionary of byte sequences (RFC 8941 §3.2, §3.3.5); the last one counts.
    private static func structured(_ field: String?) -> [UInt8]? {
        guard let field else { return nil }
        var scanner = FieldScanner(field)
        var found: [UInt8]?
        while !scanner.isAtEnd {
            scanner.skipWhitespace()
            guard let key = scanner.take(while: isKeyByte), scanner.take("="), scanner.take(":") else { return nil }
            let text = scanner.take { $0 != UInt8(ascii: ":") } ?? ""
            guard scanner.take(":") else { return nil }
            if key == "sha-256" { found = bytes(text) }
            // Parameters of the member.
            _ = scanner.take { $0 != UInt8(ascii: ",") }
            if !scanner.take(",") { break }
        }
        return scanner.isAtEnd ? found : nil
    }

    /// `SHA-256=base64, …` (RFC 3230 §4.3.2).
    private static func legacy(_ field: String?) -> [UInt8]? {
        guard let field else { return nil }
        for part in field.utf8.split(separator: UInt8(ascii: ",")) {
            let text = FieldSyntax.trimmed(Substring(part))
            guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "=")),
                FieldSyntax.equalIgnoringCase(text[..<mark], "sha-256")
            else { continue }
            return bytes(String(text[text.index(after: mark)...]))
        }
        return nil
    }

    private static func bytes(_ base64: String) -> [UInt8]? {
        Data(base64Encoded: base64).flatMap { $0.count == 32 ? Array($0) : nil }
    }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "*"):
            true
        default: false
        }
    }
}
