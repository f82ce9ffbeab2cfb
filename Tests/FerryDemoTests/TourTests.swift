import Foundation
import FerryTesting
import Synchronization
import XCTest

@testable import ferry_demo

final class TourTests: XCTestCase {
    /// Guards the lines: chapters print from their tasks.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }
        func printer(isColoured: Bool = false) -> Printer {
            Printer(isColoured: isColoured) { line in self.lines.withLock { $0.append(line) } }
        }
    }

    /// Runs chapters against a server of this process, or against the fixtures alone.
    private func run(
        _ chapters: [Chapter], embedded: Bool = true, _ printer: Printer
    ) async throws -> Tour.Tally {
        let fixtures = try FixtureFolder.find()
        let server = try await DemoServer(fixtures: fixtures)
        let stage = Stage(
            baseURL: server.loopback.baseURL, embedded: embedded ? server : nil, fixtures: fixtures, printer: printer)
        let tally = await Tour(chapters: chapters, stage: stage).run()
        await server.loopback.stop()
        return tally
    }

    func testTour_everyChapterIsOK() async throws {
        let lines = Lines()
        let tally = try await run(Chapter.all, lines.printer())
        XCTAssertEqual(tally, Tour.Tally(chapters: Chapter.all.count))
        XCTAssertEqual(lines.all.filter { $0.hasPrefix("ok ") }, Chapter.all.map { "ok \($0.name)" })
        XCTAssertEqual(lines.all.filter { $0.hasPrefix("failed ") }, [])
        XCTAssertEqual(lines.all.last, "\(Chapter.all.count) chapters, 0 failed")
        XCTAssertEqual(tally.exitCode, 0)
    }

    func testTour_withoutTheEmbeddedServerSkipsWhatNeedsIt() async throws {
        let lines = Lines()
        let tally = try await run(Chapter.all, embedded: false, lines.printer())
        let skipped = Chapter.all.filter(\.needsServer).map(\.name)
        XCTAssertEqual(tally, Tour.Tally(chapters: Chapter.all.count, failed: 0, skipped: skipped.count))
        XCTAssertEqual(
            lines.all.filter { $0.hasPrefix("skip ") }, skipped.map { "skip \($0): needs the embedded server" })
        XCTAssertEqual(lines.all.last, "\(Chapter.all.count) chapters, 0 failed, \(skipped.count) skipped")
    }

    func testTour_aFailingChapterIsCountedAndTheRestRuns() async throws {
        let failing = Chapter("failing", "fails", code: "") { try $0.expect(false, "two\nlines") }
        let lines = Lines()
        let tally = try await run([failing, .firstCall], lines.printer())
        XCTAssertEqual(tally, Tour.Tally(chapters: 2, failed: 1))
        XCTAssertEqual(tally.exitCode, 1)
        XCTAssert(lines.all.contains("failed failing: expected two lines"), "\(lines.all)")
        XCTAssert(lines.all.contains("ok first-call"))
        XCTAssertEqual(lines.all.last, "2 chapters, 1 failed")
    }

    func testTour_showsCodeWireAndResult() async throws {
        let lines = Lines()
        _ = try await run([.firstCall], lines.printer())
        XCTAssert(lines.all.contains("  let user = try await client.request(GetUser(id: 1))"), "\(lines.all)")
        XCTAssert(lines.all.contains("  > GET /users/1.json"), "\(lines.all)")
        XCTAssert(lines.all.contains { $0.hasPrefix("  < 200 OK, 169 bytes, ") }, "\(lines.all)")
        XCTAssert(lines.all.contains(#"  = User(id: 1, login: "ada", name: "Ada Byron")"#), "\(lines.all)")
    }

    func testChapters_haveNamesOfTheirOwn() {
        XCTAssertEqual(Set(Chapter.all.map(\.name)).count, Chapter.all.count)
        for chapter in Chapter.all {
            XCTAssertNotNil(chapter.name.wholeMatch(of: /[a-z]+(-[a-z]+)*/), chapter.name)
        }
    }

    func testChapters_showTheCodeThatTheyRun() throws {
        for chapter in Chapter.all {
            let source = try String(contentsOf: URL(filePath: chapter.file), encoding: .utf8)
            // In the literal a backslash is written twice; the line that runs has one.
            var written: [String: Int] = [:]
            for line in source.split(separator: "\n") {
                written[line.trimmingCharacters(in: .whitespaces).replacing("private ", with: ""), default: 0] += 1
            }
            for line in chapter.code.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
                let needed = line.contains("\\") ? 1 : 2
                XCTAssertGreaterThanOrEqual(written[line] ?? 0, needed, "\(chapter.name) does not run: \(line)")
            }
        }
    }

    func testPrinter_coloursOnATerminalAlone() {
        XCTAssert(Printer.wantsColour(isTerminal: true, environment: ["TERM": "xterm"]))
        XCTAssert(Printer.wantsColour(isTerminal: true, environment: ["NO_COLOR": ""]))
        XCTAssertFalse(Printer.wantsColour(isTerminal: true, environment: ["NO_COLOR": "1"]))
        XCTAssertFalse(Printer.wantsColour(isTerminal: true, environment: ["TERM": "dumb"]))
        XCTAssertFalse(Printer.wantsColour(isTerminal: false, environment: ["TERM": "xterm"]))
    }

    func testPrinter_stylesLinesAndKeepsControlsOut() {
        let lines = Lines()
        lines.printer(isColoured: true).sent(["GET /"])
        lines.printer(isColoured: true).ok("a")
        lines.printer().result("\u{1B}[2Jgone")
        lines.printer().failed("b", "\u{7}")
        XCTAssertEqual(
            lines.all,
            [
                "\u{1B}[33m  > GET /\u{1B}[0m", "\u{1B}[32mok\u{1B}[0m a", "", "  = ?[2Jgone", "failed b: ?", "",
            ])
    }

    func testFixtureFolder_namesEveryPlace() {
        let place = URL(filePath: "/nowhere/\(UUID().uuidString)", directoryHint: .isDirectory)
        XCTAssertThrowsError(try FixtureFolder.find(in: [place])) {
            XCTAssert("\($0)".contains(place.appending(path: "Fixtures/api").path()), "\($0)")
        }
    }

    func testDemoServer_servesFilesOfItsFolderAlone() async throws {
        let server = try await DemoServer(fixtures: try FixtureFolder.find())
        for path in ["/../README.md", "/%2e%2e/README.md", "/users%2F1.json", "/users", "/none.json"] {
            let url = try XCTUnwrap(URL(string: server.loopback.baseURL.absoluteString + path))
            let status = try await HTTPStatusProbe.status(of: url)
            XCTAssertEqual(status, 404, path)
        }
        await server.loopback.stop()
    }
}
