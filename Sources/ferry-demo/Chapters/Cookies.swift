import Ferry
import FerryTesting

extension Chapter {
    static let cookies = Chapter(
        "cookies", "a jar per client: what one response sets, the next request sends", needsServer: true,
        code: """
            try await client.post("/login", body: .form(["user": "ada"]))
            let greeting = try await client.string(NetworkCall(.get, "/me"))
            """
    ) { stage in
        let server = try stage.server.loopback
        server.on(.post, "/login", .status(.noContent).header("Set-Cookie", "session=demo-1; Path=/; HttpOnly"))
        server.on(.get, "/me") { request in
            request.headers["Cookie"] == "session=demo-1" ? .text("Hello, Ada") : .status(.unauthorized)
        }
        let client = stage.client()
        try await client.post("/login", body: .form(["user": "ada"]))
        let greeting = try await client.string(NetworkCall(.get, "/me"))
        stage.show(greeting)
        try stage.expect(greeting == "Hello, Ada", "a greeting for the session")

        let stranger = try await stage.error { () throws(NetworkError) in
            try await stage.client().request(NetworkCall(.get, "/me"))
        }
        try stage.expect(stranger.isUnauthorized, "401 for a client with a jar of its own")
    }
}
