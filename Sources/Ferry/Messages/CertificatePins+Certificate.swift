public import Foundation

extension CertificatePins {
    /// The pin of a certificate's key: the SHA-256 of its SubjectPublicKeyInfo (RFC 7469 §2.4, RFC 5280 §4.1).
    ///
    /// - Parameter data: One certificate in PEM or DER; of several in PEM, the first.
    /// - Returns: `sha256/` and the base64.
    /// - Throws: `NetworkError` of kind `invalidRequest` where that is no certificate.
    public static func pin(ofCertificate data: Data) throws(NetworkError) -> String {
        guard let first = try certificates(in: data, most: 1).first else { throw noCertificate }
        return try pin(first)
    }

    /// The pins of every certificate in PEM (RFC 7468 §5), or of the one in DER, in their order, each once.
    ///
    /// Text between the certificates, and other things in PEM, such as keys, are passed over.
    ///
    /// - Parameter data: The certificates, such as the content of a `.pem`, `.crt`, `.cer` or `.der` file.
    /// - Throws: `NetworkError` of kind `invalidRequest` where there is no certificate, or one is malformed.
    public static func pins(ofCertificates data: Data) throws(NetworkError) -> [String] {
        var pins: [String] = []
        let certificates = try certificates(in: data, most: .max)
        // None would be pins that accept no key.
        if certificates.isEmpty { throw noCertificate }
        for certificate in certificates {
            let pin = try pin(certificate)
            if !pins.contains(pin) { pins.append(pin) }
        }
        return pins
    }

    /// The pins of every certificate in files, in their order, each once.
    ///
    /// ```swift
    /// let pins = try CertificatePins.pins(ofCertificatesAt: [file])
    /// let client = NetworkClient(baseURL: url) { $0.pins = ["api.example.com": pins] }
    /// ```
    ///
    /// - Parameter files: Files of certificates in PEM or DER. A chain gives the pins of its authorities too: they are
    ///   accepted as far as the transport looks at them, so give the server's own certificate alone.
    /// - Throws: `NetworkError` of kind `file` for one that cannot be read, `invalidRequest` for one without certificates.
    public static func pins(ofCertificatesAt files: [URL]) throws(NetworkError) -> [String] {
        var pins: [String] = []
        for file in files {
            let data: Data
            do {
                data = try Data(contentsOf: file)
            } catch {
                throw NetworkError(
                    .file, "The certificates \(file.lastPathComponent) cannot be read", underlying: error)
            }
            do throws(NetworkError) {
                for pin in try Self.pins(ofCertificates: data) where !pins.contains(pin) { pins.append(pin) }
            } catch {
                throw NetworkError(error.kind, "\(file.lastPathComponent): \(error.message)")
            }
        }
        return pins
    }

    /// The pin of a public key by itself: its SubjectPublicKeyInfo, as `openssl pkey -pubout` writes it.
    ///
    /// - Parameter data: One key in PEM (`PUBLIC KEY`, RFC 7468 §13) or DER.
    /// - Throws: `NetworkError` of kind `invalidRequest` where that is no public key.
    public static func pin(ofPublicKey data: Data) throws(NetworkError) -> String {
        let key = try blocks(in: data, labels: ["PUBLIC KEY"], most: 1)?.first ?? Array(data)
        var reader = DERReader(key[...])
        guard let element = reader.next(tag: 0x30), isKeyInfo(element.content) else {
            throw NetworkError(.invalidRequest, "The data is no public key in PEM or DER")
        }
        return pin(of: element.whole)
    }

    private static var noCertificate: NetworkError {
        NetworkError(.invalidRequest, "The data is no X.509 certificate in PEM or DER")
    }

    private static func pin(_ certificate: [UInt8]) throws(NetworkError) -> String {
        guard let key = subjectPublicKeyInfo(of: certificate) else { throw noCertificate }
        return pin(of: key)
    }

    private static func pin(of key: ArraySlice<UInt8>) -> String {
        "sha256/" + Data(SHA256.digest(key)).base64EncodedString()
    }

    /// Certificates in DER.
    private static func certificates(in data: Data, most: Int) throws(NetworkError) -> [[UInt8]] {
        // The older labels mean the same (RFC 7468 §5.1).
        let labels = ["CERTIFICATE", "X509 CERTIFICATE", "X.509 CERTIFICATE"]
        return try blocks(in: data, labels: labels, most: most) ?? [Array(data)]
    }

    /// What stands between the lines of PEM with one of these labels (RFC 7468 §3); nil where there is no PEM.
    private static func blocks(
        in data: Data, labels: [String], most: Int
    ) throws(NetworkError) -> [[UInt8]]? {
        let begin = Data("-----BEGIN ".utf8)
        let dashes = Data("-----".utf8)
        var blocks: [[UInt8]] = []
        var isText = false
        var rest = data[...]
        while blocks.count < most, let start = rest.range(of: begin) {
            rest = rest[start.upperBound...]
            guard let close = rest.range(of: dashes) else { break }
            let label = String(decoding: rest[..<close.lowerBound], as: UTF8.self)
            // Bytes of DER are no text, whatever they look like.
            guard label.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }), label.utf8.count <= 64 else { continue }
            isText = true
            rest = rest[close.upperBound...]
            guard labels.contains(label) else { continue }
            guard let end = rest.range(of: Data("-----END \(label)-----".utf8)),
                let block = Data(base64Encoded: rest[..<end.lowerBound], options: .ignoreUnknownCharacters)
            else { throw NetworkError(.invalidRequest, "A block of PEM has no end, or is no base64") }
            blocks.append(Array(block))
            rest = rest[end.upperBound...]
        }
        return isText ? blocks : nil
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
        guard let key = fields.next(tag: 0x30), isKeyInfo(key.content) else { return nil }
        return key.whole
    }

    /// SubjectPublicKeyInfo { AlgorithmIdentifier { … }, BIT STRING }
    private static func isKeyInfo(_ content: ArraySlice<UInt8>) -> Bool {
        var parts = DERReader(content)
        return parts.next(tag: 0x30) != nil && parts.next(tag: 0x03) != nil
    }
}
