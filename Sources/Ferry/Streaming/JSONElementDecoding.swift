import Foundation

extension JSONDecoder {
    /// Decodes one of many JSON values.
    ///
    /// - Parameters:
    ///   - data: The value's bytes.
    ///   - name: What the value is called in the error's message, such as `Record 2 (line 3)`.
    ///   - place: Where it lies, as the beginning of the error's coding path, such as `items[1]`.
    /// - Throws: `NetworkError` of kind `decoding`.
    func decodeElement<Value: Decodable>(
        _ type: Value.Type, from data: Data, name: @autoclosure () -> String, place: @autoclosure () -> String
    ) throws(NetworkError) -> Value {
        do {
            return try decode(type, from: data)
        } catch {
            let path = place() + Self.path(of: error)
            let message =
                if case DecodingError.dataCorrupted(let context) = error, context.codingPath.isEmpty {
                    "\(name()) is not valid JSON"
                } else {
                    "\(name()) is not \(type), at \(path)"
                }
            throw NetworkError(.decoding, message, underlying: error).with { $0.codingPath = path }
        }
    }

    /// The path of a decoding error, such as `.items[3].name`; empty at the root.
    private static func path(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "" }
        let keys: [any CodingKey] =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            @unknown default: []
            }
        return keys.reduce(into: "") { text, key in
            text += key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
        }
    }
}
