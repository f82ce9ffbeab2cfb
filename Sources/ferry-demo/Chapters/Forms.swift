import Ferry
import FerryTesting

private struct Search: Encodable, Sendable {
    var text: String
    var perPage: Int
}

extension Chapter {
    static let forms = Chapter(
        "forms", "a form is written by its own rules: a space is a plus", needsServer: true,
        code: """
            let search = Search(text: "c++ & swift", perPage: 50)
            let call = NetworkCall(.post, "/echo", body: .form(search)).parameterStyle(ParameterStyle(keys: .snakeCase))
            let form = try await client.string(call)
            """
    ) { stage in
        let client = stage.client()
        let search = Search(text: "c++ & swift", perPage: 50)
        let call = NetworkCall(.post, "/echo", body: .form(search)).parameterStyle(ParameterStyle(keys: .snakeCase))
        let form = try await client.string(call)
        stage.show(form)
        try stage.expect(form == "text=c%2B%2B+%26+swift&per_page=50", "the form by WHATWG URL, not \(form)")
    }
}
