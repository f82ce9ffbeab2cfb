import Foundation

/// Where a walk over pages stands: what to ask for next, and what it has seen. Pure.
struct PageWalk: Sendable {
    private let pagination: Pagination
    private let call: NetworkCall
    private let maxPages: Int
    /// What the next page is asked for with; nil for the first.
    private(set) var token: PageToken?
    private(set) var isFinished: Bool
    private var pages = 0
    private var seen: Set<PageToken> = []
    private var origin: Origin?

    init(_ pagination: Pagination, call: NetworkCall, from token: PageToken?, maxPages: Int) {
        self.pagination = pagination
        self.call = call
        self.token = token
        self.maxPages = maxPages
        isFinished = maxPages <= 0
        if let token { seen.insert(Self.place(of: token)) }
    }

    /// The call for the next page.
    ///
    /// - Parameter base: The client's base URL: the origin that pages must stay on, until a first page named it.
    /// - Throws: `NetworkError` of kind `paging` for a page of another origin, and for one that came before: such a walk
    ///   would never end.
    func nextCall(base: URL?) throws(NetworkError) -> NetworkCall {
        if let token, pages > 0, seen.contains(Self.place(of: token)) {
            throw NetworkError(.paging, "The next page is one that came before (\(token)): the walk would never end")
        }
        var next = call
        if let size = pagination.size { next.query[size.parameter] = size.count }
        switch (token?.position, pagination.style) {
        case (nil, .pageNumber(let parameter, let first, _)): next.query[parameter] = first
        case (nil, .offset(let parameter, _, _)): next.query[parameter] = 0
        case (nil, _): break
        case (.page(let number)?, .pageNumber(let parameter, _, _)): next.query[parameter] = number
        case (.page(let number)?, _): next.query["page"] = number
        case (.offset(let offset)?, .offset(let parameter, _, _)): next.query[parameter] = offset
        case (.offset(let offset)?, _): next.query["offset"] = offset
        case (.cursor(let cursor)?, .cursor(let parameter, _)): next.query[parameter] = cursor
        case (.cursor(let cursor)?, _): next.query["cursor"] = cursor
        case (.url(let text)?, _): try target(&next, text, base)
        }
        return next
    }

    /// A page came. What the walk has seen changes in place: a copy of it for each page would cost more with each.
    ///
    /// - Parameters:
    ///   - position: Where to go on; nil at the end.
    ///   - url: The URL that answered.
    mutating func advance(to position: PageToken.Position?, from url: URL) {
        pages += 1
        if origin == nil { origin = Origin(url) }
        if let token { seen.insert(Self.place(of: token)) }
        // The first page was asked for without a token, and a redirect may have led on: a URL that leads back to where a
        // page came from is seen as well.
        if case .url? = position { seen.insert(Self.place(of: PageToken(.url(url.absoluteString)))) }
        // Kept also behind the last page that is allowed: another walk may go on there.
        token = position.map { PageToken($0) }
        isFinished = position == nil || pages >= maxPages
    }

    /// What makes two tokens ask for the same page: a fragment is not sent (RFC 3986 §3.5).
    private static func place(of token: PageToken) -> PageToken {
        guard case .url(let text) = token.position, text.utf8.contains(UInt8(ascii: "#")) else { return token }
        return PageToken(.url(String(decoding: text.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)))
    }

    private func target(_ call: inout NetworkCall, _ text: String, _ base: URL?) throws(NetworkError) {
        guard let url = URL(string: text, encodingInvalidCharacters: false), let other = Origin(url) else {
            throw NetworkError(.paging, "The next page's URL is no http or https URL")
        }
        // The page's URL has everything in it that the first request had.
        call.target = .url(url)
        call.query = [:]
        call.omitsDefaultQuery = true
        guard let home = origin ?? base.flatMap({ Origin($0) }) ?? startOrigin, home != other else { return }
        guard pagination.allowsOtherOrigins else {
            throw NetworkError(
                .paging, "The next page is on another origin (\(other.host)); see Pagination.allowsOtherOrigins")
        }
        call.headers.removeCredentials()
    }

    private var startOrigin: Origin? {
        if case .url(let url) = call.target { Origin(url) } else { nil }
    }
}
