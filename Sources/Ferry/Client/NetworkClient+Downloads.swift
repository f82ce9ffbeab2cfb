public import Foundation

/// Calls whose content goes to a file.
///
/// The content grows in a hidden file beside the destination and gets its name in one step at the end: under that name
/// there is never a part. Where the server gives a strong validator (RFC 9110 §8.8.1) the partial file outlives a failure,
/// a cancel and the process, and the next download of the same call to the same place asks only for the rest. A transfer
/// that breaks goes on by itself as the retry policy says.
extension NetworkClient {
    /// Downloads to a file, with events.
    ///
    /// - Parameters:
    ///   - call: The call; GET can be resumed. Range, If-Range and, unless the call sets it, Accept-Encoding are set by
    ///     the download.
    ///   - target: A file URL: the file, or a directory in which the response names it, by Content-Disposition (RFC 6266)
    ///     or the last part of the URL, made safe. An existing directory, or a path with a slash at its end, counts as
    ///     a directory.
    ///   - options: How the file is written. Default: an existing file is replaced, and the download can be resumed.
    public nonisolated func download(
        _ call: NetworkCall, to target: URL, options: DownloadOptions = DownloadOptions()
    ) -> Download {
        Download(self, call, to: target, options: options)
    }

    /// Downloads to a file, with events; the Api's `Response` plays no part.
    public nonisolated func download(
        _ api: some Api, to target: URL, options: DownloadOptions = DownloadOptions()
    ) -> Download {
        download(api.call, to: target, options: options)
    }

    /// Downloads to a file and waits for the end.
    ///
    /// - Returns: The complete file.
    /// - Throws: `NetworkError`; besides what every call throws `file` where the file cannot be written or its name is
    ///   taken, `checksum` where the content is not what was promised, `invalidRequest` for a target that is no file URL.
    public nonisolated func downloadFile(
        _ call: NetworkCall, to target: URL, options: DownloadOptions = DownloadOptions()
    ) async throws(NetworkError) -> DownloadedFile {
        let engine = DownloadEngine(self, call, to: target, options: options)
        while true {
            switch try await engine.step() {
            case .event(.finished(let file)): return file
            case .event(.progress), .paused: continue
            case .end: throw .cancelled
            }
        }
    }

    /// Downloads to a file and waits for the end; the Api's `Response` plays no part.
    public nonisolated func downloadFile(
        _ api: some Api, to target: URL, options: DownloadOptions = DownloadOptions()
    ) async throws(NetworkError) -> DownloadedFile {
        try await downloadFile(api.call, to: target, options: options)
    }

    /// Removes what an unfinished download of this call to this place left behind.
    ///
    /// - Throws: `NetworkError` where the call or the target is not one that could be downloaded.
    public nonisolated func discardPartialDownload(_ call: NetworkCall, to target: URL) throws(NetworkError) {
        let destination = try DownloadDestination(target, options: DownloadOptions())
        let key = destination.key(for: try builder.request(for: call))
        for name in PartialFile.names(key: key) {
            try? FileManager.default.removeItem(at: destination.directory.appending(path: name))
        }
    }
}
