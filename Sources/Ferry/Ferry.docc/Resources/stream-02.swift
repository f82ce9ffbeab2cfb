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
