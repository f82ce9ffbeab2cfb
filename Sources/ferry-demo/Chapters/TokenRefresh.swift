import Ferry
import FerryTesting

private struct GetSecret: Api {
    typealias Response = String
    var name: String
    var path: String { "/secrets/\(name)" }
}

extension Chapter {
    static let tokenRefresh = Chapter(
        "token-refresh", "three calls meet an expired token: one refresh, and each is sent again", needsServer: true,
        code: """
            let session = CredentialStore(bearer: BearerCredential(accessToken: "old")) { _, context in
                BearerCredential(accessToken: try await context.client.string(NetworkCall(.post, "/token")))
            }
            let client = stage.client { $0.authorization = .refreshing(session) }
            let secrets = try await client.all(GetSecret(name: "a"), GetSecret(name: "b"), GetSecret(name: "c"))
            """
    ) { stage in
        let server = try stage.server.loopback
        server.on(.post, "/token", .text("new"))
        server.on(.get, "/secrets/{name}") { request in
            guard request.headers["Authorization"] == "Bearer new" else { return .status(.unauthorized) }
            return .text("secret " + (request.pathParameters["name"] ?? ""))
        }
        let session = CredentialStore(bearer: BearerCredential(accessToken: "old")) { _, context in
            BearerCredential(accessToken: try await context.client.string(NetworkCall(.post, "/token")))
        }
        let client = stage.client { $0.authorization = .refreshing(session) }
        let earlier = server.requests.count
        let secrets = try await client.all(GetSecret(name: "a"), GetSecret(name: "b"), GetSecret(name: "c"))
        stage.show("\(secrets.0), \(secrets.1), \(secrets.2)")
        try stage.expect(secrets == ("secret a", "secret b", "secret c"), "three secrets")
        let requests = server.requests.dropFirst(earlier)
        let refreshes = requests.filter { $0.path == "/token" }
        try stage.expect(refreshes.count == 1, "one refresh, not \(refreshes.count)")
        try stage.expect(refreshes.first?.headers.contains("Authorization") == false, "a refresh without the old token")
        for name in ["a", "b", "c"] {
            let tokens = requests.filter { $0.path == "/secrets/\(name)" }.map { $0.headers["Authorization"] ?? "" }
            // A call that begins while the refresh runs waits for it and is sent once.
            try stage.expect(tokens.last == "Bearer new" && tokens.count <= 2, "at most one replay, not \(tokens)")
        }
        try stage.expect(session.credential?.accessToken == "new", "the new token in the store")
    }
}
