import Ferry
import Foundation

struct Repo: Decodable, Sendable, Equatable {
    let name: String
    let stars: Int
}

struct User: Decodable, Sendable, Equatable {
    let login: String
}

struct NewRepo: Encodable, Sendable {
    let name: String
}

struct SearchRepos: Api {
    typealias Response = [Repo]
    var text: String
    var path: String { "/search/repositories" }
    var query: Parameters { ["q": text, "per_page": 50] }
    var responseKeyPath: JSONKeyPath? { "items" }
    var mockResponse: MockResponse? { .json(#"{"items": [{"name": "mocked", "stars": 1}]}"#) }
}

/// Every property of an Api that a call described as a type can set.
struct RenameRepo: Api {
    typealias Response = Repo
    var id: Int
    var name: String
    var method: HTTPMethod { .patch }
    var path: String { "/repos/\(id)" }
    var query: Parameters { ["notify": false] }
    var headers: HTTPHeaders { ["X-Reason": "typo"] }
    var body: RequestBody { .json(NewRepo(name: name)) }
    var responseKeyPath: JSONKeyPath? { "data.repo" }
    var mockResponse: MockResponse? { .fixture("repos/1.json") }
}

struct DeleteRepo: Api {
    typealias Response = Void
    var id: Int
    var method: HTTPMethod { .delete }
    var path: String { "/repos/\(id)" }
}

/// The sample of the design, call by call, against a server on this machine.
func sample(url: URL) async throws(NetworkError) {
    let github = NetworkClient(baseURL: url) {
        $0.headers["Accept"] = "application/vnd.github+json"
        $0.retry = .exponential(initial: .milliseconds(1), maxRetries: 3)
        $0.errorMessageKeyPath = "message"
    }

    let repos = try await github.request(SearchRepos(text: "swift"))
    check(repos == [Repo(name: "ferry", stars: 3)], "an Api gives its type, unwrapped")

    let user: User = try await github.get("/users/apple")
    check(user == User(login: "apple"), "a verb gives the type that is asked for")

    let call = NetworkCall(.post, "/repos", body: .json(NewRepo(name: "x")))
    let made = try await github.request(call, as: Repo.self)
    check(made == Repo(name: "x", stars: 0), "a call as a value")

    let renamed = try await github.request(RenameRepo(id: 1, name: "y"))
    check(renamed == Repo(name: "y", stars: 0), "an Api with every property")
    try await github.request(DeleteRepo(id: 1))

    let response = try await github.response(SearchRepos(text: "swift"))
    check(response.status == .ok && response.value == repos, "the value with its response")

    try await errors(github)
    try await shared(url: url)
    try await mocks(url: url)
}

private func errors(_ github: NetworkClient) async throws(NetworkError) {
    do throws(NetworkError) {
        let user: User = try await github.get("/users/nobody")
        check(false, "found \(user)")
    } catch {
        check(error.kind == .client && error.isNotFound, "404 is a client error")
        check(error.serverMessage == "Not Found", "the server's message")
        check(error.attempts.count == 1, "a 404 is not retried")
    }
    let flaky: User = try await github.get("/flaky")
    check(flaky == User(login: "third time"), "a 503 is retried")
}

private func shared(url: URL) async throws(NetworkError) {
    let url = url.appending(path: "users/apple")
    let user: User = try await NetworkClient.shared.request(
        NetworkCall(
            .get, url: url, headers: ["X-Shared": "yes"], retry: .exponential(initial: .seconds(5), maxRetries: 2),
            timeout: .seconds(10)))
    check(user == User(login: "apple"), "the shared client with an absolute URL")
}

private func mocks(url: URL) async throws(NetworkError) {
    let mocked = NetworkClient(baseURL: url) {
        $0.mocking = .on(.memory(["repos/1.json": Data(#"{"data": {"repo": {"name": "fixed", "stars": 2}}}"#.utf8)]))
    }
    let repos = try await mocked.request(SearchRepos(text: "swift"))
    check(repos == [Repo(name: "mocked", stars: 1)], "a mock goes the way of a response")
    let repo = try await mocked.request(RenameRepo(id: 1, name: "y"))
    check(repo == Repo(name: "fixed", stars: 2), "a fixture")
    do throws(NetworkError) {
        try await mocked.request(DeleteRepo(id: 1))
        check(false, "answered without a mock")
    } catch {
        check(error.kind == .mock, "a missing mock is an error")
    }
}
