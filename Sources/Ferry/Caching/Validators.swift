/// The validators of a response, and what is done with them (RFC 9111 §4.3; RFC 9110 §8.8).
package struct Validators: Hashable, Sendable {
    /// The entity tag as written, quotes and a weak mark included; nil where there is none or it is malformed.
    package let entityTag: String?
    /// Last-Modified as written.
    package let lastModified: String?

    package init(_ headers: HTTPHeaders) {
        entityTag = headers.values(of: "ETag").first.map { FieldSyntax.trimmed($0) }.flatMap {
            Self.isEntityTag($0) ? $0 : nil
        }
        lastModified = headers.values(of: "Last-Modified").first.map { FieldSyntax.trimmed($0) }
    }

    package var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// Whether the entity tag is strong: equal tags mean equal bytes (RFC 9110 §8.8.1).
    package var isStrong: Bool { entityTag.map { !$0.hasPrefix("W/") } ?? false }

    /// The request that asks whether the stored response is still good (§4.3.1); nil where it has no validator.
    package func conditional(_ request: HTTPRequest) -> HTTPRequest? {
        guard !isEmpty else { return nil }
        var request = request
        if let entityTag { request.headers["If-None-Match"] = entityTag }
        if let lastModified { request.headers["If-Modified-Since"] = lastModified }
        return request
    }

    /// Whether a 304 with `new` validators is about the stored response with these (§4.3.4).
    ///
    /// A strong tag must be equal; of weak ones, each that is given. A 304 without any validator answers the only
    /// condition that was sent, so it is about that response: many servers leave the tag out (against RFC 9110 §15.4.5).
    package func areConfirmed(by new: Validators) -> Bool {
        if new.isStrong { return entityTag == new.entityTag }
        if let tag = new.entityTag { return Self.opaque(tag) == entityTag.map(Self.opaque) }
        if let modified = new.lastModified { return lastModified == nil ? false : lastModified == modified }
        return true
    }

    /// Whether a HEAD response describes the stored response (§4.3.5).
    ///
    /// - Parameters:
    ///   - stored: The fields of the stored response.
    ///   - headers: Those of the HEAD response.
    package static func describesSame(_ stored: HTTPHeaders, _ headers: HTTPHeaders) -> Bool {
        let new = Validators(headers)
        let old = Validators(stored)
        if let tag = new.entityTag, tag != old.entityTag { return false }
        if let modified = new.lastModified, modified != old.lastModified { return false }
        if let length = headers.values(of: "Content-Length").first,
            let known = stored.values(of: "Content-Length").first, length != known
        {
            return false
        }
        return true
    }

    private static func opaque(_ tag: String) -> String { tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag }

    /// `[ "W/" ] DQUOTE *etagc DQUOTE` (RFC 9110 §8.8.3).
    private static func isEntityTag(_ text: String) -> Bool {
        let bytes = Array(opaque(text).utf8)
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        return bytes[1..<(bytes.count - 1)].allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }
    }
}
