import Ferry

private func displayName(of login: String, at client: NetworkClient) async -> String {
    do {
        let user: User = try await client.get("/users/\(login).json")
        return user.name
    } catch {
        switch error.kind {
        case .client where error.isNotFound: return "nobody"
        case .timeout: return "too late"
        default: return error.serverMessage ?? error.message
        }
    }
}

extension Chapter {
    static let typedErrors = Chapter(
        "typed-errors", "throws are typed: the error is a NetworkError, without a cast",
        code: """
            do {
                let user: User = try await client.get("/users/\\(login).json")
                return user.name
            } catch {
                switch error.kind {
                case .client where error.isNotFound: return "nobody"
                case .timeout: return "too late"
                default: return error.serverMessage ?? error.message
                }
            }
            """
    ) { stage in
        let name = await displayName(of: "mallory", at: stage.client())
        stage.show(name)
        try stage.expect(name == "nobody", "nobody, not \(name)")
    }
}
