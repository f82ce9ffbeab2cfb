/// How the next page of an Api is found: one declaration a style.
public struct Pagination: Sendable {
    enum Style: Sendable {
        case pageNumber(parameter: String, first: Int, total: JSONKeyPath?)
        case offset(parameter: String, limit: Int, total: JSONKeyPath?)
        case cursor(parameter: String, path: JSONKeyPath)
        case nextURL(path: JSONKeyPath)
        case link(relation: String)
        case custom(@Sendable (PageContent) throws -> PageToken.Position?)
    }

    let style: Style
    /// A query parameter that says how many items a page has.
    let size: (parameter: String, count: Int)?
    /// Whether an empty page ends the walk.
    let endsOnEmptyPage: Bool
    /// Whether the next page may be on another origin than the first. Default false: a link could lead the credentials of
    /// the call anywhere. Where it is true, the credentials among the call's header fields and the
    /// client's default credentials stay behind.
    public var allowsOtherOrigins = false

    private init(_ style: Style, size: (String, Int)? = nil, endsOnEmptyPage: Bool) {
        self.style = style
        self.size = size.map { (parameter: $0.0, count: $0.1) }
        self.endsOnEmptyPage = endsOnEmptyPage
    }

    /// Pages are numbered: `?page=1`, `?page=2`, … An empty page ends the walk, or the total does.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter. Default `page`.
    ///   - first: The number of the first page. Default 1.
    ///   - size: A parameter that asks for a page size, such as `("per_page", 50)`; a page with fewer items is then the
    ///     last. Default none.
    ///   - total: Where the number of all pages is in the body; a page that does not say it ends nothing by that. Default
    ///     none.
    public static func pageNumber(
        _ parameter: String = "page", first: Int = 1, size: (String, Int)? = nil, totalPages total: JSONKeyPath? = nil
    ) -> Pagination {
        Pagination(.pageNumber(parameter: parameter, first: first, total: total), size: size, endsOnEmptyPage: true)
    }

    /// Items are counted: `?offset=0&limit=50`, `?offset=50&limit=50`, … The offset moves by the items that came. An empty
    /// page ends the walk, or one with fewer items than the limit, or the total does.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter of the offset. Default `offset`.
    ///   - limit: Items a page; at least 1.
    ///   - limitParameter: The query parameter of the limit. Default `limit`.
    ///   - total: Where the number of all items is in the body; on a page that says it, being short ends nothing.
    ///     Default none.
    public static func offset(
        _ parameter: String = "offset", limit: Int, limitParameter: String = "limit",
        totalItems total: JSONKeyPath? = nil
    ) -> Pagination {
        Pagination(
            .offset(parameter: parameter, limit: max(1, limit), total: total), size: (limitParameter, max(1, limit)),
            endsOnEmptyPage: true)
    }

    /// Each body names the cursor of the next page; where it is missing, null or empty, the walk ends. An empty page in
    /// between ends nothing.
    ///
    /// - Parameters:
    ///   - path: Where the cursor is: a string or a number.
    ///   - parameter: The query parameter that takes it. Default `cursor`.
    ///   - size: A parameter that asks for a page size. Default none.
    public static func cursor(
        at path: JSONKeyPath, parameter: String = "cursor", size: (String, Int)? = nil
    ) -> Pagination {
        Pagination(.cursor(parameter: parameter, path: path), size: size, endsOnEmptyPage: false)
    }

    /// Each body has the URL of the next page, absolute or relative to its own; where it is missing, null or empty, the walk
    /// ends.
    ///
    /// - Parameters:
    ///   - path: Where the URL is.
    ///   - size: A parameter of the first request that asks for a page size. Default none.
    public static func nextURL(at path: JSONKeyPath, size: (String, Int)? = nil) -> Pagination {
        Pagination(.nextURL(path: path), size: size, endsOnEmptyPage: false)
    }

    /// Each head has a Link field with the next page (RFC 8288); where there is none, the walk ends.
    ///
    /// - Parameters:
    ///   - relation: The relation type. Default `next`.
    ///   - size: A parameter of the first request that asks for a page size. Default none.
    public static func linkHeader(relation: String = "next", size: (String, Int)? = nil) -> Pagination {
        Pagination(.link(relation: relation), size: size, endsOnEmptyPage: false)
    }

    /// A closure says what comes after a page.
    ///
    /// - Parameter next: Gives the position of the next page, or nil at the end. What it throws ends the page with an error
    ///   of kind `paging`. `.cursor` is sent as parameter `cursor`; `.page` as `page`, `.offset` as `offset`.
    public static func custom(
        _ next: @escaping @Sendable (PageContent) throws -> PageToken.Position?
    ) -> Pagination {
        Pagination(.custom(next), endsOnEmptyPage: false)
    }

    /// This style with pages on other origins allowed.
    public func allowingOtherOrigins() -> Pagination {
        var copy = self
        copy.allowsOtherOrigins = true
        return copy
    }
}
