// Fixtures: files that stand for content of a server, in test targets and folders.

public import Ferry
public import Foundation

/// A fixture file, read when it is made.
///
/// ```swift
/// let fixture = try Fixture("users/1.json", in: .bundle(.module, subdirectory: "Fixtures"))
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
        guard let marker = PacedText.marker(of: name) else {
            return .data(data, contentType: type, status: status ?? .ok)
        }
        let steps = try PacedText.steps(of: data, marker: marker, name: name)
        guard steps.count > 1 || steps.first.map({ $0.after > .zero }) ?? false else {
            return .data(data, contentType: type, status: status ?? .ok)
        }
        return .chunks(steps, status: status ?? .ok, contentType: type)
    }
}

/// Text with lines that say when the rest comes.
enum PacedText {
    /// What begins a mark in a file of that name; nil where it has none.
    static func marker(of name: String) -> String? {
        switch FileNameExtension.of(name)?.lowercased() {
        case "sse": ": wait "
        case "ndjson", "jsonl": "# wait "
        default: nil
        }
    }

    /// The content between the marks, each with the time after the one before.
    static func steps(
        of data: Data, marker: String, name: String
    ) throws(NetworkError) -> [(after: Duration, data: Data)] {
        var steps: [(after: Duration, data: Data)] = []
        var wait = Duration.zero
        var content = Data()
        var rest = data[...]
        var number = 0
        while !rest.isEmpty {
            number += 1
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            let line = rest[..<end]
            rest = rest[end...]
            guard line.starts(with: marker.utf8) else {
                content.append(line)
                continue
            }
            let text = FieldSyntax.trimmed(String(decoding: line.dropFirst(marker.utf8.count), as: UTF8.self))
            let bare = text.utf8.last == 0x0A || text.utf8.last == 0x0D ? String(text.dropLast()) : text
            guard let time = duration(FieldSyntax.trimmed(bare)) else {
                throw NetworkError(
                    .mock,
                    "Fixture \(name.debugDescription): line \(number) is a pacing mark without a time such as "
                        + "250ms or 1.5s")
            }
            if !content.isEmpty {
                steps.append((wait, content))
                wait = .zero
                content = Data()
            }
            wait += time
        }
        if !content.isEmpty { steps.append((wait, content)) }
        return steps
    }

    /// `250ms`, `1.5s`.
    private static func duration(_ text: some StringProtocol) -> Duration? {
        let isMilliseconds = text.hasSuffix("ms")
        guard isMilliseconds || text.hasSuffix("s"), let number = Double(text.dropLast(isMilliseconds ? 2 : 1)),
            (0...1e9).contains(number)
        else { return nil }
        return isMilliseconds ? .milliseconds(number) : .milliseconds(number * 1000)
    }
}
