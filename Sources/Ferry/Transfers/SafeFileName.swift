package import Foundation

/// Makes a name from elsewhere safe to be created in a directory (RFC 6266 §4.3).
package enum SafeFileName {
    /// Most bytes of a name: what file systems allow, less room for a number.
    static let maxLength = 240

    /// The last path component of a suggested name without what could mislead, or nil where nothing remains.
    ///
    /// Slashes and backslashes separate components. Control characters, line separators and marks that turn the writing
    /// direction (they can disguise an extension) are removed, as are dots and white space at both ends: no `..`, no
    /// hidden file. A long name keeps its extension.
    package static func sanitized(_ name: String) -> String? {
        let separators: [Unicode.Scalar] = ["/", "\\"]
        let scalars = name.unicodeScalars
        let isHidden: (Unicode.Scalar) -> Bool = { isRemoved($0) }
        let last = scalars.split { separators.contains($0) }.last { part in
            part.contains { !isHidden($0) && !isTrimmed($0) }
        }
        guard let last else { return nil }
        var kept = Array(last.filter { !isHidden($0) })[...]
        while let first = kept.first, isTrimmed(first) { kept.removeFirst() }
        while let end = kept.last, isTrimmed(end) { kept.removeLast() }
        let text = String(String.UnicodeScalarView(kept))
        return text.isEmpty ? nil : shortened(text)
    }

    /// The name by the path of a URL, or nil where that has none.
    package static func of(_ url: URL) -> String? {
        let path = url.path(percentEncoded: true)
        guard let last = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last else {
            return nil
        }
        let text = String(decoding: last, as: UTF8.self)
        return sanitized(text.removingPercentEncoding ?? text)
    }

    /// The name for a response: suggested by the server, else that of the URL, else `download` with the extension of
    /// the media type.
    package static func of(_ head: HTTPResponse.Head) -> String {
        // Line by line: an unquoted name may have a comma, so lines that are joined cannot be told apart.
        let suggested = head.headers.values(of: "Content-Disposition").lazy.compactMap {
            ContentDisposition($0).fileName
        }
        if let name = suggested.first.flatMap(sanitized) ?? of(head.url) { return name }
        return head.contentType?.preferredExtension.map { "download.\($0)" } ?? "download"
    }

    /// The name with a number before its extension: `report 2.pdf`.
    package static func numbered(_ name: String, _ number: Int) -> String {
        let (base, suffix) = parts(name)
        return "\(base) \(number)\(suffix)"
    }

    /// What comes before the extension, and the extension with its dot; of `.tar.gz` and the like both parts.
    private static func parts(_ name: String) -> (base: String, suffix: String) {
        guard let last = FileNameExtension.of(name) else { return (name, "") }
        var suffix = "." + last
        var base = String(name.unicodeScalars.dropLast(suffix.unicodeScalars.count))
        if FileNameExtension.of(base)?.lowercased() == "tar" {
            suffix = String(base.unicodeScalars.suffix(4)) + suffix
            base = String(base.unicodeScalars.dropLast(4))
        }
        return (base, suffix)
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > maxLength else { return name }
        var (base, suffix) = parts(name)
        if suffix.utf8.count > 32 { (base, suffix) = (name, "") }
        var scalars = base.unicodeScalars[...]
        var length = base.utf8.count
        while length > maxLength - suffix.utf8.count, let last = scalars.popLast() { length -= UTF8.width(last) }
        return String(scalars) + suffix
    }

    private static func isTrimmed(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar.properties.isWhitespace
    }

    private static func isRemoved(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl || scalar == "\u{FEFF}" || scalar == "\u{200B}"
        }
    }
}
