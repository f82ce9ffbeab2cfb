import Ferry
import FerryTesting

extension Chapter {
    static let events = Chapter(
        "events", "what happens to a call, from queued to finished", needsServer: true,
        code: """
            let task = client.task(NetworkCall(.get, "/unsteady"), as: Repo.self)
            task.start()
            for await event in task.events { names.append(name(of: event)) }
            let repo = try await task.value
            """
    ) { stage in
        try stage.server.loopback.script(
            .get, "/unsteady", [.status(503), .json(#"{"name": "ferry", "stars": 42}"#)])
        let client = stage.client { $0.retry = .constant(.milliseconds(20), maxRetries: 1) }
        var names: [String] = []
        let task = client.task(NetworkCall(.get, "/unsteady"), as: Repo.self)
        task.start()
        for await event in task.events { names.append(name(of: event)) }
        let repo = try await task.value
        for name in names { stage.show(name) }
        stage.show(repo)
        let order = names.filter { !$0.hasPrefix("progress") }
        try stage.expect(
            order == [
                "queued", "attempt 1", "head 503", "retry in 20 ms", "attempt 2", "head 200", "finished",
            ], "every step in order, not \(order)")
    }

    private static func name(of event: CallEvent) -> String {
        switch event {
        case .queued: "queued"
        case .attempt(let number, _): "attempt \(number)"
        case .sent(let progress): "progress: \(progress.completed) bytes sent"
        case .head(let head): "head \(head.status.code)"
        case .data(let data): "data, \(data.count) bytes"
        case .progress(let progress): "progress: \(progress.completed) bytes received"
        case .retry(let wait, _): "retry in \(wait.wholeMilliseconds) ms"
        case .cacheHit: "cache hit"
        case .redirected(let redirect): "redirected: \(redirect)"
        case .pinMismatch(let mismatch): "pin mismatch: \(mismatch)"
        case .finished: "finished"
        }
    }
}
