import Ferry
import FerryTesting

extension Chapter {
    static let mocks = Chapter(
        "mocks", "the same call without a network: it answers from a fixture",
        code: """
            $0.mocking = .on(.directory(stage.fixtures))
            let call = NetworkCall(.get, "/v2/me").mocked(.fixture("users/1.json"))
            let user = try await client.request(call, as: User.self)
            try await client.request(call.mocked(.category(.serverError)))
            try await client.request(call.mocked(.fixture("users/none.json")))
            """
    ) { stage in
        let client = stage.client {
            $0.mocking = .on(.directory(stage.fixtures))
        }
        let call = NetworkCall(.get, "/v2/me").mocked(.fixture("users/1.json"))
        let before = stage.embedded?.loopback.requestCount
        let user = try await client.request(call, as: User.self)
        stage.show(user)
        let broken = try await stage.error { () throws(NetworkError) in
            try await client.request(call.mocked(.category(.serverError)))
        }
        let missing = try await stage.error { () throws(NetworkError) in
            try await client.request(call.mocked(.fixture("users/none.json")))
        }
        try stage.expect(user.login == "ada", "ada")
        try stage.expect(broken.kind == .server, "kind server, not \(broken.kind)")
        try stage.expect(missing.kind == .mock, "kind mock, not \(missing.kind)")
        try stage.expect(stage.embedded?.loopback.requestCount == before, "no request at the server")
    }
}
