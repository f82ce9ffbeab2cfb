import Ferry

extension Chapter {
    static let json = Chapter(
        "json", "any JSON, text or bytes, where there is no type for it",
        code: """
            let call = NetworkCall(.get, "/search/repositories.json")
            let json = try await client.json(call)
            let owner = json["items"]?[1]?["owner"]?["login"]?.string
            let total = json[path: "total_count"]?.int
            let text = try await client.string(call)
            let data = try await client.data(call)
            """
    ) { stage in
        let client = stage.client()
        let call = NetworkCall(.get, "/search/repositories.json")
        let json = try await client.json(call)
        let owner = json["items"]?[1]?["owner"]?["login"]?.string
        let total = json[path: "total_count"]?.int
        stage.show("\(owner ?? "nobody") of \(total ?? 0)")
        let text = try await client.string(call)
        let data = try await client.data(call)
        stage.show("\(text.count) characters, \(data.count) bytes")
        try stage.expect(owner == "grace" && total == 3, "grace of 3")
        try stage.expect(text.utf8.count == data.count, "the same content as text and as bytes")
    }
}
