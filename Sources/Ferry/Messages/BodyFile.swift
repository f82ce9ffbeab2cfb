package import Foundation

/// Checks a file that is to be a request's body.
package enum BodyFile {
    /// The size of a readable regular file, in bytes; symbolic links are followed.
    ///
    /// - Throws: `NetworkError` of kind `invalidBody`, naming the file's last path component alone.
    package static func size(of url: URL) throws(NetworkError) -> Int64 {
        guard url.isFileURL else { throw NetworkError(.invalidBody, "The body's URL is not a file URL") }
        let name = url.lastPathComponent
        let path = url.resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
            throw NetworkError(.invalidBody, "The body's file \(name) does not exist")
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw NetworkError(.invalidBody, "The body's file \(name) is not a regular file")
        }
        guard FileManager.default.isReadableFile(atPath: path), let size = attributes[.size] as? NSNumber else {
            throw NetworkError(.invalidBody, "The body's file \(name) cannot be read")
        }
        return size.int64Value
    }
}
