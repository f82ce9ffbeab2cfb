import Ferry

private struct GetUser: Api {
    typealias Response = User
    var id: Int
    var path: String { "/users/\(id).json" }
}

private struct AllRepos: Api {
    typealias Response = [Repo]
    let path = "/search/repositories.json"
    let responseKeyPath: JSONKeyPath? = "items"
}

extension Chapter {
    static let parallel = Chapter(
        "parallel", "calls at once: all or none, or each with its own result",
        code: """
            let (user, repos) = try await client.all(GetUser(id: 1), AllRepos())
            for await result in client.results(of: [1, 2, 99].map { GetUser(id: $0) }, maxConcurrency: 2) {
                logins.append((try? result.value.login) ?? "none")
            }
            let both = try await client.all(GetUser(id: 99), AllRepos())
            """
    ) { stage in
        let client = stage.client()
        let (user, repos) = try await client.all(GetUser(id: 1), AllRepos())
        stage.show("\(user.login), \(repos.count) repositories")
        var logins: [String] = []
        for await result in client.results(of: [1, 2, 99].map { GetUser(id: $0) }, maxConcurrency: 2) {
            logins.append((try? result.value.login) ?? "none")
        }
        stage.show(logins.joined(separator: ", "))
        let error = try await stage.error { () throws(NetworkError) in
            let both = try await client.all(GetUser(id: 99), AllRepos())
            stage.show(both)
        }
        try stage.expect(user.login == "ada" && repos.count == 3, "ada and three repositories")
        try stage.expect(logins == ["ada", "grace", "none"], "two users and a failure, in the order of the calls")
        try stage.expect(error.isNotFound, "the error of the call that failed")
    }
}
