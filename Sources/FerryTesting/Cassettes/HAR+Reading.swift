import Ferry
import Foundation

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
        // A number that is too large, or has a fraction where there can be none.
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            return "\(path(context.codingPath)) has a value that it cannot have"
        default: return "it is no JSON"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the file" : keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    /// Writes the file in one step, members sorted, so that a new recording differs only where the exchange does. Nobody
    /// but its owner can read it: what redaction does not know of is still in it.
    ///
    /// - Throws: `NetworkError` of kind `file`.
    func write(_ file: URL) throws(NetworkError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try PrivateFile.write(encoder.encode(self) + Data("\n".utf8), to: file)
        } catch {
            throw NetworkError(
                .file, "The cassette \(file.path(percentEncoded: false)) cannot be written", underlying: error)
        }
    }
}
