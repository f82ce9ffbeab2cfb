import Ferry
import FerryTesting

extension Chapter {
    static let callAsValue = Chapter(
        "call-as-value", "a call is a value; modifiers return changed copies",
        code: """
            let call = NetworkCall(.get, "/search/repositories.json").query("q", "swift")
            let traced = call.header("X-Trace", "demo-1").timeout(.seconds(5)).unwrapping("items")
            let response = try await client.response(traced, as: [Repo].self)
            """
    ) { stage in
        let client = stage.client()
        let call = NetworkCall(.get, "/search/repositories.json").query("q", "swift")
        let traced = call.header("X-Trace", "demo-1").timeout(.seconds(5)).unwrapping("items")
        let response = try await client.response(traced, as: [Repo].self)
        stage.show(response.value)
        stage.show(response)
        try stage.expect(response.value.map(\.name) == ["ferry", "harbor", "tide-tables"], "three repositories")
        try stage.expect(call.headers.isEmpty, "the first call to be as it was")
        if let request = stage.embedded?.loopback.requests.last {
            try stage.expect(request.headers["X-Trace"] == "demo-1", "the header at the server")
            try stage.expect(request.query == "q=swift", "the query at the server")
        }
    }
}
