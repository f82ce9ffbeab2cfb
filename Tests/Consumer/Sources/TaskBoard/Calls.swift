import Ferry
import Foundation

struct ListTasks: Paginated {
    typealias Response = [BoardTask]
    var board: String
    var pathTemplate: PathTemplate? { "/boards/\(board)/tasks" }
    var responseKeyPath: JSONKeyPath? { "data.tasks" }
    var pagination: Pagination { .cursor(at: "data.next", parameter: "after", size: ("limit", 50)) }
    var mockResponse: MockResponse? { .fixture("tasks/list.json") }
}

struct GetTask: Api {
    typealias Response = BoardTask
    var id: Int
    var path: String { "/tasks/\(id)" }
    var mockResponse: MockResponse? { .fixture("tasks/\(id).json") }
}

struct AddTask: Api {
    typealias Response = BoardTask
    var board: String
    var title: String
    var method: HTTPMethod { .post }
    var pathTemplate: PathTemplate? { "/boards/\(board)/tasks" }
    var body: RequestBody { .json(["title": title]) }
    var mockResponse: MockResponse? { .fixture("tasks/added.http") }

    /// Sent again after a lost answer, the server adds one task all the same.
    func configure(_ call: inout NetworkCall) { call.options.idempotencyKey = .generated }
}

struct WatchBoard: Api {
    typealias Response = Nothing
    var board: String
    var pathTemplate: PathTemplate? { "/boards/\(board)/changes" }
    var mockResponse: MockResponse? { .fixture("tasks/changes.sse") }
}
