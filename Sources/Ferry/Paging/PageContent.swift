public import Foundation

/// What a style of paging sees of a page.
public struct PageContent: Sendable {
    /// The response's head; its URL is the one that answered.
    public let head: HTTPResponse.Head
    /// The whole content.
    public let body: Data
    /// What the page was asked for with; nil for the first.
    public let token: PageToken?
    /// How many items the page has.
    public let itemCount: Int
    /// The decoder of the call.
    public let decoder: JSONDecoder

    /// Creates a content, for tests of custom styles.
    public init(
        head: HTTPResponse.Head, body: Data, token: PageToken?, itemCount: Int, decoder: JSONDecoder = JSONDecoder()
    ) {
        self.head = head
        self.body = body
        self.token = token
        self.itemCount = itemCount
        self.decoder = decoder
    }

    /// The scalar at a key path of the body as text, or nil where it is missing, null or empty.
    ///
    /// - Throws: `NetworkError` of kind `unwrapping` where something else is there, or the body is no JSON.
    public func text(at path: JSONKeyPath) throws(NetworkError) -> String? {
        let value: JSON?
        do throws(NetworkError) {
            value = try ResponseDecoder.decode(JSON?.self, head: head, body: body, keyPath: path, decoder: decoder)
        } catch {
            // A missing key is an end; anything else is no page.
            if let cause = error.underlyingError as? DecodingError, case .keyNotFound = cause { return nil }
            throw error
        }
        switch value {
        case nil, .null: return nil
        case .string(let text): return text.isEmpty ? nil : text
        case .number(let number): return number.description
        default: throw NetworkError(.unwrapping, "What stands at \(path) is neither text nor a number")
        }
    }
}

extension Pagination {
    /// The position after a page, or nil where it is the last.
    ///
    /// - Throws: `NetworkError` of kind `paging` or `unwrapping`.
    public func position(after page: PageContent) throws(NetworkError) -> PageToken.Position? {
        if endsOnEmptyPage, page.itemCount == 0 { return nil }
        switch style {
        case .pageNumber(_, let first, let total):
            let number = if case .page(let number)? = page.token?.position { number } else { first }
            let (next, overflows) = number.addingReportingOverflow(1)
            if let total, let last = try count(at: total, in: page) {
                return !overflows && next.subtractingReportingOverflow(first).partialValue < last ? .page(next) : nil
            }
            if let size, page.itemCount < size.count { return nil }
            return overflows ? nil : .page(next)
        case .offset(_, let limit, let total):
            let offset = if case .offset(let offset)? = page.token?.position { offset } else { 0 }
            let (next, overflows) = offset.addingReportingOverflow(page.itemCount)
            guard !overflows else { return nil }
            if let total, let all = try count(at: total, in: page) {
                return next < all ? .offset(next) : nil
            }
            return page.itemCount < limit ? nil : .offset(next)
        case .cursor(_, let path):
            return try page.text(at: path).map { .cursor($0) }
        case .nextURL(let path):
            // White space around a URL is none of it (WHATWG URL §4.4).
            let target = try page.text(at: path)?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
            return target.isEmpty ? nil : .url(resolved(target, page.head))
        case .link(let relation):
            return LinkHeader(page.head.headers).links(relation: relation)
                .first { isAbout(page.head, $0) }.map { .url(resolved($0.target, page.head)) }
        case .custom(let next):
            do {
                return try next(page)
            } catch let error as NetworkError {
                throw error
            } catch {
                throw NetworkError(.paging, "The next page could not be found", underlying: error)
            }
        }
    }

    private func count(at path: JSONKeyPath, in page: PageContent) throws(NetworkError) -> Int? {
        guard let text = try page.text(at: path) else { return nil }
        guard let count = Int(text) else {
            throw NetworkError(.unwrapping, "What stands at \(path) is no count")
        }
        return count
    }

    /// Targets are relative to the URL that answered (RFC 3986 §5.1.3, RFC 8288 §3.1).
    private func resolved(_ target: String, _ head: HTTPResponse.Head) -> String {
        URIReference(target).resolved(against: URIReference(head.url)).text
    }

    /// Whether a link's context is the page itself: an anchor may name another (RFC 8288 §3.2).
    private func isAbout(_ head: HTTPResponse.Head, _ link: LinkHeader.Link) -> Bool {
        guard let anchor = link.anchor else { return true }
        var context = URIReference(anchor).resolved(against: URIReference(head.url))
        var own = URIReference(head.url)
        context.fragment = nil
        own.fragment = nil
        return context == own
    }
}

extension PageContent: CustomStringConvertible, CustomReflectable {
    /// The head and sizes, never the content.
    public var description: String { "page of \(itemCount) items, \(body.count) bytes of \(head)" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["page": description]) }
}
