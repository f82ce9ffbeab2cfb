import Foundation
import XCTest

/// What doc comments and tutorials show step by step is what the tests of this folder run: word for word, all of it, in
/// order. A story that is changed in one place alone fails here; its results are asserted where it runs.
final class StorySourcesTests: XCTestCase {
    /// The types that a newcomer meets first.
    private let main = [
        "NetworkClient", "Api", "NetworkCall", "RetryPolicy", "ServerSentEvents", "Pages", "MultipartForm",
        "ResponseCache", "MockTransport", "LoopbackServer",
    ]

    private func swiftFiles(below folder: String) throws -> [(name: String, source: String)] {
        let root = Repository.root.appending(path: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }.sorted()
            .map { ($0, try String(contentsOf: root.appending(path: $0), encoding: .utf8)) }
    }

    private func regions() throws -> [String: [String]] {
        let files = try swiftFiles(below: "Tests/FerryTests/Tutorials").filter { $0.name != "StorySourcesTests.swift" }
        return files.reduce(into: [:]) { all, file in
            all.merge(StorySources.regions(in: file.source)) { $0 + $1 }
        }
    }

    private func assertSame(_ shown: [String], _ run: [String], of name: String) {
        XCTAssertEqual(shown.count, run.count, "\(name) shows \(shown.count) steps, and \(run.count) are run")
        for (number, (shown, run)) in zip(shown, run).enumerated() where shown != run {
            let lines = zip(shown.components(separatedBy: "\n") + [""], run.components(separatedBy: "\n") + [""])
            let (first, second) = lines.first { $0 != $1 } ?? (shown, run)
            XCTFail("\(name), step \(number + 1): shown is `\(first)`, run is `\(second)`")
        }
    }

    func testDocComments_showWhatIsRun() throws {
        let run = try regions()
        var shown: [String: [String]] = [:]
        for file in try swiftFiles(below: "Sources") {
            shown.merge(StorySources.stories(in: file.source)) { $0 + $1 }
        }
        XCTAssertEqual(Set(main).subtracting(shown.keys), [], "These tell no story")
        for (name, steps) in shown {
            XCTAssertGreaterThan(steps.count, 2, name)
            assertSame(steps, run[name] ?? [], of: name)
        }
    }

    /// The whole files that the last step of a tutorial's section shows.
    func testTutorials_showWhatIsRun() throws {
        let run = try regions().filter { $0.key.hasSuffix(".swift") }
        XCTAssertFalse(run.isEmpty)
        let resources = Repository.root.appending(path: "Sources/Ferry/Ferry.docc/Resources")
        for (name, regions) in run {
            let file = try String(contentsOf: resources.appending(path: name), encoding: .utf8)
            let code = file.components(separatedBy: "\n").filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
            assertSame([code.trimmingCharacters(in: .newlines)], regions, of: name)
        }
    }

    func testStories_areFound() {
        let source = """
            /// A type.
            ///
            /// ```swift
            /// notPartOfIt()
            /// ```
            ///
            /// ## Step by step
            ///
            /// One:
            ///
            /// ```swift
            /// if x {
            ///     y()
            ///
            ///     z()
            /// }
            /// ```
            ///
            /// ```swift
            /// two()
            /// ```
            @MainActor
            public final class Ship<Cargo>: Vessel {
                /// ## Step by step
                var x = 1
            }
            """
        XCTAssertEqual(
            StorySources.stories(in: source), ["Ship": ["if x {\n    y()\n\n    z()\n}", "two()"]])
        let test = """
                    // story: Ship
                    if x {
                        y()

                        z()
                    }
                    // end
                    assert()
                    // story: Ship
                    two()
                    // end
            """
        XCTAssertEqual(StorySources.regions(in: test), StorySources.stories(in: source))
    }
}
