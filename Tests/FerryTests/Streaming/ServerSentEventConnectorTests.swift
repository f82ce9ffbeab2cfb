import Ferry
import FerryTesting
import Synchronization
import XCTest

final class ServerSentEventConnectorTests: XCTestCase {
    /// What the server side does, in turn.
    private enum Step {
        case head(Int, String?)
        case bytes(String)
        case end
        case cut(NetworkError.Kind)
        case waited
    }

    private static let ok = Step.head(200, "text/event-stream; charset=utf-8")

    /// Runs steps and writes down what the machine wants.
    private func run(_ reconnection: ServerSentEventReconnection?, _ steps: [Step]) -> [String] {
        var connector = ServerSentEventConnector(reconnection: reconnection)
        var log: [String] = []
        var rest = steps[...]
        while true {
            switch connector.next() {
            case .deliver(let event):
                log.append("event \(event.data)")
                continue
            case .connect(let id): log.append("connect \(id ?? "-")")
            case .wait(let time): log.append("wait \(Int(time / .milliseconds(1)))")
            case .read: break
            case .finish: return log + ["finish"]
            case .fail(let error):
                log.append("fail \(error.kind)")
                if case .finish = connector.next() { return log }
                return log + ["goes on"]
            }
            switch rest.popFirst() {
            case .head(let code, let type):
                var head = HTTPResponse.Head(status: HTTPStatus(code), url: URL(filePath: "/"))
                head.headers["Content-Type"] = type
                connector.didConnect(head)
            case .bytes(let text): connector.didReceive(Data(text.utf8))
            case .end: connector.didEnd()
            case .cut(let kind): connector.didFail(NetworkError(kind, "cut"))
            case .waited: connector.didWait()
            case nil: return log
            }
        }
    }

    func testConnector_followsTheStandard() {
        let ok = Self.ok
        let once = ServerSentEventReconnection(maxFailures: 1)
        let rows: [(String, ServerSentEventReconnection?, [Step], [String])] = [
            (
                "9.2.3 end, default time", .standard, [ok, .bytes("data: a\n\n"), .end, .waited],
                ["connect -", "event a", "wait 3000", "connect -"]
            ),
            (
                "9.2.6 retry", .standard, [ok, .bytes("retry: 7\n"), .end, .waited, ok, .end],
                ["connect -", "wait 7", "connect -", "wait 7"]
            ),
            (
                "9.2.4 ID", .standard, [ok, .bytes("id: 4\n\n"), .end, .waited],
                ["connect -", "wait 3000", "connect 4"]
            ),
            (
                "an ID outlives a connection without one", .standard,
                [ok, .bytes("id: 4\n\n"), .end, .waited, ok, .bytes("data: x\n\n"), .end, .waited],
                ["connect -", "wait 3000", "connect 4", "event x", "wait 3000", "connect 4"]
            ),
            (
                "unfinished block", .standard, [ok, .bytes("id: 4\ndata: x\n"), .end, .waited],
                ["connect -", "wait 3000", "connect -"]
            ),
            ("204", .standard, [.head(204, nil)], ["connect -", "finish"]),
            (
                "204 later", .standard, [ok, .end, .waited, .head(204, nil)],
                ["connect -", "wait 3000", "connect -", "finish"]
            ),
            ("other status", .standard, [.head(503, "text/event-stream")], ["connect -", "fail server"]),
            ("other status", .standard, [.head(404, nil)], ["connect -", "fail client"]),
            ("other status", .standard, [.head(401, nil)], ["connect -", "fail authentication"]),
            ("other status", .standard, [.head(201, "text/event-stream")], ["connect -", "fail status"]),
            ("content type", .standard, [.head(200, "application/json")], ["connect -", "fail contentType"]),
            ("no content type", .standard, [.head(200, nil)], ["connect -", "fail contentType"]),
            (
                "case of the type", nil, [.head(200, "Text/Event-Stream"), .bytes("data: a\n\n"), .end],
                ["connect -", "event a", "finish"]
            ),
            ("no policy, end", nil, [ok, .bytes("data: a\n\n"), .end], ["connect -", "event a", "finish"]),
            (
                "no policy, cut", nil, [ok, .bytes("data: a\n\ndata: b\n"), .cut(.connectionLost)],
                ["connect -", "event a", "fail connectionLost"]
            ),
            ("no policy, refused", nil, [.cut(.cannotConnect)], ["connect -", "fail cannotConnect"]),
            (
                "cut", .standard, [ok, .bytes("id: 1\ndata: a\n\n"), .cut(.connectionLost), .waited],
                ["connect -", "event a", "wait 3000", "connect 1"]
            ),
            (
                "failures in a row", .standard,
                [
                    .cut(.cannotConnect), .waited, .cut(.cannotFindHost), .waited, .cut(.offline), .waited, ok,
                    .bytes(":\n"), .cut(.network),
                ],
                [
                    "connect -", "wait 3000", "connect -", "wait 6000", "connect -", "wait 12000", "connect -",
                    "wait 3000",
                ]
            ),
            (
                "too many", once, [.cut(.offline), .waited, .cut(.offline)],
                ["connect -", "wait 3000", "connect -", "fail offline"]
            ),
            ("futile", .standard, [.cut(.tls)], ["connect -", "fail tls"]),
            ("futile", .standard, [.cut(.malformedResponse)], ["connect -", "fail malformedResponse"]),
            (
                "9.2.3 any network error of a stream that was one", .standard,
                [ok, .bytes("id: 1\ndata: a\n\n"), .cut(.malformedResponse), .waited, ok, .cut(.tls), .waited],
                ["connect -", "event a", "wait 3000", "connect 1", "wait 6000", "connect 1"]
            ),
            (
                "cancelled waiting", .standard, [ok, .end, .cut(.cancelled)],
                ["connect -", "wait 3000", "fail cancelled"]
            ),
            ("cancelled reading", .standard, [ok, .cut(.cancelled)], ["connect -", "fail cancelled"]),
        ]
        for (name, reconnection, steps, log) in rows { XCTAssertEqual(run(reconnection, steps), log, name) }
    }

