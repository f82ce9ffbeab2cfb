package import Foundation

/// Where a download goes: a file, or a directory in which the response names it.
package struct DownloadDestination: Hashable, Sendable {
    /// The directory.
    package let directory: URL
    /// The name of the file, or nil where the response gives it.
    package let name: String?

    /// Looks at the place without changing anything but, where asked to, creating directories.
    ///
    /// - Parameters:
    ///   - url: A file URL; an existing directory, or one whose path ends with a slash, counts as a directory.
    ///   - options: How the file is written.
    /// - Throws: `NetworkError`: `invalidRequest` for a URL that is no file or permissions that are none, `file` for a
    ///   missing directory, or for a name that is taken where that must not be.
    package init(_ url: URL, options: DownloadOptions) throws(NetworkError) {
        if let mode = options.permissions, !(0...0o7777).contains(mode) {
            throw NetworkError(.invalidRequest, "The permissions of a download are no mode of a file: \(mode)")
        }
        let path = url.path(percentEncoded: false)
        guard url.isFileURL, !path.isEmpty, !path.utf8.contains(0) else {
            throw NetworkError(.invalidRequest, "The destination of a download is not a file URL")
        }
        var isDirectory = url.hasDirectoryPath
        if !isDirectory { isDirectory = Self.kind(of: path) == .directory }
        directory = isDirectory ? url : url.deletingLastPathComponent()
        name = isDirectory ? nil : url.lastPathComponent
        let folder = directory.path(percentEncoded: false)
        switch Self.kind(of: folder) {
        case .directory: break
        case .missing where options.createsDirectories:
            do {
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            } catch {
                throw NetworkError(.file, "Cannot create the directory \(folder)", underlying: error)
            }
        case .missing: throw NetworkError(.file, "There is no directory \(folder)")
        case .file: throw NetworkError(.file, "\(folder) is not a directory")
        }
        if let name { try check(name, options) }
    }

    /// Refuses a name that is taken where that must not be.
    package func check(_ name: String, _ options: DownloadOptions) throws(NetworkError) {
        switch Self.kind(of: directory.appending(path: name).path(percentEncoded: false)) {
        case .missing: break
        case .file: if options.onConflict == .fail { throw PartialFile.conflict(name) }
        case .directory:
            if options.onConflict != .rename {
                throw NetworkError(.file, "There is a directory \(name.debugDescription) already")
            }
        }
    }

    /// What names the partial file: the request and the file's name, where that is known beforehand.
    package func key(for request: HTTPRequest) -> String {
        let text = "\(request.method) \(request.url.absoluteString)\n\(name ?? "")"
        return String(Hex.text(SHA256.digest(text.utf8)).prefix(32))
    }

    private enum Kind { case missing, file, directory }

    private static func kind(of path: String) -> Kind {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { return .missing }
        return isDirectory.boolValue ? .directory : .file
    }
}
