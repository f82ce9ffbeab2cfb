import Foundation
import XCTest

/// The documents link to what is there, and the guides keep their form.
final class DocumentationTests: XCTestCase {
    /// Every Markdown file of the repository, by its path.
    private func documents() throws -> [String: String] {
        let root = Repository.root
        var found: [String: String] = [:]
        for place in ["", "Docs", "Fixtures", "Sources", "Tests", ".ci"] {
            let folder = place.isEmpty ? root : root.appending(path: place)
            let names =
                place.isEmpty
                ? try FileManager.default.contentsOfDirectory(atPath: folder.path)
                : try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            for name in names where name.hasSuffix(".md") && !name.contains(".build/") {
                found[place.isEmpty ? name : "\(place)/\(name)"] = try String(
                    contentsOf: folder.appending(path: name), encoding: .utf8)
            }
        }
        return found
    }

    func testLinks_resolve() throws {
        let documents = try documents()
        XCTAssertGreaterThan(documents.count, 40)
        let parsed = documents.mapValues(MarkdownLinks.init)
        for (path, content) in parsed.sorted(by: { $0.key < $1.key }) {
            for link in content.links {
                // A scheme: https, mailto, doc.
                if link.target.contains(#/^[A-Za-z][A-Za-z0-9+.-]*:/#) { continue }
                let parts = link.target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let base = URL(filePath: "/" + path).deletingLastPathComponent()
                let target =
                    parts[0].isEmpty
                    ? path : String(base.appending(path: String(parts[0])).standardized.path.dropFirst())
                let name = "\(path):\(link.line): \(link.target)"
                guard FileManager.default.fileExists(atPath: Repository.root.appending(path: target).path) else {
                    XCTFail("\(name) leads nowhere")
                    continue
                }
                guard parts.count > 1 else { continue }
                XCTAssertEqual(parsed[target]?.anchors.contains(String(parts[1])), true, "\(name) has no such heading")
            }
        }
    }

    func testLandingPage_leadsToEachGuide() throws {
        let documents = try documents()
        let landing = MarkdownLinks(try XCTUnwrap(documents["Docs/README.md"])).links.map(\.target)
        XCTAssertEqual(landing.count, Set(landing).count, "a guide is there twice")
        for path in documents.keys.sorted() where path.hasPrefix("Docs/") && path != "Docs/README.md" {
            let name = path.dropFirst("Docs/".count)
            // A folder has an index of its own.
            guard !name.contains("/") else { continue }
            XCTAssertTrue(landing.contains(String(name)), "Docs/README.md does not lead to \(name)")
        }
        for folder in ["Decisions", "ComingFrom"] {
            let index = MarkdownLinks(try XCTUnwrap(documents["Docs/\(folder)/README.md"])).links.map(\.target)
            for path in documents.keys where path.hasPrefix("Docs/\(folder)/") && !path.hasSuffix("/README.md") {
                let name = String(path.dropFirst("Docs/\(folder)/".count))
                XCTAssertTrue(index.contains(name), "Docs/\(folder)/README.md does not lead to \(name)")
            }
        }
    }

    /// A problem, a sample, traps, and where source and tests are.
    func testGuides_keepTheirForm() throws {
        let guides = [
            "FirstCall", "Describing", "Parameters", "Errors", "Timeouts", "Retry", "Authorization", "Composition",
            "Paging",
            "Throttling", "Reachability", "Redirects", "Caching", "Cookies", "Uploads", "Downloads", "MediaTypes",
            "Streams", "Events", "Logging", "Observability", "Interceptors", "UI", "Mocking", "Testing",
            "LoopbackServer", "Linux", "FerryCurl", "Security", "Performance",
        ]
        let documents = try documents()
        for guide in guides {
            let text = try XCTUnwrap(documents["Docs/\(guide).md"], guide)
            let opening = text.prefix { $0 != "`" }.split(separator: "\n").dropFirst()
            XCTAssertFalse(opening.isEmpty, "\(guide) does not open with a problem")
            XCTAssertTrue(text.contains("```"), "\(guide) has no sample")
            XCTAssertTrue(text.contains("\n## Traps"), "\(guide) has no traps")
            let targets = MarkdownLinks(text).links.map(\.target)
            XCTAssertTrue(targets.contains { $0.hasPrefix("../Sources/") }, "\(guide) links no source")
            XCTAssertTrue(targets.contains { $0.hasPrefix("../Tests/") }, "\(guide) links no tests")
        }
    }

    func testMarkdown_linksAndAnchors() {
        let text = """
            # A *first* one: `x` & [y](z.md)
            See [a](one.md), [b](two.md#part "title") and `no[0](three.md)`.
            ```swift
            let fenced = [f](x)
            ```
            ## Twice
            ## Twice
            [later]: four.md
            """
        let markdown = MarkdownLinks(text)
        XCTAssertEqual(
            markdown.links,
            [
                .init(target: "z.md", line: 1), .init(target: "one.md", line: 2), .init(target: "two.md#part", line: 2),
                .init(target: "four.md", line: 8),
            ])
        XCTAssertEqual(markdown.anchors, ["a-first-one-x--y", "twice", "twice-1"])
    }
}
