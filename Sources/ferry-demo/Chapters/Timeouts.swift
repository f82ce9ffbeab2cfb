import Ferry
import FerryTesting

extension Chapter {
    static let timeouts = Chapter(
        "timeouts", "a server that never answers, and a limit below a second", needsServer: true,
        code: """
            let call = NetworkCall(.get, "/never").timeout(.milliseconds(200))
            let text = try await client.string(call)
            """
    ) { stage in
        try stage.server.loopback.on(.get, "/never", .stalled)
        let client = stage.client()
        let call = NetworkCall(.get, "/never").timeout(.milliseconds(200))
        let error = try await stage.error { () throws(NetworkError) in
            let text = try await client.string(call)
            stage.show(text)
        }
        try stage.expect(error.kind == .timeout && error.isTimeout, "kind timeout, not \(error.kind)")
        try stage.expect(error.timeout == .attempt, "the time-out of one attempt")
    }
}
