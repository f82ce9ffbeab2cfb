import Ferry

extension Chapter {
    static let states = Chapter(
        "states", "loading, loaded, failed: a call as a screen shows it",
        code: """
            for await state in client.states(NetworkCall(.get, "/users/1.json"), as: User.self) {
            for await state in client.states(NetworkCall(.get, "/users/none.json"), as: User.self) {
            """
    ) { stage in
        let client = stage.client()
        var names: [String] = []
        for await state in client.states(NetworkCall(.get, "/users/1.json"), as: User.self) {
            names.append(name(of: state))
        }
        for await state in client.states(NetworkCall(.get, "/users/none.json"), as: User.self) {
            names.append(name(of: state))
        }
        for name in names { stage.show(name) }
        try stage.expect(
            names == ["loading", "loaded Ada Byron", "loading", "failed: client"], "two loads, not \(names)")
    }

    private static func name(of state: CallState<User>) -> String {
        switch state {
        case .loading: "loading"
        case .loaded(let user): "loaded \(user.name)"
        case .failed(let error): "failed: \(error.kind)"
        }
    }
}
