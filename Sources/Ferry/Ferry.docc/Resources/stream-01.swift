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
