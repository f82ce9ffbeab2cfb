import Ferry
import FerryTesting
import Foundation

extension Chapter {
    static let jsonLines = Chapter(
        "json-lines", "rows of NDJSON out of a chunked response that takes its time", needsServer: true,
        code: """
            for try await repo in client.jsonLines(NetworkCall(.get, "/export.ndjson"), as: Repo.self) {
            """
    ) { stage in
        // Cut in the middle of a record, of a number and before a line end: the rows come whole.
        let pieces = [
            #"{"name": "ferry", "sta"#, "rs\": 4", "2}\n{\"name\": \"harbor\", \"stars\": 7}",
            "\n{\"name\": \"tide-tables\", \"stars\": 1}",
        ]
        try stage.server.loopback.on(
            .get, "/export.ndjson",
            .stream(contentType: .ndjson) { writer in
                for piece in pieces {
                    try await writer.write(piece)
                    try await Task.sleep(for: .milliseconds(30))  // A pace that one can see.
                }
            })
        let client = stage.client()
        let start = ContinuousClock.now
        var stars: [Int] = []
        for try await repo in client.jsonLines(NetworkCall(.get, "/export.ndjson"), as: Repo.self) {
            stage.show("after \(start.duration(to: .now).wholeMilliseconds) ms: \(repo.name), \(repo.stars) stars")
            stars.append(repo.stars)
        }
        try stage.expect(stars == [42, 7, 1], "three rows")
    }
}
