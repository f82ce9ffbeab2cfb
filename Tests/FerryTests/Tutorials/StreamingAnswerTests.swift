import Ferry
import FerryTesting
import Foundation
import XCTest

// The files that the tutorial "Streaming an LLM answer" ends with, word for word; see `StorySourcesTests`.

// story: stream-04.swift
/// One event of the answer: a few more characters.
struct Piece: Decodable, Sendable {
    struct Choice: Decodable, Sendable {
        struct Delta: Decodable, Sendable { let content: String? }
        let delta: Delta
    }

    let choices: [Choice]

    var text: String { choices.first?.delta.content ?? "" }
}

struct Question: Encodable, Sendable {
    struct Message: Encodable, Sendable {
        let role: String
        let content: String
    }

    let model = "small"
    let stream = true
    let messages: [Message]

    init(_ text: String) { messages = [Message(role: "user", content: text)] }
}

struct Assistant: Sendable {
    let client: NetworkClient

    init(baseURL: URL?, key: String) {
        client = NetworkClient(baseURL: baseURL) {
            $0.authorization = .bearer(key)
            $0.timeouts = Timeouts(head: .seconds(20), idle: .seconds(30))
            $0.retry = .exponential(maxRetries: 2).retryingUnsafeMethods()
            $0.errorMessageKeyPath = "error.message"
        }
    }

    func answer(to question: String) -> ServerSentEventValues<Piece> {
        let call = NetworkCall(.post, "/chat/completions", body: .json(Question(question)))
        return client.serverSentEvents(call, as: Piece.self, until: "[DONE]")
    }
}
// end

// story: stream-07.swift
@MainActor
final class Conversation {
    private(set) var text = ""
    private(set) var problem: String?
    private let assistant: Assistant
    private var asking: Task<Void, Never>?

    init(_ assistant: Assistant) { self.assistant = assistant }

    func start(_ question: String) {
        stop()
        asking = Task { await ask(question) }
    }

    func stop() { asking?.cancel() }

    func ask(_ question: String) async {
        text = ""
        problem = nil
        do throws(NetworkError) {
            for try await piece in assistant.answer(to: question) { text += piece.text }
        } catch {
            // What has arrived stays on the screen.
            if !error.isCancelled { problem = error.serverMessage ?? error.message }
        }
    }
}
// end

// story: stream-09.swift
final class ConversationTests: XCTestCase {
    private static func event(_ text: String) -> String {
        #"data: {"choices": [{"delta": {"content": "\#(text)"}}]}"# + "\n\n"
    }

    func testAnswer_growsWhileItArrives() async throws {
        let server = try await LoopbackServer.start()
        let gate = Gate()
        server.on(
            .post, "/chat/completions",
            .stream(contentType: .eventStream) { writer in
                try await writer.write(Self.event("Go "))
                await gate.wait()
                try await writer.write(Self.event("north.") + "data: [DONE]\n\n")
            })
        let assistant = Assistant(baseURL: server.baseURL, key: "k")

        var seen: [String] = []
        for try await piece in assistant.answer(to: "Where to?") {
            seen.append(piece.text)
            gate.open()  // The first piece is here; only now does the server send the second.
        }

        XCTAssertEqual(seen, ["Go ", "north."])
        await server.stop()
    }

    @MainActor
    func testProblem_isWhatTheServerSays() async throws {
        let server = try await LoopbackServer.start()
        server.on(.post, "/chat/completions", .json(#"{"error": {"message": "No credit left"}}"#, status: 402))
        let conversation = Conversation(Assistant(baseURL: server.baseURL, key: "k"))

        await conversation.ask("Where to?")

        XCTAssertEqual(conversation.problem, "No credit left")
        XCTAssertEqual(server.requests.first?.headers["Authorization"], "Bearer k")
        await server.stop()
    }

    @MainActor
    func testStop_closesTheConnection() async throws {
        let server = try await LoopbackServer.start()
        server.on(
            .post, "/chat/completions",
            .stream(contentType: .eventStream) { writer in
                try await writer.write(Self.event("Go "))
                await writer.waitForDisconnect()
            })
        let conversation = Conversation(Assistant(baseURL: server.baseURL, key: "k"))

        conversation.start("Where to?")
        await server.waitForRequests(1)
        conversation.stop()

        await server.waitForConnectionsClosed()
        XCTAssertNil(conversation.problem)
        await server.stop()
    }
}
// end
