package import Foundation

/// Which header fields are stored, and how later responses update them (RFC 9111 §3.1, §3.2).
package enum StoredFields {
    /// Fields of the connection (§3.1), and cookies, which belong in the jar alone: on disk they would be secrets lying
    /// about.
    private static let never: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "te", "transfer-encoding", "upgrade", "set-cookie", "set-cookie2",
    ]
    /// Fields that describe the stored content, which an update does not bring (§3.2): the content is stored decoded.
    private static let ofContent: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// The fields of a response that are stored.
    package static func of(_ headers: HTTPHeaders) -> HTTPHeaders {
        let named = FieldNames.parse(headers.values(of: "Connection")) ?? []
        return HTTPHeaders(
            headers.filter { field in
                let name = field.name.lowercased()
                return !never.contains(name) && !named.contains(name)
            })
    }

    /// Stored fields after a 304 or a HEAD response: each field of it replaces the stored lines of that name.
    package static func updated(_ stored: HTTPHeaders, by headers: HTTPHeaders) -> HTTPHeaders {
        var result = stored
        // The age of another response says nothing about this one.
        result.remove("Age")
        result.merge(HTTPHeaders(of(headers).filter { !ofContent.contains($0.name.lowercased()) }))
        return result
    }
}

extension CacheEntry {
    /// This response with the fields and times of one that validated it.
    package func updated(by headers: HTTPHeaders, requestDate: Date, responseDate: Date) -> CacheEntry {
        CacheEntry(
            head: Head(
                url: head.url, key: head.key, variance: head.variance, status: head.status,
                headers: StoredFields.updated(head.headers, by: headers), requestDate: requestDate,
                responseDate: responseDate, byteCount: body.count),
            body: body)
    }

    /// This response for requests of another variance.
    func varying(by variance: CacheVariance) -> CacheEntry {
        CacheEntry(
            head: Head(
                url: head.url, key: head.key, variance: variance, status: head.status, headers: head.headers,
                requestDate: head.requestDate, responseDate: head.responseDate, byteCount: body.count),
            body: body)
    }
}
