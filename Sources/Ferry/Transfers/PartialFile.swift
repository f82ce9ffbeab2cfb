package import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file that a download grows in, beside its destination, so that the last step is a rename in one directory.
///
///     .ferry-<key>.part    the bytes so far, locked while a download writes
///     .ferry-<key>.json    the record: validator, length, name; absent where the partial file cannot be resumed
///
/// The key follows from what is asked for and where it goes, so a later process finds both. The record is written before
/// the first byte that it describes, and the file is emptied before a record is replaced: whenever the process ends,
/// what is left is consistent.
package final class PartialFile: Sendable {
    /// The directory of the destination.
    package let directory: URL
    let path: String
    /// Nil where another download holds the name that a later one looks for.
    private let recordFile: RecordFile?
    /// Guards the descriptor, which is closed once, by whoever comes first: the download, or who leaves it.
    private let state: Mutex<State>

    private struct State {
        var descriptor: Int32
        var isKept = false
    }

    /// Bytes that are hashed without looking whether the download is still wanted.
    private static let digestStep: Int64 = 8 << 20

    private static let queue = DispatchQueue(label: "ferry.download.files", attributes: .concurrent)

    /// Opens or creates the file and locks it.
    ///
    /// - Parameters:
    ///   - directory: Where; it must exist.
    ///   - key: Says what the file is a part of.
    ///   - isPrivate: Whether only this user may read it from the start.
    /// - Throws: `NetworkError` of kind `file`.
    package init(in directory: URL, key: String, isPrivate: Bool) throws(NetworkError) {
        self.directory = directory
        let base = directory.path(percentEncoded: false) + "/.ferry-\(key)"
        if let descriptor = try Self.open(base + ".part", isPrivate) {
            path = base + ".part"
            recordFile = RecordFile(path: base + ".json")
            state = Mutex(State(descriptor: descriptor))
            return
        }
        path = base + "-" + UUID().uuidString + ".part"
        guard let descriptor = try Self.open(path, isPrivate) else {
            throw NetworkError(.file, "The partial file of a download is in use")
        }
        recordFile = nil
        state = Mutex(State(descriptor: descriptor))
    }

    deinit { close() }

    /// The names that a download leaves behind, for whoever clears them.
    package static func names(key: String) -> [String] { [".ferry-\(key).part", ".ferry-\(key).json"] }

    /// Whether the file has the name that a later download looks for. Not where another download holds that.
    package var isShared: Bool { recordFile != nil }

    /// The record beside the file, or nil where there is none that can be read.
    package var record: DownloadRecord? { recordFile?.load() }

    /// Replaces the record in one step; nil removes it.
    package func setRecord(_ record: DownloadRecord?) throws(NetworkError) {
        if let record { try recordFile?.store(record) } else { recordFile?.remove() }
    }

    /// Whether the partial file and its record stay when the file is closed. Default false.
    package func keep(_ isKept: Bool) { state.withLock { $0.isKept = isKept && isShared } }

    /// Gives the file back, and removes it unless it is kept. Later calls do nothing.
    package func close() {
        let old = state.withLock { state in
            defer { state.descriptor = -1 }
            return state
        }
        guard old.descriptor >= 0 else { return }
        if !old.isKept {
            recordFile?.remove()
            unlink(path)
        }
        systemClose(old.descriptor)
    }

    /// Closes the file, which is no partial one any more.
    func closePlaced() {
        recordFile?.remove()
        state.withLock { $0.isKept = true }
        close()
    }

    /// Bytes of the file.
    package var length: Int64 {
        var status = stat()
        return withDescriptor { fstat($0, &status) } == 0 ? Int64(status.st_size) : 0
    }

    /// Cuts the file.
    package func truncate(to length: Int64) throws(NetworkError) {
        guard withDescriptor({ ftruncate($0, off_t(length)) }) == 0 else { throw Self.failure("cut a partial file") }
    }

    /// Writes chunks one after the other, on a thread where waiting for the disk holds nobody up.
    package func write(_ chunks: [Data], at offset: Int64) async throws(NetworkError) {
        try await Self.offloaded { () throws(NetworkError) in
            var position = offset
            for chunk in chunks {
                try self.write(chunk, at: position)
                position += Int64(chunk.count)
            }
        }
    }

    /// The SHA-256 of a part of the file.
    ///
    /// - Throws: `NetworkError` of kind `file`; `cancelled` soon after the task is cancelled.
    package func digest(of range: Range<Int64>) async throws(NetworkError) -> [UInt8] {
        var hash = SHA256()
        var position = range.lowerBound
        while position < range.upperBound {
            if Task.isCancelled { throw .cancelled }
            let (piece, soFar) = (position..<min(range.upperBound, position + Self.digestStep), hash)
            hash = try await Self.offloaded { () throws(NetworkError) in try self.digest(of: piece, after: soFar) }
            position = piece.upperBound
        }
        return hash.finish()
    }

    private func digest(of range: Range<Int64>, after start: SHA256) throws(NetworkError) -> SHA256 {
        var hash = start
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let wanted = Int(min(Int64(buffer.count), range.upperBound - position))
            let count = withDescriptor { pread($0, buffer.baseAddress, wanted, off_t(position)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("read a partial file") }
            hash.update(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
            position += Int64(count)
        }
        return hash
    }

    private func write(_ chunk: Data, at offset: Int64) throws(NetworkError) {
        var done = 0
        while done < chunk.count {
            let count = chunk.withUnsafeBytes { bytes in
                withDescriptor {
                    pwrite($0, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset) + off_t(done))
                }
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("write a partial file") }
            done += count
        }
    }

    /// The descriptor stays open as long as the download, which alone reads and writes, is not over.
    func withDescriptor<Value>(_ body: (Int32) -> Value) -> Value { body(state.withLock { $0.descriptor }) }

    /// Opens and locks a file; nil where somebody else has it locked.
    private static func open(_ path: String, _ isPrivate: Bool) throws(NetworkError) -> Int32? {
        // Twice is rare: the holder of the lock renamed or removed the file between opening and locking.
        for _ in 0..<100 {
            let descriptor = systemOpen(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, isPrivate ? 0o600 : 0o666)
            guard descriptor >= 0 else { throw failure("create a file in the directory of a download") }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                systemClose(descriptor)
                return nil
            }
            var opened = stat()
            var named = stat()
            if fstat(descriptor, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino,
                opened.st_dev == named.st_dev
            {
                return descriptor
            }
            systemClose(descriptor)
        }
        return nil
    }

    /// What the last function of the C library said.
    static func failure(_ action: String) -> NetworkError {
        let code = errno
        return NetworkError(
            .file, "Cannot \(action): \(String(cString: strerror(code)))",
            underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(code)))
    }

    private static func offloaded<Value: Sendable>(
        _ body: @escaping @Sendable () throws(NetworkError) -> Value
    ) async throws(NetworkError) -> Value {
        let result: Result<Value, NetworkError> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(NetworkError) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}

// The functions of the C library whose names the type's own hide.
func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
func systemClose(_ descriptor: Int32) { _ = close(descriptor) }
