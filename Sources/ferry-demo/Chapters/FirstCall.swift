import Ferry

private struct GetUser: Api {
    typealias Response = User
    var id: Int
    var path: String { "/users/\(id).json" }
}

extension Chapter {
    static let firstCall = Chapter(
        "first-call", "a call described as a type gives a typed value",
        code: """
            struct GetUser: Api {
                typealias Response = User
                var id: Int
                var path: String { "/users/\\(id).json" }
            }
            let user = try await client.request(GetUser(id: 1))
            """
    ) { stage in
        let client = stage.client()
        let user = try await client.request(GetUser(id: 1))
        stage.show(user)
        try stage.expect(user.id == 1 && user.login == "ada", "user 1, ada")
    }
}
