import Ferry
import Foundation

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
