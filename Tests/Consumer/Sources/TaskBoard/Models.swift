import Foundation

package struct BoardTask: Codable, Sendable, Equatable {
    package var id: Int
    package var title: String
    package var isDone: Bool
    package var due: Date?

    package init(id: Int, title: String, isDone: Bool = false, due: Date? = nil) {
        self.id = id
        self.title = title
        self.isDone = isDone
        self.due = due
    }

    private enum CodingKeys: String, CodingKey {
        case id, title, due
        case isDone = "done"
    }
}

/// What happens on a board, as the server tells it.
package struct BoardChange: Codable, Sendable, Equatable {
    package var kind: String
    package var task: BoardTask

    package init(kind: String, task: BoardTask) {
        self.kind = kind
        self.task = task
    }
}

/// What the token endpoint answers.
struct Tokens: Decodable, Sendable {
    let access_token: String
    let refresh_token: String
    let expires_in: Double
}
