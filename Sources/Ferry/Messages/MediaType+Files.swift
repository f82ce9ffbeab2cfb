public import Foundation

/// Media types and files: one table for every platform, and behind it, on Apple platforms, what the system knows.
extension MediaType {
    /// The media type of files with an extension, or nil where it is unknown.
    ///
    /// - Parameter fileExtension: In any case, with or without its leading dot: `json`, `.JPG`.
    public init?(fileExtension: String) {
        let bytes = fileExtension.utf8
        let name = bytes.first == UInt8(ascii: ".") ? String(Substring(bytes.dropFirst())) : fileExtension
        let key = name.lowercased()
        guard !key.isEmpty,
            let text = MediaTypeTable.rowsByExtension[key]?.type ?? SystemMediaTypes.mediaType(fileExtension: key)
        else { return nil }
        self.init(text)
    }

    /// The media type of a file by the extension of its name, or nil where it has none or an unknown one.
    ///
    /// The last extension counts: `a.tar.gz` is `application/gzip`. A name that only begins with a dot has none.
    ///
    /// - Parameter fileName: A name, or a path with slashes.
    public init?(fileName: String) {
        guard let found = FileNameExtension.of(fileName) else { return nil }
        self.init(fileExtension: found)
    }

    /// The media type of a uniform type identifier such as `public.jpeg`, or nil where it is unknown.
    public init?(uti: String) {
        guard let text = MediaTypeTable.rowsByUTI[uti.lowercased()]?.type ?? SystemMediaTypes.mediaType(uti: uti)
        else { return nil }
        self.init(text)
    }

    /// The media type of a file by its name; `application/octet-stream` where that tells nothing, as an upload needs it
    /// (RFC 7578 §4.4).
    public static func ofFile(named name: String) -> MediaType { MediaType(fileName: name) ?? .octetStream }

    /// The extension that files of this type usually have, in lower case and without a dot, or nil where the type is
    /// unknown. Parameters do not count.
    public var preferredExtension: String? {
        MediaTypeTable.rowsByType[essence]?.extensions.first ?? SystemMediaTypes.fileExtension(mediaType: essence)
    }

    /// The extensions that files of this type may have, the preferred one first; empty where the type is unknown.
    public var fileExtensions: [String] {
        MediaTypeTable.rowsByType[essence]?.extensions ?? preferredExtension.map { [$0] } ?? []
    }

    /// The uniform type identifier, or nil where the type has none that is known. Parameters do not count.
    public var uti: String? {
        if let row = MediaTypeTable.rowsByType[essence], let uti = row.uti { return uti }
        return SystemMediaTypes.uti(mediaType: essence)
    }
}

extension String {
    /// The media type of the file that this name or path names, by its extension, or nil where it is unknown.
    public var mediaType: MediaType? { MediaType(fileName: self) }
}

extension URL {
    /// The media type by the extension of the URL's path, or nil where it is unknown. Query and fragment do not count.
    public var mediaType: MediaType? { MediaType(fileName: path(percentEncoded: false)) }
}

/// The extension of file names.
package enum FileNameExtension {
    /// What follows the last dot of the last path component, or nil where there is none, where nothing follows, and
    /// where nothing is before it: `.hidden` is a name and no extension.
    package static func of(_ name: String) -> String? {
        guard let last = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last,
            let dot = last.lastIndex(of: UInt8(ascii: ".")), dot != last.startIndex
        else { return nil }
        let found = last[last.index(after: dot)...]
        return found.isEmpty ? nil : String(decoding: found, as: UTF8.self)
    }
}
