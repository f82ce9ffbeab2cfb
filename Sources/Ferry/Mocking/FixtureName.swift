/// What the name of a fixture tells: whether it is safe, and what kind of file it is.
package enum FixtureName {
    /// Why a name is refused, or nil where it is a relative path that stays below its source.
    ///
    /// Judges bytes: a combining mark after a slash would hide it from a test by Character.
    package static func flaw(in name: String) -> String? {
        if name.isEmpty { return "it is empty" }
        if name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "it has a control character" }
        if name.utf8.contains(UInt8(ascii: "\\")) { return "it has a backslash; parts are separated by slashes" }
        if name.utf8.first == UInt8(ascii: "/") { return "it is an absolute path" }
        for part in name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if part.isEmpty { return "it has an empty part" }
            if part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8) {
                return "it has a part of dots alone"
            }
        }
        return nil
    }

    /// Whether the file holds a whole response with its head.
    package static func isRawResponse(_ name: String) -> Bool { fileExtension(of: name) == "http" }

    /// The media type by the extension; `application/octet-stream` for any other.
    package static func mediaType(of name: String) -> MediaType {
        mediaTypes[fileExtension(of: name)].flatMap { MediaType($0) } ?? .octetStream
    }

    /// What fixtures are usually made of; text is UTF-8, as files in a repository are.
    private static let mediaTypes = [
        "json": "application/json", "ndjson": "application/x-ndjson", "jsonl": "application/x-ndjson",
        "txt": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8",
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8",
        "csv": "text/csv; charset=utf-8", "xml": "application/xml", "sse": "text/event-stream",
        "js": "text/javascript", "css": "text/css", "pdf": "application/pdf", "zip": "application/zip",
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
        "svg": "image/svg+xml",
    ]

    /// The extension in lower case, without its dot; empty where there is none.
    private static func fileExtension(of name: String) -> String {
        let last = name.utf8.split(separator: UInt8(ascii: "/")).last ?? Substring(name).utf8
        guard let dot = last.lastIndex(of: UInt8(ascii: ".")), dot != last.startIndex else { return "" }
        return String(decoding: last[last.index(after: dot)...], as: UTF8.self).lowercased()
    }
}
