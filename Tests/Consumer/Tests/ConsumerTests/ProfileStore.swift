import Ferry
import Foundation

struct Profile: Codable, Sendable, Equatable {
    let id: Int
    let name: String
}

/// What is tested: code of an app that makes calls.
struct ProfileStore: Sendable {
    let client: NetworkClient

    func profile(_ id: Int) async throws(NetworkError) -> Profile { try await client.get("/users/\(id)") }

    func rename(_ id: Int, to name: String) async throws(NetworkError) {
        try await client.request(NetworkCall(.patch, "/users/\(id)", body: .json(["name": name])))
    }

    /// Swallows what goes wrong, as code of apps does.
    func count() async -> Int { ((try? await client.get("/count")) as Int?) ?? 0 }
}

let api = URL(string: "https://api.example")
