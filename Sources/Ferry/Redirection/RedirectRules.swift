import Foundation

/// Which request follows a redirect (RFC 9110 §15.4 with the method changes of WHATWG Fetch, HTTP-redirect fetch).
///
/// | status        | method                              | body              |
/// |---------------|-------------------------------------|-------------------|
/// | 301, 302      | POST becomes GET, others stay       | dropped with POST |
/// | 303           | GET and HEAD stay, others become GET| dropped           |
/// | 307, 308      | stays                               | sent again        |
package enum RedirectRules {
    /// Whether the response asks for another request: one of the five statuses, with a Location.
    ///
    /// 300 offers a choice, 304 speaks of a cache, 305 and 306 are gone (RFC 9110 §15.4.1 to §15.4.7): they are answers.
    package static func isRedirect(_ head: HTTPResponse.Head) -> Bool {
        switch head.status.code {
        case 301, 302, 303, 307, 308: head.headers.contains("Location")
        default: false
        }
    }

    /// The request that follows, or nil where the response is no redirect.
    ///
    /// - Parameters:
    ///   - request: The request that was answered.
    ///   - head: The answer.
    ///   - sensitiveHeaders: Names to drop across origins besides ``HTTPHeaders/credentialNames``.
    /// - Throws: `NetworkError` of kind `redirect` for a target that may not be followed, of kind `bodyNotReplayable`
    ///   for a body that would have to be sent again and cannot be.
    package static func next(
        after request: HTTPRequest, head: HTTPResponse.Head, sensitiveHeaders: [String] = []
    ) throws(NetworkError) -> HTTPRequest? {
        guard isRedirect(head) else { return nil }
        return try proposal(after: request, head: head, sensitiveHeaders: sensitiveHeaders).get()
    }

    /// As `next`, for a response that is a redirect.
    package static func proposal(
        after request: HTTPRequest, head: HTTPResponse.Head, sensitiveHeaders: [String]
    ) -> Result<HTTPRequest, NetworkError> {
        do throws(NetworkError) {
            var next = request
            next.url = try RedirectTarget.url(for: head.headers.values(of: "Location"), from: request.url)
            if becomesGet(request.method, head.status) {
                next.method = .get
                next.body = .none
                for name in contentHeaders { next.headers.remove(name) }
            } else if !request.body.isReplayable {
                throw NetworkError(
                    .bodyNotReplayable,
                    "The redirect \(head.status.code) asks for the body again, and it can be sent once only")
            }
            if !isSameOrigin(request.url, next.url) {
                // The next hop starts from this request, so what is dropped here stays dropped, even where the chain
                // comes back to the first origin: the server in between chose the path.
                next.headers.removeCredentials(and: sensitiveHeaders)
            }
            return .success(next)
        } catch {
            return .failure(error.with { $0.response = head }.describing(request))
        }
    }

    private static func becomesGet(_ method: HTTPMethod, _ status: HTTPStatus) -> Bool {
        switch status.code {
        case 301, 302: method == .post
        case 303: method != .get && method != .head
        default: false
        }
    }

    private static func isSameOrigin(_ lhs: URL, _ rhs: URL) -> Bool {
        guard let lhs = Origin(lhs), let rhs = Origin(rhs) else { return false }
        return lhs == rhs
    }

    /// Fields that describe content, meaningless without it (RFC 9110 §15.4, step 5; RFC 9530; Fetch,
    /// request-body-header names).
    private static let contentHeaders = [
        "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Length",
        "Content-Disposition", "Content-Range", "Content-MD5", "Content-Digest", "Repr-Digest", "Digest",
        "Last-Modified", "Trailer", "Transfer-Encoding", "Expect",
    ]
}