    func testWait_isNeverShorterThanTheServersTimeAndNeverLongerThanTheLimit() {
        let policy = ServerSentEventReconnection(delay: .seconds(1), maxFailures: nil, maxDelay: .seconds(3))
        let failures = Array(repeating: [Step.cut(.offline), .waited], count: 40).joined()
        let waits = run(policy, Array(failures)).filter { $0.hasPrefix("wait") }
        XCTAssertEqual(waits.prefix(3), ["wait 1000", "wait 2000", "wait 3000"])
        XCTAssertEqual(waits.last, "wait 3000")
        XCTAssertEqual(run(policy, [Self.ok, .bytes("retry: 9000\n"), .cut(.offline)]).last, "wait 9000")
        let endless = ServerSentEventReconnection(
            delay: .seconds(Int64.max), maxFailures: nil, maxDelay: .seconds(Int64.max))
        XCTAssertEqual(run(endless, Array(failures)).filter { $0.hasPrefix("wait") }.first, "wait 1000000000000")
    }

    func testSSE15_theLastIDIsSentWhereThereIsOne() async throws {
        let row = try ConformanceCase.load("SSE-15", area: "sse")
        // The row writes line ends as backslash and n, to be read by people.
        let connections = row.input["connections"].strings.map { $0.replacing("\\n", with: "\n") }
        let requests = Mutex<[String?]>([])
        let clock = ManualClock()
        let events = ServerSentEvents(reconnection: .standard, clock: clock) { id throws(NetworkError) in
            let index = requests.withLock { requests in
                requests.append(id)
                return requests.count - 1
            }
            let body = connections[index].replacing("<close>", with: "")
            var head = HTTPResponse.Head(status: HTTPStatus(body == "<204>" ? 204 : 200), url: URL(filePath: "/"))
            head.headers["Content-Type"] = "text/event-stream"
            return HTTPResponse(head: head, body: .stream(ByteStream([Data(body.utf8)])))
        }
        let task = Task { await collect(events) }
        for _ in 1..<connections.count {
            await clock.waitForSleepers()
            clock.advanceToNextDeadline()
        }
        let result = await task.value
        XCTAssertNil(result.error)
        XCTAssertEqual(result.elements.map(\.data), row.expected["events"].strings)
        XCTAssertEqual(requests.withLock { $0 }, row.expected["Last-Event-ID_headers"].array.map(\.string))
        let wait = Duration.milliseconds(row.expected["wait_before_reconnect_ms"].int ?? 0)
        XCTAssertEqual(clock.requestedSleeps, [wait, wait])
    }
}
