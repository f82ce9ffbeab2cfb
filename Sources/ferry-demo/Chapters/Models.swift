/// A user of the small API in `Fixtures/api`.
struct User: Decodable, Sendable {
    let id: Int
    let login: String
    let name: String
}

/// A repository of the same.
struct Repo: Decodable, Sendable {
    let name: String
    let stars: Int
}

/// What the chapters send.
struct NewRepo: Codable, Equatable, Sendable {
    var name: String
    var stars: Int
}
