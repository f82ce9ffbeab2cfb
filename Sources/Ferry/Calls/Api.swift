// Calls: how a call is described, as a type (Api) or a value (NetworkCall), and how a request is built from it.
// May name every room below: Messages, Pipeline and the middle rooms.

public import Foundation

/// A call described as a type: what it sends, and the type of what comes back.
///
/// ```swift
/// struct SearchRepos: Api {
///     typealias Response = [Repo]
///     var text: String
///     var path: String { "/search/repositories" }
///     var query: Parameters { ["q": text, "per_page": 50] }
///     var responseKeyPath: JSONKeyPath? { "items" }      // unwraps {"items": [...]}
/// }
///
/// let repos = try await client.request(SearchRepos(text: "swift"))
/// ```
///
/// Everything but `Response` and `path` has a default. What has no property of its own here (time-outs, retries,
/// validation, …) is set in ``configure(_:)``.
///
/// ## Step by step
///
/// Describe what is sent and what comes back. Names and values are escaped for you, and the key path unwraps the list:
///
/// ```swift
/// struct Book: Codable, Sendable {
///     var id: Int?
///     var title: String
/// }
///
/// struct ListBooks: Api {
///     typealias Response = [Book]
///     var author: String
///     var path: String { "/books" }
///     var query: Parameters { ["author": author, "sort": ["title", "year"]] }
///     var responseKeyPath: JSONKeyPath? { "data.books" }
/// }
/// ```
///
/// Make the call. Its type says what it gives:
///
/// ```swift
/// let books = try await client.request(ListBooks(author: "Ada"))
/// ```
///
/// Content, method and path are properties as well:
///
/// ```swift
/// struct AddBook: Api {
///     typealias Response = Book
///     var book: Book
///     var method: HTTPMethod { .post }
///     var path: String { "/books" }
///     var body: RequestBody { .json(book) }
/// }
///
/// let added = try await client.request(AddBook(book: Book(title: "Knots")))
/// ```
///
/// What has no property is set in ``configure(_:)``:
///
/// ```swift
/// struct RemoveBook: Api {
///     typealias Response = Void
///     var id: Int
///     var method: HTTPMethod { .delete }
///     var path: String { "/books/\(id)" }
///
///     func configure(_ call: inout NetworkCall) {
///         call.timeouts = Timeouts(total: .seconds(10))
///         call.validation = .statuses([200, 204, 404])  // gone already is fine too
///     }
/// }
///
/// try await client.request(RemoveBook(id: 8))
/// ```
///
/// A call can bring an answer of its own, for previews, demos and tests without a server:
///
/// ```swift
/// struct Greeting: Api {
///     typealias Response = String
///     var path: String { "/greeting" }
///     var mockResponse: MockResponse? { .text("Ahoy") }
/// }
///
/// let preview = NetworkClient(baseURL: url) { $0.mocking = .on() }
/// let greeting = try await preview.request(Greeting())
/// ```
public protocol Api: Sendable {
    /// The type of what comes back: any `Decodable`, `Data`, `String`, ``JSON``, ``Nothing``, `Void`, or an optional of
    /// these, which is nil for an empty body.
    associatedtype Response: Sendable

    /// The method. Default GET.
    var method: HTTPMethod { get }

    /// The path below the client's base URL; it is appended, and can never lead to another host.
    var path: String { get }

    /// A path whose values are escaped each as one segment, in place of `path`. Default nil.
    ///
    /// For values that a user chooses: `"/files/\(name)/meta"`. One that cannot be a segment fails the call with
    /// `invalidURL`, before anything is sent.
    var pathTemplate: PathTemplate? { get }

    /// An absolute URL to use in place of base URL and path. Default nil.
    var url: URL? { get }

    /// The query parameters. Default none.
    var query: Parameters { get }

    /// The header fields; each replaces the client's default of that name. Default none.
    var headers: HTTPHeaders { get }

    /// The content. Default none.
    var body: RequestBody { get }

    /// Where in the response's JSON the value is. Default nil: the whole document.
    var responseKeyPath: JSONKeyPath? { get }

    /// What a client in mock mode answers. Default nil: in mock mode the call fails loudly.
    var mockResponse: MockResponse? { get }

    /// Sets what the other properties do not cover. Default: nothing.
    ///
    /// - Parameter call: The call as it is so far.
    func configure(_ call: inout NetworkCall)

    /// Makes the value of an accepted response. The defaults decode `Decodable` types, and take any content for `Void`.
    ///
    /// - Parameter content: The response with its content, and how the call wants it decoded.
    /// - Throws: `NetworkError` of kind `decoding`, `unwrapping` or `emptyBody`.
    func decode(_ content: ResponseContent) throws(NetworkError) -> Response
}

extension Api {
    /// GET.
    public var method: HTTPMethod { .get }
    /// The root below the base URL.
    public var path: String { "" }
    /// None: the path counts as it is.
    public var pathTemplate: PathTemplate? { nil }
    /// None: the path counts.
    public var url: URL? { nil }
    /// None.
    public var query: Parameters { [:] }
    /// None.
    public var headers: HTTPHeaders { [:] }
    /// None.
    public var body: RequestBody { .none }
    /// The whole document.
    public var responseKeyPath: JSONKeyPath? { nil }
    /// None.
    public var mockResponse: MockResponse? { nil }
    /// Sets nothing.
    public func configure(_ call: inout NetworkCall) {}

    /// This call as a value.
    public var call: NetworkCall {
        var call =
            url.map { NetworkCall(method, url: $0, query: query, headers: headers, body: body) }
            ?? NetworkCall(method, path, query: query, headers: headers, body: body)
        if url == nil, let pathTemplate {
            do throws(NetworkError) {
                call.target = .path(try pathTemplate.path)
            } catch {
                call.defect = error
            }
        }
        call.responseKeyPath = responseKeyPath
        call.mockResponse = mockResponse
        configure(&call)
        return call
    }
}

extension Api where Response: Decodable {
    /// Decodes the content, below the key path where there is one.
    public func decode(_ content: ResponseContent) throws(NetworkError) -> Response { try content.decode() }
}

extension Api where Response == Void {
    /// Takes any content.
    public func decode(_ content: ResponseContent) throws(NetworkError) {}
}
