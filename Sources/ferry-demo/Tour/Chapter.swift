/// One capability: the code that a user writes, and a run that shows it and checks what comes.
///
/// A chapter is one file in `Chapters` and one line in `Chapter.all`. Each line of its code is also a line of its run:
/// a test compares them, so that what is shown is what was done.
struct Chapter: Sendable {
    /// The name, as `--only` takes it.
    let name: String
    /// What it shows, in a few words.
    let title: String
    /// Whether it needs more of the server than the files of `Fixtures/api`.
    let needsServer: Bool
    /// The code that is shown.
    let code: String
    /// The file that it is written in.
    let file: String
    /// Makes the calls; throws where anything is not as expected.
    let run: @Sendable (Stage) async throws -> Void

    init(
        _ name: String, _ title: String, needsServer: Bool = false, code: String, file: String = #filePath,
        run: @escaping @Sendable (Stage) async throws -> Void
    ) {
        self.name = name
        self.title = title
        self.needsServer = needsServer
        self.code = code
        self.file = file
        self.run = run
    }
}
