import Foundation

/// What a check of links needs to know of a Markdown file: where it links to, and which headings can be linked to.
///
/// Fenced blocks and inline code are no text: `names[0](x)` in them is no link.
struct MarkdownLinks {
    /// A link with the line that it is in, from 1.
    struct Link: Equatable {
        let target: String
        let line: Int
    }

    let links: [Link]
    /// The anchors of the headings, as GitHub makes them.
    let anchors: Set<String>

    init(_ text: String) {
        var links: [Link] = []
        var anchors: Set<String> = []
        var fence: String?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let bare = line.trimmingCharacters(in: .whitespaces)
            if let open = fence {
                if bare.hasPrefix(open) { fence = nil }
                continue
            }
            if let mark = ["```", "~~~"].first(where: { bare.hasPrefix($0) }) {
                fence = mark
                continue
            }
            if let heading = Self.heading(bare) {
                let slug = Self.slug(heading)
                let number = (1...).first { !anchors.contains("\(slug)-\($0)") } ?? 1
                anchors.insert(anchors.contains(slug) ? "\(slug)-\(number)" : slug)
            }
            links += Self.targets(in: Self.withoutCode(String(line))).map { Link(target: $0, line: index + 1) }
        }
        self.links = links
        self.anchors = anchors
    }

    /// The text of an ATX heading, or nil.
    private static func heading(_ line: String) -> String? {
        let level = line.prefix { $0 == "#" }.count
        guard (1...6).contains(level), line.dropFirst(level).first == " " else { return nil }
        return line.dropFirst(level + 1).trimmingCharacters(in: .whitespaces)
    }

    /// Lower case, letters, digits, hyphens and underscores alone, blanks as hyphens; of a link its text.
    private static func slug(_ heading: String) -> String {
        let text = heading.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { String($0.output.1) }
        return String(
            text.lowercased().compactMap { character in
                if character == " " { return "-" }
                return character.isLetter || character.isNumber || "-_".contains(character) ? character : nil
            })
    }

    private static func withoutCode(_ line: String) -> String {
        line.replacing(#/`[^`]*`/#) { _ in "code" }
    }

    private static func targets(in line: String) -> [String] {
        let inline = line.matches(of: #/\]\(\s*<?([^)\s>]+)>?[^)]*\)/#).map { String($0.output.1) }
        let reference = line.firstMatch(of: #/^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$/#).map { String($0.output.1) }
        return inline + (reference.map { [$0] } ?? [])
    }
}
