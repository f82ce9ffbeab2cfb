import Ferry
import FerryTesting

private struct Invalid: Decodable, Sendable {
    struct Field: Decodable, Sendable {
        let pointer: String
        let detail: String
    }
    let errors: [Field]
}

extension Chapter {
    static let errors = Chapter(
        "errors", "what the server says of a failure: problem details, its message, its content", needsServer: true,
        code: """
            let user: User = try await client.get("/users/99")
            let message = missing.serverMessage
            try await client.post("/repos", body: .json(NewRepo(name: "", stars: -1)))
            let fields = try invalid.decode(as: Invalid.self).errors
            """
    ) { stage in
        let server = try stage.server
        server.loopback.on(
            .get, "/users/99", try server.fixture("errors/not-found.json", status: .notFound, contentType: .problem))
        server.loopback.on(
            .post, "/repos",
            try server.fixture("errors/validation.json", status: .unprocessableContent, contentType: .problem))
        let client = stage.client()

        let missing = try await stage.error { () throws(NetworkError) in
            let user: User = try await client.get("/users/99")
            stage.show(user)
        }
        let message = missing.serverMessage
        stage.show(message ?? "no message")
        let invalid = try await stage.error { () throws(NetworkError) in
            try await client.post("/repos", body: .json(NewRepo(name: "", stars: -1)))
        }
        let fields = try invalid.decode(as: Invalid.self).errors
        for field in fields { stage.show("\(field.pointer) \(field.detail)") }
        try stage.expect(missing.isNotFound && missing.kind == .client, "404 of kind client")
        try stage.expect(message == "There is no user 99.", "the server's own message")
        try stage.expect(missing.problem?.instance == "/users/99", "the problem's instance")
        try stage.expect(invalid.isValidationProblem && fields.count == 2, "422 with two fields")
    }
}
