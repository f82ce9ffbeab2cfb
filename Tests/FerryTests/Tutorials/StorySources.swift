import Foundation

/// Finds stories: the code that a doc comment shows step by step, and the code that a test runs.
enum StorySources {
    /// The heading of a doc comment behind which every sample belongs to the story.
    static let heading = "## Step by step"

    /// The regions of a test file by the story that they belong to, in order: what stands between `// story: <name>` and
    /// `// end`, moved to the margin.
    static func regions(in source: String) -> [String: [String]] {
        var regions: [String: [String]] = [:]
        var name: String?
        var lines: [Substring] = []
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("// story: ") {
                name = String(text.dropFirst("// story: ".count))
                lines = []
            } else if let story = name, text == "// end" {
                regions[story, default: []].append(atTheMargin(lines))
                name = nil
            } else if name != nil {
                lines.append(line)
            }
        }
        return regions
    }

    /// The stories in the doc comments of a source file, by the types that they belong to.
    static func stories(in source: String) -> [String: [String]] {
        var stories: [String: [String]] = [:]
        var comment: [Substring] = []
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("///") {
                comment.append(text.dropFirst(3).first == " " ? text.dropFirst(4) : text.dropFirst(3))
                continue
            }
            // Attributes stand between a comment and its declaration.
            if text.hasPrefix("@") { continue }
            if let begin = comment.firstIndex(where: { $0 == heading }), let type = typeName(text) {
                stories[type] = fences(comment[begin...])
            }
            comment = []
        }
        return stories
    }

    private static func fences(_ lines: ArraySlice<Substring>) -> [String] {
        var fences: [String] = []
        var code: [Substring]?
        for line in lines {
            if line == "```swift" {
                code = []
            } else if line == "```", let block = code {
                fences.append(block.joined(separator: "\n"))
                code = nil
            } else {
                code?.append(line)
            }
        }
        return fences
    }

    private static func typeName(_ declaration: Substring) -> String? {
        let words = declaration.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        guard let keyword = words.firstIndex(where: { ["struct", "class", "actor", "enum", "protocol"].contains($0) }),
            keyword + 1 < words.count
        else { return nil }
        return String(words[keyword + 1])
    }

    private static func atTheMargin(_ lines: [Substring]) -> String {
        let indents = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }
        let margin = indents.min() ?? 0
        return lines.map { $0.dropFirst(min(margin, $0.count)) }.joined(separator: "\n")
    }
}
