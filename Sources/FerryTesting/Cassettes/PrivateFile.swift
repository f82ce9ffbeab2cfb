import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Android)
    import Android
#endif

/// Files of mode 0600. Foundation makes them readable for others and changes the mode afterwards.
enum PrivateFile {
    /// Replaces a file in one step: whoever reads it sees the old content or the new one.
    static func write(_ data: Data, to file: URL) throws {
        let path = file.path(percentEncoded: false)
        let temporary = path + ".new-\(UUID().uuidString)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure() }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: data)
            try handle.close()
            guard rename(temporary, path) == 0 else { throw failure() }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private static func failure() -> NSError { NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
}
