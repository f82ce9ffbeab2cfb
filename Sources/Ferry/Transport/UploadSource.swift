import Foundation

/// A request body in the form that a URLSession task takes, with its exact length.
///
/// | body | Linux, http | elsewhere |
/// |---|---|---|
/// | data | part of the URLRequest | the same |
/// | file | read while it is sent | `uploadTask(fromFile:)` |
/// | pieces, stream | read while they are sent, streams from an unlinked spool | a temporary file, then the same |
///
/// Streams are spooled first: FoundationNetworking takes a stream that has no bytes at the moment for its end, and a read
/// that waits stalls every session of the process. So lengths are checked before a byte is sent.
struct UploadSource: Sendable {
    /// How the bytes get to the session.
    enum Way: Sendable {
        case none
        /// Part of the URLRequest.
        case data
        case file(URL)
        #if canImport(FoundationNetworking)
            /// Read on the session's queue: constant memory, and several times as fast as a file task.
            case read(UploadBody)
        #endif
    }

    let way: Way
    /// Bytes in all.
    let length: Int64
    /// Holds the bytes where they had to be written down.
    private let temporary: TemporaryFile?

    /// Whether there is a body, if only of zero bytes.
    var isBody: Bool { if case .none = way { false } else { true } }

    /// Why the body could not be read to its end while it was sent.
    var failure: NetworkError? {
        #if canImport(FoundationNetworking)
            if case .read(let body) = way { return body.failure }
        #endif
        return nil
    }

    private init(_ way: Way, _ length: Int64, temporary: TemporaryFile? = nil) {
        self.way = way
        self.length = length
        self.temporary = temporary
    }

    /// Removes the temporary file: at the end of the call, whatever the session still holds.
    func remove() { temporary?.remove() }

    /// Makes the body of a request ready to be sent.
    ///
    /// - Throws: `invalidBody`, `bodyNotReplayable`, `cancelled`, `file`.
    static func make(_ request: HTTPRequest) async throws(NetworkError) -> UploadSource {
        switch request.body.content {
        case .none:
            return UploadSource(.none, 0)
        case .data(let data):
            return UploadSource(.data, Int64(data.count))
        case .file(let url):
            let length = try BodyFile.check(url)
            #if canImport(FoundationNetworking)
                if readsWhileSending(request.url) { return read([.file(url, length: length)]) }
            #endif
            return UploadSource(.file(url), length)
        case .stream(let stream):
            return try await make([.stream(stream, length: stream.length ?? -1)], request.url)
        case .segments(let body):
            return try await make(body.segments, request.url)
        case .value, .multipart:
            throw NetworkError(.encoding, "The body was not encoded before it was sent")
        }
    }

    private static func make(_ segments: [BodySegments.Segment], _ url: URL) async throws(NetworkError) -> UploadSource
    {
        #if canImport(FoundationNetworking)
            if readsWhileSending(url) { return read(try await BodySpool.pieces(of: segments)) }
        #endif
        let file = try TemporaryFile()
        let length = try await BodySpool.write(segments, to: file)
        return UploadSource(.file(file.url), length, temporary: file)
    }

    #if canImport(FoundationNetworking)
        /// Whether a body of announced length may be a stream: see `URLRequest.setStream`. Not over https, where HTTP/2
        /// may be spoken and framing fields are not libcurl's to drop.
        private static func readsWhileSending(_ url: URL) -> Bool { url.scheme?.lowercased() == "http" }

        private static func read(_ pieces: [UploadReader.Piece]) -> UploadSource {
            let body = UploadBody(pieces)
            return UploadSource(.read(body), body.length)
        }
    #endif
}
