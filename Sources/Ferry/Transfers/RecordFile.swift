import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file of a download's record, beside the partial file that it describes.
struct RecordFile: Sendable {
    let path: String

    private static let limit = 64 << 10

    /// The record, or nil where there is none that can be read.
    func load() -> DownloadRecord? { contents().flatMap { try? JSONDecoder().decode(DownloadRecord.self, from: $0) } }

    /// The bytes of a regular file that is not too large; nothing is read through a link, from a pipe or a device, which
    /// somebody else may have put there.
    private func contents() -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) < Self.limit
        else { return nil }
        var data = Data(count: Int(status.st_size))
        let count = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return count == data.count ? data : nil
    }

    /// Replaces the record in one step.
    ///
    /// - Throws: `NetworkError` of kind `file`.
    func store(_ record: DownloadRecord) throws(NetworkError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(record) else {
            throw NetworkError(.file, "The record of a partial file cannot be encoded")
        }
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw PartialFile.failure("create the record of a partial file") }
        let count = data.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        guard count == data.count, rename(temporary, path) == 0 else {
            let error = PartialFile.failure("write the record of a partial file")
            unlink(temporary)
            throw error
        }
    }

    func remove() { unlink(path) }
}
