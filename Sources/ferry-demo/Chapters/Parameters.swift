import Ferry
import FerryTesting

extension Chapter {
    static let parameters = Chapter(
        "parameters", "query parameters: any Encodable, in order, in the style that the server reads",
        code: """
            let query: Parameters = ["q": "c++ & swift", "tags": ["car", "night"], "page": 2, "lang": nil, "debug": .flag]
            let call = NetworkCall(.get, "/users/index.json", query: query)
            let users: [User] = try await client.request(call)
            try await client.request(call.parameterStyle(ParameterStyle(arrays: .repeated)))
            try await client.request(call.parameterStyle(ParameterStyle(arrays: .commaSeparated, nils: .emptyValue)))
            """
    ) { stage in
        let client = stage.client()
        let query: Parameters = ["q": "c++ & swift", "tags": ["car", "night"], "page": 2, "lang": nil, "debug": .flag]
        let call = NetworkCall(.get, "/users/index.json", query: query)
        let users: [User] = try await client.request(call)
        stage.show(users)
        try await client.request(call.parameterStyle(ParameterStyle(arrays: .repeated)))
        try await client.request(call.parameterStyle(ParameterStyle(arrays: .commaSeparated, nils: .emptyValue)))
        try stage.expect(users.count == 2, "two users")
        guard let server = stage.embedded?.loopback else { return }
        let queries = server.requests.suffix(3).map { $0.query ?? "" }
        let expected = [
            "q=c%2B%2B%20%26%20swift&tags%5B%5D=car&tags%5B%5D=night&page=2&debug",
            "q=c%2B%2B%20%26%20swift&tags=car&tags=night&page=2&debug",
            "q=c%2B%2B%20%26%20swift&tags=car%2Cnight&page=2&lang=&debug",
        ]
        try stage.expect(queries == expected, "\(expected), not \(queries)")
    }
}
