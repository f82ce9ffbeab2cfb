// Tour: runs the chapters and shows them. It may name Ferry and FerryTesting; a chapter knows it through Stage alone.

import Ferry
import FerryTesting
import Foundation

/// A run of some chapters.
struct Tour: Sendable {
    /// How many chapters ended how.
    struct Tally: Equatable {
        var chapters = 0
        var failed = 0
        var skipped = 0

        /// The last line of a run.
        var summary: String {
            "\(chapters) chapters, \(failed) failed" + (skipped > 0 ? ", \(skipped) skipped" : "")
        }

        /// 1 where a chapter failed.
        var exitCode: Int32 { failed > 0 ? 1 : 0 }
    }

    let chapters: [Chapter]
    let stage: Stage

    /// Runs the chapters in order and prints one outcome for each and the summary.
    func run() async -> Tally {
        var tally = Tally(chapters: chapters.count)
        for chapter in chapters {
            stage.printer.heading(chapter.name, chapter.title)
            if chapter.needsServer, stage.embedded == nil {
                stage.printer.skip(chapter.name)
                tally.skipped += 1
                continue
            }
            stage.printer.code(chapter.code)
            do {
                try await chapter.run(stage)
                stage.printer.ok(chapter.name)
            } catch {
                stage.printer.failed(chapter.name, "\(error)")
                tally.failed += 1
            }
        }
        stage.printer.write(tally.summary)
        return tally
    }

    /// The whole program.
    ///
    /// - Parameters:
    ///   - arguments: What follows the program's name.
    ///   - environment: The environment variables.
    /// - Returns: The exit code.
    static func main(_ arguments: [String], environment: [String: String]) async -> Int32 {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let isColoured = Printer.wantsColour(isTerminal: isTerminal, environment: environment)
        var printer = Printer(isColoured: isColoured) { print($0) }
        if isTerminal, environment["TERM"] != "dumb" {
            printer.overwrite = { line in
                // To the start of the line, and what is there away.
                print("\r\u{1B}[2K\(line)", terminator: "")
                fflush(nil)
            }
        }
        do {
            let arguments = try Arguments(arguments, chapters: Chapter.all.map(\.name))
            switch arguments.action {
            case .help: printer.write(Arguments.usage)
            case .list: for chapter in Chapter.all { printer.write(chapter.name) }
            case .run: return try await run(arguments, printer)
            }
            return 0
        } catch let error as UsageError {
            complain("\(error.message)\n\(Arguments.usage)")
            return UsageError.exitCode
        } catch {
            complain("\(error)")
            return 1
        }
    }

    private static func run(_ arguments: Arguments, _ printer: Printer) async throws -> Int32 {
        let chapters = Chapter.all.filter { arguments.only.isEmpty || arguments.only.contains($0.name) }
        let fixtures = try FixtureFolder.find()
        let server = arguments.baseURL == nil ? try await DemoServer(fixtures: fixtures) : nil
        guard let baseURL = arguments.baseURL ?? server?.loopback.baseURL else { return 1 }
        let stage = Stage(baseURL: baseURL, embedded: server, fixtures: fixtures, printer: printer)
        let tally = await Tour(chapters: chapters, stage: stage).run()
        await server?.loopback.stop()
        return tally.exitCode
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data("ferry-demo: \(text)\n".utf8))
    }
}
