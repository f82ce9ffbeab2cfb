import Ferry
import FerryTesting

extension Chapter {
    static let retry = Chapter(
        "retry", "503, 503, 200: attempts with growing waits", needsServer: true,
        code: """
            $0.retry = .exponential(initial: .milliseconds(20), jitter: .none, maxRetries: 3)
            let response = try await client.response(NetworkCall(.get, "/flaky"), as: String.self)
            """
    ) { stage in
        try stage.server.loopback.script(.get, "/flaky", [.status(503), .status(503), .text("at last")])
        let client = stage.client {
            $0.retry = .exponential(initial: .milliseconds(20), jitter: .none, maxRetries: 3)
        }
        let response = try await client.response(NetworkCall(.get, "/flaky"), as: String.self)
        for attempt in response.attempts { stage.show(attempt) }
        stage.show("\(response.value), after waits of \(response.timings.retryWait) in all")
        try stage.expect(response.value == "at last", "the third answer")
        let codes = response.attempts.map { $0.status?.code ?? 0 }
        try stage.expect(codes == [503, 503, 200], "503, 503, 200, not \(codes)")
        try stage.expect(response.timings.retryWait >= .milliseconds(60), "waits of 20 and 40 ms")
    }
}
