// Paging: the pages and items of a paginated Api as lazy sequences.
// The highest room: may name every other.

/// An Api whose answers come in pages.
///
/// ```swift
/// struct ListRepos: Paginated {
///     typealias Response = [Repo]
///     var owner: String
///     var path: String { "/users/\(owner)/repos" }
///     var pagination: Pagination { .linkHeader() }
/// }
///
/// for try await repo in client.items(ListRepos(owner: "apple")) { print(repo.name) }
/// ```
public protocol Paginated: Api {
    /// The type of one item. Default, where `Response` is an array: its elements.
    associatedtype Item: Sendable

    /// How the next page is found.
    var pagination: Pagination { get }

    /// The items of one page. Default, where `Response` is an array: the response itself.
    func items(of response: Response) -> [Item]
}

extension Paginated where Response: RandomAccessCollection, Response.Element: Sendable {
    /// The response itself.
    public func items(of response: Response) -> [Response.Element] { Array(response) }
}

/// What a page was asked for with: `nil` for the first page, else where to go on.
///
/// `Codable`: a walk can be taken up again from a saved token, also in another process.
public struct PageToken: Codable, Hashable, Sendable {
    /// Where to go on, by the style of the Api.
    public enum Position: Codable, Hashable, Sendable {
        /// A page's number.
        case page(Int)
        /// How many items came before.
        case offset(Int)
        /// What the server gave.
        case cursor(String)
        /// The page's own URL.
        case url(String)
    }

    /// Where to go on.
    public let position: Position

    /// Creates a token.
    public init(_ position: Position) { self.position = position }
}

extension PageToken: CustomStringConvertible, CustomReflectable {
    /// The kind of position: cursors and URLs may hold secrets.
    public var description: String { position.description }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["position": description]) }
}

extension PageToken.Position: CustomStringConvertible, CustomReflectable {
    /// The kind of position: cursors and URLs may hold secrets.
    public var description: String {
        switch self {
        case .page(let number): "page \(number)"
        case .offset(let offset): "offset \(offset)"
        case .cursor: "a cursor"
        case .url: "a URL"
        }
    }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["position": description]) }
}
