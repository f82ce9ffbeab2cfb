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
}
