extension NetworkError {
    /// The error of one of many JSON values that is not what it should be.
    ///
    /// - Parameters:
    ///   - error: What the decoder threw.
    ///   - type: What the value should be.
    ///   - name: What the value is called in the error's message, such as `Record 2 (line 3)`.
    ///   - place: Where it lies, as the beginning of the error's coding path, such as `items[1]`.
    /// - Returns: An error of kind `decoding`.
    @usableFromInline
    static func undecodable(_ error: any Error, as type: Any.Type, name: String, place: String) -> NetworkError {
        let path = place + Self.path(of: error)
        let message =
            if case DecodingError.dataCorrupted(let context) = error, context.codingPath.isEmpty {
                "\(name) is not valid JSON, or has a number out of range"
            } else {
                "\(name) is not \(type), at \(path)"
            }
        return NetworkError(.decoding, message, underlying: error).with { $0.codingPath = path }
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
