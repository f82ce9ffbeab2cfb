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
    package static func isRawResponse(_ name: String) -> Bool {
        FileNameExtension.of(name)?.lowercased() == "http"
    }

    /// The media type by the extension; `application/octet-stream` for any other. Text that people write is UTF-8, as
    /// files in a repository are.
    package static func mediaType(of name: String) -> MediaType {
        let type = MediaType.ofFile(named: name)
        guard utf8Texts.contains(type.essence) else { return type }
        return MediaType(type: type.type, subtype: type.subtype, parameters: [("charset", "utf-8")]) ?? type
    }

    private static let utf8Texts: Set = ["text/plain", "text/markdown", "text/html", "text/csv"]
}
