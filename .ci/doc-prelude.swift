// The names that samples may use without declaring them. Each is what a reader would take it for.

import Ferry
import FerryCurl
import FerryTesting
import Foundation

// MARK: Values

struct User: Codable, Sendable {
    var id = 1
    var name = ""
}

struct Repo: Codable, Sendable {
    var name = ""
    var stars = 0
}

struct NewRepo: Codable, Sendable {
    var name: String
}

/// What a token endpoint answers (RFC 6749 §5.1).
struct Tokens: Decodable, Sendable {
    var access_token: String
    var refresh_token: String?

    var credential: BearerCredential { BearerCredential(accessToken: access_token, refreshToken: refresh_token) }
}

struct Feed: Decodable, Sendable {
    var items: [String] = []
}

struct ChatChunk: Decodable, Sendable {
    let text: String
}

let url = URL(filePath: "/")
let file = URL(filePath: "/")
let fixtures = URL(filePath: "/")
let directory = URL(filePath: "/")
let folder = URL(filePath: "/")
let data = Data()
let output = FileHandle.nullDevice
let id = 1
let ids = [1, 2]
let text = ""
let name = ""

// MARK: Calls

struct GetUser: Api {
    typealias Response = User
    var id: Int
    var path: String { "/users/\(id)" }
}

struct SearchRepos: Api {
    typealias Response = [Repo]
    var text: String
    var path: String { "/search/repositories" }
}

struct ListRepos: Paginated {
    typealias Response = [Repo]
    var owner: String
    var path: String { "/users/\(owner)/repos" }
    var pagination: Pagination { .linkHeader() }
}

struct RefreshToken: Api {
    typealias Response = Tokens
    let method = HTTPMethod.post
    let path = "/token"
    let body: RequestBody

    init(_ token: String?) { body = .form(["grant_type": "refresh_token", "refresh_token": token ?? ""]) }
}

let client = NetworkClient(baseURL: url)
let github = client
let jar = CookieJar()
let clock = ManualClock()
let gate = Gate()
let mock = MockTransport()
let isRecording = false
/// Samples change it; nothing runs.
nonisolated(unsafe) var call = NetworkCall(.get, "/users")
nonisolated(unsafe) var server: LoopbackServer!
nonisolated(unsafe) var events: ServerSentEvents!

extension Bundle {
    /// What SwiftPM gives a target with resources.
    static var module: Bundle { .main }
}

// MARK: What an app does

enum keychain {
    static func save(_ credential: BearerCredential?) {}
}

let saved: BearerCredential? = nil

func signIn() {}
func showRetry() {}
func show(_ message: String) {}
func show(_ feed: Feed, isCached: Bool) {}
func show(_ fraction: Double?) {}
func show(_ event: DownloadEvent) {}
func open(_ file: URL) {}
func sign(_ request: HTTPRequest) throws(NetworkError) -> String { request.description }
