public import Foundation

extension CertificatePins {
    /// The pin of a certificate's key: the SHA-256 of its SubjectPublicKeyInfo (RFC 7469 §2.4, RFC 5280 §4.1).
    ///
    /// - Parameter data: One certificate in PEM or DER; of several in PEM, the first.
    /// - Returns: `sha256/` and the base64.
    /// - Throws: `NetworkError` of kind `invalidRequest` where that is no certificate.
    public static func pin(ofCertificate data: Data) throws(NetworkError) -> String {
        guard let der = der(of: data), let key = subjectPublicKeyInfo(of: der) else {
            throw NetworkError(.invalidRequest, "The data is no X.509 certificate in PEM or DER")
        }
        return "sha256/" + Data(SHA256.digest(key)).base64EncodedString()
    }

    /// The bytes between the lines of PEM (RFC 7468 §2), or the data itself.
    private static func der(of data: Data) -> [UInt8]? {
        guard let begin = data.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) else { return Array(data) }
        guard
            let end = data.range(
                of: Data("-----END CERTIFICATE-----".utf8), in: begin.upperBound..<data.endIndex),
            let der = Data(
                base64Encoded: data[begin.upperBound..<end.lowerBound], options: .ignoreUnknownCharacters)
        else { return nil }
        return Array(der)
    }

    /// The seventh field of the certificate's first part, with its own header.
    ///
    ///     Certificate { TBSCertificate { [0] version?, serial, algorithm, issuer, validity, subject, key, … }, … }
    private static func subjectPublicKeyInfo(of der: [UInt8]) -> ArraySlice<UInt8>? {
        var certificate = DERReader(der[...])
        guard let outer = certificate.next(tag: 0x30) else { return nil }
        var body = DERReader(outer.content)
        guard let signed = body.next(tag: 0x30) else { return nil }
        var fields = DERReader(signed.content)
        if fields.tag == 0xA0, fields.next(tag: 0xA0) == nil { return nil }
        for tag: UInt8 in [0x02, 0x30, 0x30, 0x30, 0x30] where fields.next(tag: tag) == nil { return nil }
        return fields.next(tag: 0x30)?.whole
    }
}

/// Reads elements of DER one behind the other (X.690 §8.1).
private struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The tag of the next element.
    var tag: UInt8? { rest.first }

    /// The next element, where it has a tag and is whole.
    mutating func next(tag: UInt8) -> (content: ArraySlice<UInt8>, whole: ArraySlice<UInt8>)? {
        guard rest.first == tag else { return nil }
        var cursor = rest.dropFirst()
        guard let first = cursor.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            // The long form: so many bytes of length follow. Four are more than any certificate has.
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), cursor.count >= count else { return nil }
            length = cursor.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            cursor = cursor.dropFirst(count)
        }
        guard cursor.count >= length else { return nil }
        let content = cursor.prefix(length)
        let whole = rest[rest.startIndex..<content.endIndex]
        rest = rest[content.endIndex...]
        return (content, whole)
    }
}
