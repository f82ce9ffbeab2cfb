import Ferry
import FerryTesting
import Foundation
import XCTest

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
