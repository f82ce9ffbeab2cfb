import Ferry
import FerryTesting
import Foundation

extension Chapter {
    static let serverSentEvents = Chapter(
        "server-sent-events", "events arrive one by one, long before the response ends", needsServer: true,
        code: """
            for try await event in client.serverSentEvents(NetworkCall(.get, "/updates"), reconnection: nil) {
            """
    ) { stage in
        let isFirstSeen = Gate()
        try stage.server.loopback.on(
            .get, "/updates",
            .stream(contentType: .eventStream) { writer in
                try await writer.write("event: price\ndata: 100\n\n")
                await isFirstSeen.wait()
                for price in [101, 99] {
                    try await Task.sleep(for: .milliseconds(60))  // A pace that one can see.
                    try await writer.write("event: price\ndata: \(price)\n\n")
                }
            })
        let client = stage.client()
        let start = ContinuousClock.now
        var times: [Duration] = []
        for try await event in client.serverSentEvents(NetworkCall(.get, "/updates"), reconnection: nil) {
            times.append(start.duration(to: .now))
            stage.show("after \(times[times.count - 1].wholeMilliseconds) ms: \(event.event) \(event.data)")
            isFirstSeen.open()
        }
        try stage.expect(times.count == 3, "three events")
        try stage.expect(times[2] - times[0] >= .milliseconds(100), "the third well after the first")
    }

    static let reconnect = Chapter(
        "reconnect", "a cut event stream goes on where it was, with Last-Event-ID", needsServer: true,
        code: """
            for try await event in client.serverSentEvents(NetworkCall(.get, "/feed")) {
            """
    ) { stage in
        let server = try stage.server.loopback
        server.script(
            .get, "/feed",
            [
                .chunked(["retry: 20\nid: 1\ndata: one\n\nid: 2\ndata: two\n\n"], contentType: .eventStream),
                .chunked(["id: 3\ndata: three\n\n"], contentType: .eventStream), .status(.noContent),
            ])
        let before = server.requests.count
        let client = stage.client()
        var seen: [String] = []
        for try await event in client.serverSentEvents(NetworkCall(.get, "/feed")) {
            stage.show("\(event.id): \(event.data)")
            seen.append(event.data)
        }
        try stage.expect(seen == ["one", "two", "three"], "three events over two connections")
        let ids = server.requests.dropFirst(before).map { $0.headers["Last-Event-ID"] }
        try stage.expect(ids == [nil, "2", "3"], "Last-Event-ID 2, then 3, not \(ids)")
    }
}

extension Duration {
    /// Whole milliseconds, for people.
    var wholeMilliseconds: Int { Int((self / .milliseconds(1)).rounded()) }
}
