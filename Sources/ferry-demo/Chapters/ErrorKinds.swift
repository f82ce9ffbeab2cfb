import Ferry
import FerryTesting

extension Chapter {
    static let errorKinds = Chapter(
        "error-kinds", "a proxy's page, a server that is away, a message of the server's own", needsServer: true,
        code: """
            let page: User = try await client.get("/behind-a-proxy")
            let away: User = try await elsewhere.get("/users/1.json")
            $0.errorMessageKeyPath = "message"
            let limited: User = try await client.get("/limited")
            """
    ) { stage in
        let server = try stage.server
        server.loopback.on(
            .get, "/behind-a-proxy", try server.fixture("errors/bad-gateway.html", status: .badGateway))
        server.loopback.on(
            .get, "/limited",
            try server.fixture("errors/message.json", status: .tooManyRequests).header("Retry-After", "2"))
        // A port that was free a moment ago.
        let gone = try await LoopbackServer.start()
        await gone.stop()
        let elsewhere = stage.client(baseURL: gone.baseURL)
        let client = stage.client {
            $0.errorMessageKeyPath = "message"
        }

        let proxied = try await stage.error { () throws(NetworkError) in
            let page: User = try await client.get("/behind-a-proxy")
            stage.show(page)
        }
        let refused = try await stage.error { () throws(NetworkError) in
            let away: User = try await elsewhere.get("/users/1.json")
            stage.show(away)
        }
        let slowed = try await stage.error { () throws(NetworkError) in
            let limited: User = try await client.get("/limited")
            stage.show(limited)
        }
        stage.show("\(slowed.serverMessage ?? "")")
        try stage.expect(proxied.kind == .server && proxied.status == .badGateway, "502 of kind server")
        try stage.expect(refused.kind == .cannotConnect && refused.isRetryable, "kind cannotConnect, retryable")
        try stage.expect(slowed.isRateLimited && slowed.headers["Retry-After"] == "2", "429 with Retry-After")
        try stage.expect(slowed.serverMessage == "API rate limit exceeded", "the server's own message")
    }
}
