package import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The end of a download: the partial file becomes the file that was asked for.
extension PartialFile {
    /// Gives the file its final name and closes it.
    ///
    /// - Parameters:
    ///   - name: The name in the same directory.
    ///   - conflict: What happens where something has that name.
    ///   - permissions: Its mode, or nil to leave it.
    /// - Returns: Where the file is now.
    package func place(
        as name: String, conflict: DownloadOptions.Conflict, permissions: Int?
    ) throws(NetworkError) -> URL {
        if let permissions, withDescriptor({ fchmod($0, mode_t(permissions)) }) != 0 {
            throw Self.failure("set the permissions of a downloaded file")
        }
        var placed = directory.appending(path: name)
        switch conflict {
        case .replace:
            // Once renamed, the old name may be another download's: it must not be removed.
            guard rename(path, placed.path(percentEncoded: false)) == 0 else {
                throw Self.failure("put a downloaded file in its place")
            }
        case .fail:
            guard try claim(placed) else { throw Self.conflict(name) }
        case .rename:
            var number = 2
            while try !claim(placed) {
                placed = directory.appending(path: SafeFileName.numbered(name, number))
                number += 1
            }
        }
        closePlaced()
        return placed
    }

    static func conflict(_ name: String) -> NetworkError {
        NetworkError(.file, "There is a file \(name.debugDescription) already")
    }

    /// Gives the file a name unless it is taken, in one step.
    private func claim(_ place: URL) throws(NetworkError) -> Bool {
        let target = place.path(percentEncoded: false)
        if link(path, target) == 0 {
            unlink(path)
            return true
        }
        switch errno {
        case EEXIST: return false
        case EPERM, ENOTSUP, EOPNOTSUPP, EMLINK, ENOSYS:
            // A file system without hard links: an empty file takes the name, then ours replaces it.
            let descriptor = systemOpen(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EEXIST { return false }
            guard descriptor >= 0 else { break }
            systemClose(descriptor)
            if rename(path, target) == 0 { return true }
        default: break
        }
        throw Self.failure("put a downloaded file in its place")
    }
}
