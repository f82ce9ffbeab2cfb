import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A temporary file that only this process can read and that is gone when it is closed: created 0600, unlinked at once.
final class SpillFile: Sendable {
    private let descriptor: Int32

    /// Creates the file in the temporary directory.
    init() throws(NetworkError) {
        var template = Array((NSTemporaryDirectory() + "/ferry-stream-XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw Self.failure("create") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
    }

    deinit { close(descriptor) }

    /// Writes all bytes at an offset.
    func write(_ data: Data, at offset: Int64) throws(NetworkError) {
        let isWritten = data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = pwrite(
                    descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset) + off_t(done))
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
        guard isWritten else { throw Self.failure("write") }
    }

    /// Reads exactly `count` bytes from an offset.
    func read(_ count: Int, at offset: Int64) throws(NetworkError) -> Data {
        var data = Data(count: count)
        let isRead = data.withUnsafeMutableBytes { bytes in
            var done = 0
            while done < bytes.count {
                let got = pread(
                    descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset) + off_t(done))
                if got < 0 && errno == EINTR { continue }
                guard got > 0 else { return false }
                done += got
            }
            return true
        }
        guard isRead else { throw Self.failure("read") }
        return data
    }

    private static func failure(_ action: String) -> NetworkError {
        let reason = String(cString: strerror(errno))
        return NetworkError(.file, "Cannot \(action) the temporary file of a response stream: \(reason)")
    }
}
