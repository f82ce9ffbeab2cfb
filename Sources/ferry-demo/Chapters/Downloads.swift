import Ferry
import FerryTesting
import Foundation

extension Chapter {
    static let downloads = Chapter(
        "downloads", "a file that arrives in two pieces: the connection breaks, and only the rest is asked for",
        needsServer: true,
        code: """
            let client = stage.client { $0.retry = .constant(.milliseconds(100), maxRetries: 3) }
            for try await event in client.download(NetworkCall(.get, "/export"), to: folder) {
                switch event {
                case .progress(let progress): stage.printer.progress(progress)
                case .finished(let file): finished = file
                }
            }
            """
    ) { stage in
        let content = Data((0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) })
        let server = try stage.server.loopback
        server.on(.get, "/export") { request in
            let start = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) }
            let part = LoopbackResponse.data(content.dropFirst(start ?? 0), contentType: MediaType("text/csv"))
                .header("ETag", "\"2024-06\"").header("Content-Disposition", "attachment; filename=\"../export.csv\"")
                .trickled(64 << 10) { try await Task.sleep(for: .milliseconds(5)) }  // A pace that one can see.
            guard let start else { return part.cut(after: 2_500_000) }
            return part.status(.partialContent)
                .header("Content-Range", "bytes \(start)-\(content.count - 1)/\(content.count)")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "ferry-demo-\(UUID().uuidString)/")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var finished: DownloadedFile?
        let client = stage.client { $0.retry = .constant(.milliseconds(100), maxRetries: 3) }
        for try await event in client.download(NetworkCall(.get, "/export"), to: folder) {
            switch event {
            case .progress(let progress): stage.printer.progress(progress)
            case .finished(let file): finished = file
            }
        }
        guard let finished else { throw Unexpected("expected a file") }
        stage.show(
            "\(finished.url.lastPathComponent), \(finished.size) bytes, \(finished.url.mediaType?.essence ?? "-")")
        try stage.expect(finished.url.lastPathComponent == "export.csv", "a safe name")
        try stage.expect(try Data(contentsOf: finished.url) == content, "the right content")
        try stage.expect(server.requests.last?.headers["Range"] != nil, "a request for the rest")
    }
}
