import Ferry

extension Chapter {
    static let emptyBodies = Chapter(
        "empty-bodies", "204 is no value for an optional, nothing for Nothing, and an error for the rest",
        needsServer: true,
        code: """
            let call = NetworkCall(.delete, "/echo")
            let removed: User? = try await client.request(call)
            let nothing: Nothing = try await client.request(call)
            let user: User = try await client.request(call)
            """
    ) { stage in
        let client = stage.client()
        let call = NetworkCall(.delete, "/echo")
        let removed: User? = try await client.request(call)
        stage.show(removed.map { $0.name } ?? "nil")
        let nothing: Nothing = try await client.request(call)
        stage.show(nothing)
        let error = try await stage.error { () throws(NetworkError) in
            let user: User = try await client.request(call)
            stage.show(user)
        }
        try stage.expect(removed == nil, "no user")
        try stage.expect(error.kind == .emptyBody, "kind emptyBody, not \(error.kind)")
    }
}
