import Ferry
import Foundation

extension Chapter {
    static let pathTemplate = Chapter(
        "path-template", "values stay within their path segment",
        code: """
            let call = try NetworkCall(.get, PathTemplate("/users/{id}.json", ["id": 1]))
            let user = try await client.request(call, as: User.self)
            let escaped = try PathTemplate("/files/{name}/meta", ["name": "a/b c"]).path
            let refused = try PathTemplate("/files/{name}/meta", ["name": ".."]).path
            """
    ) { stage in
        let client = stage.client()
        let call = try NetworkCall(.get, PathTemplate("/users/{id}.json", ["id": 1]))
        let user = try await client.request(call, as: User.self)
        stage.show(user)
        let escaped = try PathTemplate("/files/{name}/meta", ["name": "a/b c"]).path
        stage.show(escaped)
        let error = try await stage.error { () throws(NetworkError) in
            let refused = try PathTemplate("/files/{name}/meta", ["name": ".."]).path
            stage.show(refused)
        }
        try stage.expect(user.id == 1, "user 1")
        try stage.expect(escaped == "/files/a%2Fb%20c/meta", "one escaped segment, not \(escaped)")
        try stage.expect(error.kind == .invalidURL, "kind invalidURL, not \(error.kind)")
    }
}
