import Ferry
import FerryTesting
import Synchronization

extension Chapter {
    static let logging = Chapter(
        "logging", "a log and a curl command without secrets", needsServer: true,
        code: """
            let client = stage.client { $0.logger = CallLogger(bodyLimit: 500, sink: lines.sink) }
            let call = NetworkCall(
                .post, "/login", query: ["api_key": "k-123"], headers: ["Authorization": "Bearer t-456"],
                body: .json(["password": "it's a secret"]))
            let command = try client.curl(for: call)
            """
    ) { stage in
        try stage.server.loopback.script(.post, "/login", [.json(#"{"access_token": "t-789", "user": "ferry"}"#)])
        let lines = Lines()
        let client = stage.client { $0.logger = CallLogger(bodyLimit: 500, sink: lines.sink) }
        let call = NetworkCall(
            .post, "/login", query: ["api_key": "k-123"], headers: ["Authorization": "Bearer t-456"],
            body: .json(["password": "it's a secret"]))
        let command = try client.curl(for: call)
        stage.show(command)
        _ = try await client.data(call)
        stage.show(lines.text)
        let shown = command + lines.text
        try stage.expect(
            !["k-123", "t-456", "t-789", "it's a secret"].contains { shown.contains($0) }, "no secret is shown")
        try stage.expect(lines.text.contains("REDACTED"), "names stay, values are hidden")
    }
}

/// The lines of a log.
private final class Lines: Sendable {
    /// Guards the lines: entries come on any thread.
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    /// Durations are left out: they are never the same.
    var sink: LogSink {
        LogSink { [self] entry in
            let fields = entry.metadata.filter { !["total", "queued", "head"].contains($0.name) }
            let text = fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
            lines.withLock { $0.append("\(entry.level): \(entry.message) \(text)") }
        }
    }
}
