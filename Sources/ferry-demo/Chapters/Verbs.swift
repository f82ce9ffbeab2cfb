import Ferry
import FerryTesting

extension Chapter {
    static let verbs = Chapter(
        "verbs", "one-off calls, typed by what is asked for", needsServer: true,
        code: """
            let user: User = try await client.get("/users/2.json")
            let made: NewRepo = try await client.post("/echo", body: .json(NewRepo(name: "quay", stars: 0)))
            let changed: NewRepo = try await client.put("/echo", body: .json(NewRepo(name: "quay", stars: 1)))
            try await client.delete("/echo")
            let head = try await client.head("/users/2.json")
            """
    ) { stage in
        let client = stage.client()
        let user: User = try await client.get("/users/2.json")
        stage.show(user)
        let made: NewRepo = try await client.post("/echo", body: .json(NewRepo(name: "quay", stars: 0)))
        stage.show(made)
        let changed: NewRepo = try await client.put("/echo", body: .json(NewRepo(name: "quay", stars: 1)))
        stage.show(changed)
        try await client.delete("/echo")
        let head = try await client.head("/users/2.json")
        stage.show(head.status)
        try stage.expect(user.login == "grace", "user 2, grace")
        try stage.expect(made == NewRepo(name: "quay", stars: 0), "the repository that was posted")
        try stage.expect(changed.stars == 1, "the repository that was put")
        try stage.expect(head.contentType?.isJSON == true, "a JSON content type for HEAD")
        let methods = try stage.server.loopback.requests.suffix(5).map(\.method.rawValue)
        try stage.expect(methods == ["GET", "POST", "PUT", "DELETE", "HEAD"], "five requests, not \(methods)")
    }
}
