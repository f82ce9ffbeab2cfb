public import Foundation

/// What happens in a download, in order.
public enum DownloadEvent: Sendable {
    /// Bytes are in the file; those that an earlier run left count. The first comes with the response's head, the last
    /// with the end.
    case progress(TransferProgress)
    /// The file is complete and in its place. Once, last.
    case finished(DownloadedFile)
}

/// A file that was downloaded.
public struct DownloadedFile: Sendable {
    /// Where it is.
    public let url: URL
    /// Its length in bytes.
    public let size: Int64
    /// Bytes at its start that an earlier run had left and that were not transferred again.
    public let resumedFrom: Int64
    /// The head of the last response: 200 for a whole file, 206 for the rest of one, 416 where nothing was missing.
    public let head: HTTPResponse.Head
    /// The redirects that were followed, in order.
    public let redirects: [Redirect]
    /// The SHA-256 in hexadecimal digits, where it was checked.
    public let sha256: String?

    /// The media type: the response's, else by the extension of the name; nil where neither tells.
    public var mediaType: MediaType? {
        head.status == .rangeNotSatisfiable ? url.mediaType : head.contentType ?? url.mediaType
    }

    package init(
        url: URL, size: Int64, resumedFrom: Int64, head: HTTPResponse.Head, redirects: [Redirect], sha256: String?
    ) {
        self.url = url
        self.size = size
        self.resumedFrom = resumedFrom
        self.head = head
        self.redirects = redirects
        self.sha256 = sha256
    }
}
