import Ferry
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Chapter {
    static let urlRequest = Chapter(
        "url-request", "the URLRequest of a call, for code that needs one",
        code: """
            let call = NetworkCall(.post, "/repos", query: ["dry": true], body: .json(NewRepo(name: "x", stars: 1)))
            let request = try client.urlRequest(for: call)
            """
    ) { stage in
        let client = stage.client()
        let call = NetworkCall(.post, "/repos", query: ["dry": true], body: .json(NewRepo(name: "x", stars: 1)))
        let request = try client.urlRequest(for: call)
        stage.show("\(request.httpMethod ?? "") \(request.url?.absoluteString ?? "")")
        stage.show(request.value(forHTTPHeaderField: "Content-Type") ?? "")
        stage.show(String(decoding: request.httpBody ?? Data(), as: UTF8.self))
        try stage.expect(request.httpMethod == "POST", "a POST")
        try stage.expect(request.url?.query() == "dry=true", "the query")
        try stage.expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json", "a JSON body")
        let sent = try JSONDecoder().decode(NewRepo.self, from: request.httpBody ?? Data())
        try stage.expect(sent == NewRepo(name: "x", stars: 1), "the repository in the body")
    }
}
