import Ferry
import FerryTesting
import Foundation

extension Chapter {
    static let redirects = Chapter(
        "redirects", "followed to another origin, and the token stays behind", needsServer: true,
        code: """
            let call = NetworkCall(.get, "/moved").header("Authorization", "Bearer demo-token").header("X-Trace", "demo-2")
            let response = try await client.response(call, as: String.self)
            """
    ) { stage in
        let first = try stage.server.loopback
        let second = try await LoopbackServer.start { $0.on(.get, "/new", .text("here I am")) }
        first.on(.get, "/moved", .redirect(to: second.baseURL.absoluteString + "/new"))
        let client = stage.client()
        let call = NetworkCall(.get, "/moved").header("Authorization", "Bearer demo-token").header("X-Trace", "demo-2")
        let response = try await client.response(call, as: String.self)
        await second.stop()
        stage.show(response.value)
        for hop in response.redirects { stage.show(hop) }
        try stage.expect(response.value == "here I am" && response.redirects.count == 1, "one redirect followed")
        let before = first.requests.last
        let after = second.requests.last
        try stage.expect(before?.headers["Authorization"] == "Bearer demo-token", "the token at the first server")
        try stage.expect(after?.headers["Authorization"] == nil, "no token at the second server")
        try stage.expect(after?.headers["X-Trace"] == "demo-2", "the other field at the second server")
    }
}
