import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Android)
    import Android
#endif

/// A temporary file with a name, for what URLSession must open itself: mode 0600, removed at the latest when this goes.
///
/// It is locked as long as it lives (flock), and its name tells its process. A process that died leaves the file
/// without the lock: so a later one knows what to clear, also where process numbers mean little, as between containers.
final class TemporaryFile: Sendable {
    private static let prefix = "ferry-upload-"

    /// Where it is.
    let url: URL
    private let descriptor: Int32

    /// Creates an empty file in the temporary directory.
    ///
    /// - Throws: `NetworkError` of kind `file`.
    init() throws(NetworkError) {
        let process = ProcessInfo.processInfo.processIdentifier
        url = FileManager.default.temporaryDirectory.appending(
            path: "\(Self.prefix)\(process)-\(UUID().uuidString)", directoryHint: .notDirectory)
        descriptor = open(url.path(percentEncoded: false), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("create") }
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
    }

    deinit {
        remove()
        close(descriptor)
    }

    /// Takes its name from the directory, once or more often; whoever has it open may read on.
    func remove() { unlink(url.path(percentEncoded: false)) }

    /// Adds bytes at the end.
    ///
    /// - Throws: `NetworkError` of kind `file`, for instance where the disk is full.
    func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkError) {
        var done = 0
        while done < bytes.count {
            let count = Self.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("write") }
            done += count
        }
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
            Musl.write(descriptor, bytes, count)
        #elseif canImport(Darwin)
            Darwin.write(descriptor, bytes, count)
        #else
            Android.write(descriptor, bytes, count)
        #endif
    }

    private static func failure(_ action: String) -> NetworkError {
        let reason = String(cString: strerror(errno))
        return NetworkError(.file, "Cannot \(action) the temporary file of a request body: \(reason)")
    }

    // MARK: Left-overs

    /// Removes the files that processes left behind which died; at most once a process, for later calls do nothing.
    static func removeLeftOversOnce() { _ = leftOvers }

    private static let leftOvers: Void = removeLeftOvers(in: FileManager.default.temporaryDirectory)

    /// Removes the files of dead processes in a directory.
    static func removeLeftOvers(in directory: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))) ?? []
        for name in names where name.hasPrefix(prefix) {
            let digits = name.dropFirst(prefix.count).prefix { $0 != "-" }
            guard let process = Int32(digits), process > 0, isDead(process) else { continue }
            let path = directory.appending(path: name).path(percentEncoded: false)
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
    }

    private static func isDead(_ process: Int32) -> Bool { kill(process, 0) != 0 && errno == ESRCH }
}
