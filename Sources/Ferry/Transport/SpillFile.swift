import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A temporary file that only this process can read and that is gone when it is closed: created 0600, unlinked at once.
package final class SpillFile: Sendable {
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
        let result = data.withUnsafeMutableBytes { bytes in
            do throws(NetworkError) {
                var done = 0
                while done < bytes.count {
                    done += try read(
                        into: UnsafeMutableRawBufferPointer(rebasing: bytes[done...]), at: offset + Int64(done))
                }
                return Result<Void, NetworkError>.success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
        return data
    }

    /// Reads bytes from an offset, where some must be.
    ///
    /// - Returns: How many; at least one.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count > 0 { return count }
            guard count < 0, errno == EINTR else { throw Self.failure("read") }
        }
    }

    private static func failure(_ action: String) -> NetworkError {
        let reason = String(cString: strerror(errno))
        return NetworkError(.file, "Cannot \(action) the temporary file of a stream: \(reason)")
    }
}
