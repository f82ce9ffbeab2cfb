// Fixtures: files that stand for content of a server, in test targets and folders.

public import Ferry
public import Foundation

/// A fixture file, read when it is made.
///
/// ```swift
/// let fixture = try Fixture("users/1.json", in: .module)                   // or in: .directory(folder)
/// let user = try fixture.decode(User.self)
/// mock.on(.get, "/users/1", try fixture.response())
/// ```
///
/// Files of server-sent events and of JSON lines may have pacing marks, lines that say when the rest comes and are no part
/// of the content: `: wait 250ms` in `.sse`, `# wait 1.5s` in `.ndjson` and `.jsonl`.
public struct Fixture: Sendable {
    /// The name below the source.
    public let name: String
    /// The bytes of the file.
    public let data: Data

    /// Reads a fixture.
    ///
    /// - Parameters:
    ///   - name: Its path below the source, such as `users/1.json`.
    ///   - source: Where fixtures are found.
    /// - Throws: `NetworkError` of kind `mock` that names every path that was tried.
    public init(_ name: String, in source: FixtureSource) throws(NetworkError) {
        self.name = name
        data = try source.data(named: name)
    }

    /// Reads a fixture of a bundle: below its `Fixtures` folder, else among its resources.
    ///
    /// - Parameters:
    ///   - name: Its path below the folder, such as `users/1.json`.
    ///   - bundle: Usually `.module`, of a target with `resources: [.copy("Fixtures")]`.
    /// - Throws: `NetworkError` of kind `mock` that names every path that was tried.
    public init(_ name: String, in bundle: Bundle) throws(NetworkError) {
        try self.init(name, in: .sources([.bundle(bundle, subdirectory: "Fixtures"), .bundle(bundle)]))
    }

    /// The file as text; bytes that are no UTF-8 show as U+FFFD.
    public var text: String { String(decoding: data, as: UTF8.self) }

    /// The file decoded as JSON.
    ///
    /// - Throws: `NetworkError` of kind `decoding` that names the fixture.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder())
        throws(NetworkError) -> Value
    {
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw NetworkError(.decoding, "Fixture \(name.debugDescription) is no JSON of \(type)", underlying: error)
        }
    }

    /// The fixture as an answer: a whole response from a `.http` file, a schedule from a file with pacing marks, else the
    /// bytes with the Content-Type of the extension.
    ///
    /// - Parameter status: Default: what a `.http` file says, else 200.
    /// - Throws: `NetworkError` of kind `mock` for a malformed `.http` file or pacing mark, naming file and line.
    public func response(status: HTTPStatus? = nil) throws(NetworkError) -> MockResponse {
        if FixtureName.isRawResponse(name) {
            let raw = try RawFixture(data, name: name)
            return .data(raw.body, status: status ?? raw.status, headers: raw.headers)
        }
        let type = FixtureName.mediaType(of: name)
        guard let paced = try PacedText(data, name: name) else {
            return .data(data, contentType: type, status: status ?? .ok)
        }
        return .chunks(paced.chunks.map { ($0.wait, $0.data) }, status: status ?? .ok, contentType: type)
    }
}
