package import Foundation

/// Makes a typed value of a response's content.
package enum ResponseDecoder {
    /// The value.
    ///
    /// `Nothing` takes anything. Without a key path, `Data` is the bytes as they came, and `String` the text by its
    /// charset; with one, also the empty one, they are values in the JSON like any other. A body without bytes, or of
    /// white space alone, is empty: an optional is nil then, and any other type an error.
    ///
    /// - Parameters:
    ///   - type: What to decode.
    ///   - head: The response's head.
    ///   - body: Its whole content.
    ///   - keyPath: Where in the JSON the value is. Default nil: the whole document.
    ///   - decoder: Shared by calls, and not changed.
    ///   - fallback: The value where this method would throw kind `decoding`, `unwrapping` or `emptyBody`. Default nil.
    /// - Throws: `NetworkError` with the head and content: kind `emptyBody`, `decoding`, `unwrapping` (the key path
    ///   leads nowhere) or `invalidRequest` (the key path is malformed).
    package static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, head: HTTPResponse.Head, body: Data, keyPath: JSONKeyPath? = nil,
        decoder: JSONDecoder, fallback: Value? = nil
    ) throws(NetworkError) -> Value {
        do throws(NetworkError) {
            return try value(type, head: head, body: body, keyPath: keyPath, decoder: decoder)
        } catch {
            if let fallback, [.decoding, .unwrapping, .emptyBody].contains(error.kind) { return fallback }
            throw error.with { $0.keep(head: head, body: body, decoder: decoder) }
        }
    }

    private static func value<Value: Decodable>(
        _ type: Value.Type, head: HTTPResponse.Head, body: Data, keyPath: JSONKeyPath?, decoder: JSONDecoder
    ) throws(NetworkError) -> Value {
        try keyPath?.validate()
        if type == Nothing.self, let nothing = Nothing() as? Value { return nothing }
        if keyPath == nil, let raw: Value = try raw(head: head, body: body) { return raw }
        guard !isBlank(body), head.status != .noContent, head.status != .resetContent else {
            if let empty = emptyBody(of: type) { return empty }
            throw NetworkError(.emptyBody, "The response has no content, and \(type) needs some")
        }
        do throws(NetworkError) {
            return try unwrap(type, at: keyPath ?? "", in: body, decoder: decoder)
        } catch {
            // A portal's page instead of the answer is better named than its first wrong character.
            guard error.kind == .decoding, error.codingPath == nil, let contentType = head.contentType,
                !contentType.isJSON
            else { throw error }
            throw error.with { $0.message += "; its content type is \(contentType.essence)" }
        }
    }

    /// The content without decoding, for the types that ask for it, and their optionals.
    private static func raw<Value>(head: HTTPResponse.Head, body: Data) throws(NetworkError) -> Value? {
        if Value.self == Data.self { return body as? Value }
        if Value.self == String.self {
            return try TextDecoding.string(body, contentType: head.contentType) as? Value
        }
        guard !body.isEmpty else { return nil }
        if Value.self == Data?.self { return Optional(body) as? Value }
        if Value.self == String?.self {
            return try Optional(TextDecoding.string(body, contentType: head.contentType)) as? Value
        }
        return nil
    }

    /// The value at a path of a JSON document, in one pass.
    ///
    /// - Throws: `NetworkError` of kind `decoding` or `unwrapping`, without the response.
    package static func unwrap<Value: Decodable>(
        _ type: Value.Type = Value.self, at path: JSONKeyPath, in json: Data, decoder: JSONDecoder
    ) throws(NetworkError) -> Value {
        try path.validate()
        do {
            guard !path.segments.isEmpty else { return try decoder.decode(type, from: json) }
            let descent = Descent(path: path, keys: decoder.keyDecodingStrategy)
            return try decoder.decode(Unwrapped<Value>.self, from: json, configuration: descent).value
        } catch let error as NetworkError {
            throw error
        } catch {
            throw NetworkError.decoding(type, error)
        }
    }

    /// Whether there are no bytes but JSON's white space (RFC 8259 §2), and a byte order mark before it (§8.1).
    private static func isBlank(_ body: Data) -> Bool {
        let hasMark = body.first == 0xEF && body.starts(with: [0xEF, 0xBB, 0xBF])
        let text = hasMark ? body.dropFirst(3) : body
        return text.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }
}
