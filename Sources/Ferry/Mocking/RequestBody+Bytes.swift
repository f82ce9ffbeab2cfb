package import Foundation

extension RequestBody {
    /// Length in bytes, or nil where it is not known before it is read.
    ///
    /// - Throws: `NetworkError` of kind `invalidBody` for a file that is missing or not a regular one.
    package var length: Int64? {
        get throws(NetworkError) {
            switch content {
            case .none: 0
            case .data(let data): Int64(data.count)
            case .file(let url): try Self.regularFile(url).length
            case .stream(let stream): stream.length
            case .segments(let segments): segments.length
            case .value, .multipart: nil
            }
        }
    }

    /// Reads the body to its end in bounded memory.
    ///
    /// - Parameter take: Takes each chunk; chunks are not empty.
    /// - Throws: `NetworkError`: `invalidBody` for a file that cannot be read, a stream that fails or is of another
    ///   length than it declared; `bodyNotReplayable` for a stream that was used up; `encoding` for a value that was
    ///   not encoded yet; `cancelled`; what `take` throws.
    package func read(_ take: (Data) throws(NetworkError) -> Void) async throws(NetworkError) {
        switch content {
        case .none:
            return
        case .data(let data):
            if !data.isEmpty { try take(data) }
        case .file(let url):
            try Self.readFile(url, take)
        case .stream(let stream):
            try await stream.read(take)
        case .segments(let body):
            for segment in body.segments {
                switch segment {
                case .data(let data): try take(data)
                case .file(let url, _): try Self.readFile(url, take)
                case .stream(let stream, _): try await stream.read(take)
                }
            }
        case .value, .multipart:
            throw NetworkError(.encoding, "The request body is a value that was not encoded")
        }
    }

    /// All bytes of the body, whatever it is made of. A stream that can be sent once is then used up: see
    /// ``HTTPRequest/withBodyInMemory(limit:)``.
    ///
    /// - Parameter limit: Most bytes to take. Default: no limit.
    /// - Throws: What ``read(_:)`` throws, or `NetworkError` of kind `bodyTooLarge` beyond the limit.
    package func bytes(limit: Int = .max) async throws(NetworkError) -> Data {
        var bytes = Data()
        try await read { (chunk) throws(NetworkError) in
            guard chunk.count <= limit - bytes.count else {
                throw NetworkError(.bodyTooLarge, "The request body is larger than \(limit) bytes")
            }
            bytes.append(chunk)
        }
        return bytes
    }

    private static let chunkSize = 64 * 1024

    private static func regularFile(_ url: URL) throws(NetworkError) -> (url: URL, length: Int64) {
        guard url.isFileURL else { throw NetworkError(.invalidBody, "The body's file URL is not one") }
        let real = url.resolvingSymlinksInPath()
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: real.path(percentEncoded: false))
            if attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? NSNumber {
                return (real, size.int64Value)
            }
        } catch {
            throw NetworkError(.invalidBody, "The body's file cannot be read", underlying: error)
        }
        throw NetworkError(.invalidBody, "The body's file is not a regular file")
    }

    private static func readFile(_ url: URL, _ take: (Data) throws(NetworkError) -> Void) throws(NetworkError) {
        let file = try regularFile(url).url
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            while let chunk = try handle.read(upToCount: chunkSize), !chunk.isEmpty {
                if Task.isCancelled { throw NetworkError.cancelled }
                try take(chunk)
            }
        } catch let error as NetworkError {
            throw error
        } catch {
            throw NetworkError(.invalidBody, "The body's file cannot be read", underlying: error)
        }
    }
}

extension HTTPRequest {
    /// This request with its body's bytes in memory, so that a matcher can look at them and the exchange still take
    /// them, also where they came from a stream that can be sent once.
    ///
    /// - Parameter limit: Most bytes to take. Default: no limit.
    /// - Throws: What ``RequestBody/bytes(limit:)`` throws.
    package func withBodyInMemory(limit: Int = .max) async throws(NetworkError) -> HTTPRequest {
        guard !body.isNone else { return self }
        var copy = self
        copy.body = RequestBody(.data(try await body.bytes(limit: limit)), contentType: body.contentType)
        return copy
    }
}
