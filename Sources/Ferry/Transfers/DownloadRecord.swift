package import Foundation

/// What is known of a partial file: kept beside it as JSON, so that a download goes on after the process has ended.
///
/// There is one only where the server gave a strong validator: without, bytes of two versions could be mixed.
package struct DownloadRecord: Codable, Hashable, Sendable {
    /// The version of this format; a record of another one is not used.
    package var version = Self.currentVersion
    /// The URL that was asked for, without userinfo, query and fragment: for people who find the file.
    package var url: String
    /// SHA-256 of the whole URL, which may hold secrets.
    package var urlDigest: String
    /// The If-Range value: a strong entity tag or a date.
    package var validator: String
    /// Bytes of the whole representation, or nil where the server has not said.
    package var total: Int64?
    /// The file name that the first response suggested, safe to use.
    package var name: String?
    /// SHA-256 of the whole representation in hexadecimal digits, where the server promised it.
    package var digest: String?

    package static let currentVersion = 1

    /// The record of a complete response to `url`, or nil where it cannot be resumed: no strong validator, or a content
    /// coding, for then positions in the file are none in the representation (RFC 9110 §14.1.2).
    package init?(_ head: HTTPResponse.Head, url: URL, now: Date) {
        guard head.status == .ok, !head.isEncoded, !head.refusesRanges,
            let validator = Self.validator(of: head.headers, now: now)
        else { return nil }
        self.url = url.redacted
        urlDigest = Self.digest(of: url)
        self.validator = validator
        total = head.contentLength
        name = SafeFileName.of(head)
        digest = DigestFields.representation(head.headers).map { Hex.text($0) }
    }

    /// Whether the record is of this URL and of this version.
    package func fits(_ url: URL) -> Bool { version == Self.currentVersion && urlDigest == Self.digest(of: url) }

    /// Whether a response to a range request is of the same version of the representation, as far as it says.
    func isSameVersion(as headers: HTTPHeaders) -> Bool {
        if validator.utf8.first == UInt8(ascii: "\"") {
            return headers["ETag"].map { FieldSyntax.trimmed($0) == validator } ?? true
        }
        return headers["Last-Modified"].map { FieldSyntax.trimmed($0) == validator } ?? true
    }

    /// The value for If-Range, or nil where none is strong (RFC 9110 §13.1.5).
    ///
    /// An entity tag unless weak; a response with a weak one has no strong validator at all. Else a Last-Modified that is
    /// at least a second older than the response's Date (§8.8.2.2): a later change would show in it.
    package static func validator(of headers: HTTPHeaders, now: Date) -> String? {
        if let tag = headers["ETag"] {
            return isStrongEntityTag(FieldSyntax.trimmed(tag)) ? FieldSyntax.trimmed(tag) : nil
        }
        guard let text = headers["Last-Modified"], let modified = HTTPDate.parse(text, now: now),
            let date = headers["Date"].flatMap({ HTTPDate.parse($0, now: now) }),
            date.timeIntervalSince(modified) >= 1
        else { return nil }
        return FieldSyntax.trimmed(text)
    }

    /// An opaque tag in quotes without a quote within (§8.8.3).
    private static func isStrongEntityTag(_ tag: String) -> Bool {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
    }

    package static func digest(of url: URL) -> String { Hex.text(SHA256.digest(url.absoluteString.utf8)) }
}

extension HTTPResponse.Head {
    /// Whether the content has a coding, which the transport may have decoded.
    package var isEncoded: Bool {
        headers.values(of: "Content-Encoding").contains { value in
            let coding = FieldSyntax.trimmed(value)
            return !coding.isEmpty && !FieldSyntax.equalIgnoringCase(coding, "identity")
        }
    }

    /// Whether the server said that it has no ranges (RFC 9110 §14.3).
    fileprivate var refusesRanges: Bool {
        headers["Accept-Ranges"].map { FieldSyntax.equalIgnoringCase(FieldSyntax.trimmed($0), "none") } ?? false
    }

    /// The Content-Length where it counts the bytes that are delivered: not where there is no content, whatever it says
    /// (RFC 9112 §6.3).
    package var contentLength: Int64? {
        guard !status.forbidsBody, !isEncoded, let text = headers["Content-Length"].map(FieldSyntax.trimmed),
            !text.isEmpty,
            text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
        else { return nil }
        return Int64(text)
    }
}
