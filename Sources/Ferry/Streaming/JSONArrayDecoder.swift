public import Foundation

/// Decodes the elements of one JSON array as they arrive.
public struct JSONArrayDecoder<Value: Decodable & Sendable>: StreamParser {
    @usableFromInline var parser: JSONArrayParser
    @usableFromInline let decoder: JSONDecoder
    @usableFromInline let place: String
    @usableFromInline var index = 0
    @usableFromInline var isFinished = false

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - path: Keys, and indexes of arrays in decimal, that lead to the array. Default: none, the text is the array.
    ///   - decoder: Default: a plain one.
    ///   - maxElementSize: Largest element in bytes; a larger one is an error. Default 16 MiB.
    public init(
        path: [String] = [], decoder: JSONDecoder = JSONDecoder(),
        maxElementSize: Int = JSONArrayParser.defaultMaxElementSize
    ) {
        parser = JSONArrayParser(path: path, maxElementSize: maxElementSize)
        self.decoder = decoder
        place = path.joined(separator: ".")
    }

    /// Takes the next bytes.
    public mutating func append(_ bytes: some ContiguousBytes) { parser.append(bytes) }

    /// Says that the input is complete.
    public mutating func finish() { parser.finish() }

    /// The next element, or nil.
    ///
    /// - Throws: What `JSONArrayParser` throws, and `NetworkError` of kind `decoding` for an element that is not a
    ///   `Value`; its `codingPath` leads into the element (`items[3].name`).
    @inlinable
    public mutating func next() throws(NetworkError) -> Value? {
        guard !isFinished else { return nil }
        guard let data = try parser.next() else { return nil }
        do {
            let value = try decoder.decode(Value.self, from: data)
            index += 1
            return value
        } catch {
            isFinished = true
            throw .undecodable(error, as: Value.self, name: "Element \(index)", place: "\(place)[\(index)]")
        }
    }
}
