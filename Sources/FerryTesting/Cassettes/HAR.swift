// Cassettes: exchanges in files of HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/), written by a
// RecordingTransport and served by a ReplayTransport, which serves those of browsers and proxies as well.

import Ferry
import Foundation

/// An HTTP Archive 1.2: what Ferry writes of it, and what it needs of others' files. Unknown fields are not kept.
///
/// Names with an underscore are extensions, which the format allows and readers skip.
struct HAR: Codable, Sendable {
    var log = Log()

    struct Log: Codable, Sendable {
        var version = "1.2"
        var creator = Creator()
        var entries: [Entry] = []
    }

    struct Creator: Codable, Sendable {
        var name = "Ferry"
        var version = "1"
    }

    struct Entry: Codable, Sendable {
        var startedDateTime: String
        /// Milliseconds in all.
        var time: Double
        var request: Request
        var response: Response
        var cache = Cache()
        var timings: Timings?
        /// Why there is no response: a kind of NetworkError, or another tool's words.
        var _error: String?
        /// The chunks of a streamed body: milliseconds after the head, and bytes.
        var _chunks: [[Double]]?
    }

    struct Pair: Codable, Hashable, Sendable {
        var name: String
        var value: String
    }

    struct Request: Codable, Sendable {
        var method: String
        var url: String
        var httpVersion: String?
        var cookies: [Cookie]?
        var headers: [Pair]
        var queryString: [Pair]?
        var postData: PostData?
        var headersSize: Int?
        var bodySize: Int?
    }

    struct PostData: Codable, Sendable {
        var mimeType: String?
        var text: String?
        var params: [Parameter]?
        /// `base64` where the text is.
        var _encoding: String?
    }

    struct Parameter: Codable, Sendable {
        var name: String
        var value: String?
    }

    struct Response: Codable, Sendable {
        var status: Int
        var statusText: String?
        var httpVersion: String?
        var cookies: [Cookie]?
        var headers: [Pair]
        var content: Content
        var redirectURL: String?
        var headersSize: Int?
        var bodySize: Int?
    }

    struct Content: Codable, Sendable {
        var size: Int?
        var mimeType: String?
        var text: String?
        var encoding: String?
    }

    /// Only its place: cookies are in the header fields, redacted there.
    struct Cookie: Codable, Sendable {}

    struct Cache: Codable, Sendable {}

    /// Milliseconds; -1 where a phase does not apply.
    struct Timings: Codable, Sendable {
        var send: Double?
        var wait: Double?
        var receive: Double?
    }
}

extension HAR {
    /// Reads a file.
    ///
    /// - Throws: `NetworkError` of kind `file` for one that cannot be read, `mock` for one that is no HAR.
    static func read(_ file: URL) throws(NetworkError) -> HAR {
        let path = file.path(percentEncoded: false)
        var data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw NetworkError(.file, "The cassette \(path) cannot be read", underlying: error)
        }
        // Some tools write a byte order mark.
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { data = Data(data.dropFirst(3)) }
        do {
            return try JSONDecoder().decode(HAR.self, from: data)
        } catch {
            throw NetworkError(.mock, "The cassette \(path) is no HAR 1.2: \(Self.words(error))", underlying: error)
        }
    }

    private static func words(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is no JSON" }
        switch error {
        case .keyNotFound(let key, let context): return "\(path(context.codingPath)) has no \(key.stringValue)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "\(path(context.codingPath)) is of another type"
        default: return "it is no JSON"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the file" : keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    /// Puts bytes in the place of a file in one step, for this user alone: content is recorded as it is but for its secrets.
    private static func write(_ data: Data, to file: URL) throws {
        let path = file.path(percentEncoded: false)
        let temporary = path + ".\(UUID().uuidString)"
        guard FileManager.default.createFile(atPath: temporary, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        do {
            let handle = try FileHandle(forWritingTo: URL(filePath: temporary, directoryHint: .notDirectory))
            defer { try? handle.close() }
            try handle.write(contentsOf: data)
            guard rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            throw error
        }
    }

    /// Writes the file in one step, members sorted, so that a new recording differs only where the exchange does.
    ///
    /// - Throws: `NetworkError` of kind `file`.
    func write(_ file: URL) throws(NetworkError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Self.write(encoder.encode(self) + Data("\n".utf8), to: file)
        } catch {
            throw NetworkError(
                .file, "The cassette \(file.path(percentEncoded: false)) cannot be written", underlying: error)
        }
    }
}
