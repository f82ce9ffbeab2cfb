import Ferry
import FerryTesting

extension Chapter {
    static let cacheThenNetwork = Chapter(
        "cache-then-network", "what is stored first, then what the server says now", needsServer: true,
        code: """
            $0.cache = ResponseCache(store: .memory())
            for try await response in client.values(call, as: String.self, cache: .cacheThenNetwork) {
            """
    ) { stage in
        try stage.server.loopback.script(
            .get, "/news",
            [
                .text("Monday's news").header("ETag", "\"1\"").header("Cache-Control", "max-age=60"),
                .status(.notModified).header("ETag", "\"1\""),
                .text("Tuesday's news").header("ETag", "\"2\"").header("Cache-Control", "max-age=60"),
            ])
        let client = stage.client {
            $0.cache = ResponseCache(store: .memory())
        }
        let call = NetworkCall(.get, "/news")
        var seen: [String] = []
        for _ in 1...3 {
            for try await response in client.values(call, as: String.self, cache: .cacheThenNetwork) {
                stage.show("\(response.value), \(response.source)")
                seen.append("\(response.source)")
            }
        }
        let expected = ["network", "cacheFresh", "cacheValidated", "cacheFresh", "network"]
        try stage.expect(seen == expected, "\(expected), not \(seen)")
    }
}
