/// An accepted response whose content is read while it arrives.
public struct StreamedResponse: Sendable {
    /// Status and fields.
    public let head: HTTPResponse.Head
    /// The content, to be read once. Leaving its loop or dropping it stops the transfer.
    public let body: ByteStream
    /// The redirects that were followed, in order.
    public let redirects: [Redirect]
    /// Where the response came from.
    public let source: HTTPResponse.Source
    /// How old a response from the cache is; nil where it comes from elsewhere.
    public let age: Duration?

    /// The status.
    public var status: HTTPStatus { head.status }
    /// The header fields.
    public var headers: HTTPHeaders { head.headers }
}
