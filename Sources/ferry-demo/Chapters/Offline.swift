import Ferry
import FerryTesting
import Foundation

extension Chapter {
    static let offline = Chapter(
        "offline", "a cache on disk answers without the network, also after a restart", needsServer: true,
        code: """
            $0.cache = ResponseCache(store: .disk(directory))
            let menu = try await restarted.response(call.cache(.cacheOnly), as: String.self)
            try await restarted.request(NetworkCall(.get, "/never-seen").cache(.cacheOnly))
            """
    ) { stage in
        let directory = FileManager.default.temporaryDirectory.appending(path: "ferry-demo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try stage.server.loopback.on(.get, "/menu", .text("Soup of the day"))
        let call = NetworkCall(.get, "/menu")
        let client = stage.client {
            $0.cache = ResponseCache(store: .disk(directory))
        }
        try await client.request(call)

        let restarted = stage.client { $0.cache = ResponseCache(store: .disk(directory)) }
        let menu = try await restarted.response(call.cache(.cacheOnly), as: String.self)
        stage.show("\(menu.value), \(menu.source)")
        try stage.expect(menu.value == "Soup of the day" && menu.source.isCache, "what the first client stored")

        let miss = try await stage.error { () throws(NetworkError) in
            try await restarted.request(NetworkCall(.get, "/never-seen").cache(.cacheOnly))
        }
        try stage.expect(miss.kind == .cacheMiss, "a cache miss and no request")
    }
}
