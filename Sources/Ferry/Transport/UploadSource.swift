import Foundation

/// A request body in the form that a URLSession task takes.
enum UploadSource: Sendable {
    case none
    /// Part of the URLRequest.
    case data
    /// A regular file; removed after the exchange where it is a spool.
    case file(URL, isTemporary: Bool)

    /// Makes a body ready to be sent.
    ///
    /// A stream is written to a temporary file first: FoundationNetworking takes a stream that has no bytes at the moment
    /// for its end, and a read that waits stalls every session of the process. So the length is known and checked
    /// before a byte is sent.
    ///
    /// - Throws: `invalidBody`, `bodyNotReplayable`, `cancelled`, `file`.
    init(_ body: RequestBody) async throws(NetworkError) {
        switch body.content {
        case .none: self = .none
        case .data: self = .data
        case .file(let url):
            _ = try BodyFile.check(url)
            self = .file(url, isTemporary: false)
        case .stream(let stream):
            self = .file(try await BodySpool.write(stream), isTemporary: true)
        case .value:
            throw NetworkError(.encoding, "The body was not encoded before it was sent")
        }
    }

    /// Removes a temporary file.
    func remove() {
        if case .file(let url, true) = self { try? FileManager.default.removeItem(at: url) }
    }
}
