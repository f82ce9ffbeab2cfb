package import Foundation

/// Writes a body stream to a temporary file.
package enum BodySpool {
    /// Writes the whole stream to a file of mode 0600 in the temporary directory.
    ///
    /// - Returns: The file; the caller removes it. Where this throws, the file is removed already.
    /// - Throws: `invalidBody` where the stream fails or gives another length than it declared, `bodyNotReplayable`,
    ///   `cancelled`, `file`.
    package static func write(_ stream: BodyStream) async throws(NetworkError) -> URL {
        let chunks: any AsyncSequence<Data, any Error>
        do {
            chunks = try stream.makeSequence()
        } catch let error as NetworkError {
            throw error
        } catch {
            throw NetworkError(.invalidBody, "The body stream could not be opened", underlying: error)
        }
        let name = "ferry-upload-\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)"
        let url = FileManager.default.temporaryDirectory.appending(path: name)
        guard
            FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = try? FileHandle(forWritingTo: url)
        else { throw NetworkError(.file, "The temporary file of a body stream could not be created") }
        do {
            var written: Int64 = 0
            for try await chunk in chunks {
                if Task.isCancelled { throw NetworkError.cancelled }
                written += Int64(chunk.count)
                if let length = stream.length, written > length { throw mismatch(length, "more") }
                try file.write(contentsOf: chunk)
            }
            if Task.isCancelled { throw NetworkError.cancelled }
            if let length = stream.length, written < length { throw mismatch(length, "only \(written)") }
            try file.close()
            return url
        } catch {
            try? file.close()
            try? FileManager.default.removeItem(at: url)
            if let error = error as? NetworkError { throw error }
            if error is CancellationError || Task.isCancelled { throw .cancelled }
            throw NetworkError(.invalidBody, "The body stream failed", underlying: error)
        }
    }

    private static func mismatch(_ length: Int64, _ actual: String) -> NetworkError {
        NetworkError(.invalidBody, "The body stream declared \(length) bytes and gave \(actual)")
    }
}
