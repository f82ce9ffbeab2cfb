import Foundation

/// Writes body streams to temporary files.
package enum BodySpool {
    private static let chunkSize = 64 * 1024

    /// The pieces of a body to read from: its streams are read to their end, into one unlinked temporary file.
    ///
    /// - Throws: `invalidBody` where a stream fails or gives another length than it declared, `bodyNotReplayable`,
    ///   `cancelled`, `file`.
    package static func pieces(of segments: [BodySegments.Segment]) async throws(NetworkError) -> [UploadReader.Piece] {
        var pieces: [UploadReader.Piece] = []
        var spool: SpillFile?
        var end: Int64 = 0
        for segment in segments {
            switch segment {
            case .data(let data):
                pieces.append(.data(data))
            case .file(let url, let length):
                pieces.append(.file(url, length: length))
            case .stream(let stream, _):
                let file = if let spool { spool } else { try SpillFile() }
                spool = file
                let start = end
                try await stream.read { (chunk) throws(NetworkError) in
                    try file.write(chunk, at: end)
                    end += Int64(chunk.count)
                }
                if end > start { pieces.append(.spool(file, offset: start, length: end - start)) }
            }
        }
        return pieces
    }

    /// Writes a whole body to a file.
    ///
    /// - Returns: How many bytes it has.
    /// - Throws: What `pieces(of:)` throws, and `invalidBody` for a file of the body that cannot be read.
    static func write(_ segments: [BodySegments.Segment], to file: TemporaryFile) async throws(NetworkError) -> Int64 {
        var written: Int64 = 0
        for segment in segments {
            switch segment {
            case .stream(let stream, _):
                try await stream.read { (chunk) throws(NetworkError) in
                    written += Int64(chunk.count)
                    try file.write(chunk)
                }
            case .data(let data):
                written += try copy(.data(data), to: file)
            case .file(let url, let length):
                written += try copy(.file(url, length: length), to: file)
            }
        }
        return written
    }

    private static func copy(_ piece: UploadReader.Piece, to file: TemporaryFile) throws(NetworkError) -> Int64 {
        var reader = UploadReader([piece])
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkSize, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            if Task.isCancelled { throw .cancelled }
            let count = try reader.read(into: buffer)
            guard count > 0 else { return reader.length }
            try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

extension TemporaryFile {
    /// Adds bytes at the end.
    fileprivate func write(_ data: Data) throws(NetworkError) {
        let result = data.withUnsafeBytes { bytes in
            do throws(NetworkError) {
                try write(bytes)
                return Result<Void, NetworkError>.success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
