package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A file that is to be sent.
package enum BodyFile {
    /// Checks that a file can be sent, without opening it: opening a pipe would block.
    ///
    /// - Parameter url: A file URL; symbolic links are followed.
    /// - Returns: Its size in bytes.
    /// - Throws: `NetworkError` of kind `invalidBody`, naming the last component of the path, unless it is a regular file
    ///   that may be read.
    @discardableResult
    package static func check(_ url: URL) throws(NetworkError) -> Int64 {
        guard url.isFileURL else { throw NetworkError(.invalidBody, "The body's URL is not a file URL") }
        let name = url.lastPathComponent
        let path = url.path(percentEncoded: false)
        // A NUL would end the path early and name another file.
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw NetworkError(.invalidBody, "The body's file URL has no valid path")
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            let reason =
                switch errno {
                case ENOENT, ENOTDIR: "does not exist"
                case EACCES, EPERM: "cannot be read"
                case ELOOP: "is a link that leads nowhere"
                default: "cannot be looked at"
                }
            throw NetworkError(.invalidBody, "The body's file \(name) \(reason)")
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw NetworkError(.invalidBody, "The body's file \(name) is a directory")
        default: throw NetworkError(.invalidBody, "The body's file \(name) is not a regular file")
        }
        guard access(path, R_OK) == 0 else {
            throw NetworkError(.invalidBody, "The body's file \(name) cannot be read")
        }
        return Int64(status.st_size)
    }
}
