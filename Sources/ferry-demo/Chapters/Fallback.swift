import Ferry

extension Chapter {
    static let fallback = Chapter(
        "fallback", "a value of yours where an accepted response cannot be decoded",
        code: """
            let call = NetworkCall(.get, "/users/1.json")
            let repos = try await client.request(call.fallback([Repo]()), as: [Repo].self)
            let strict = try await client.request(call, as: [Repo].self)
            """
    ) { stage in
        let client = stage.client()
        let call = NetworkCall(.get, "/users/1.json")
        let repos = try await client.request(call.fallback([Repo]()), as: [Repo].self)
        stage.show(repos)
        let error = try await stage.error { () throws(NetworkError) in
            let strict = try await client.request(call, as: [Repo].self)
            stage.show(strict)
        }
        try stage.expect(repos.isEmpty, "the fallback")
        try stage.expect(error.kind == .decoding, "kind decoding, not \(error.kind)")
    }
}
