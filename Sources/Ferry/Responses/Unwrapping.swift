import Foundation

/// A value at a key path, found by descending with the decoder: one pass, no detour through `Any` or re-written JSON,
/// so that numbers keep their precision.
///
/// What to look for comes as a configuration: a `userInfo` would have to be written to a decoder that calls share.
struct Unwrapped<Value: Decodable>: DecodableWithConfiguration {
    let value: Value

    init(from decoder: any Decoder, configuration: Descent) throws {
        var place = decoder
        for segment in configuration.path.segments {
            if try place.singleValueContainer().decodeNil() {
                guard let empty = emptyBody(of: Value.self) else { throw configuration.foundNull(place.codingPath) }
                value = empty
                return
            }
            place = try configuration.descend(to: segment, from: place)
        }
        // Through the container and not `Value(from: place)`: only the decoder knows its own ways with Date, Data,
        // Decimal, URL and dictionaries.
        let container = try place.singleValueContainer()
        do {
            value = try container.decode(Value.self)
        } catch {
            // A type may read null in its own way; only where it does not is null the reason.
            guard container.decodeNil() else { throw error }
            throw configuration.foundNull(place.codingPath)
        }
    }
}

/// The way from the root of a document to the value at a path.
struct Descent {
    let path: JSONKeyPath
    let keys: JSONDecoder.KeyDecodingStrategy

    /// The place of `segment` in the array or object at `place`.
    func descend(to segment: String, from place: any Decoder) throws -> any Decoder {
        if JSONKeyPath.isIndex(segment), var elements = try? place.unkeyedContainer() {
            return try element(segment, of: &elements)
        }
        let members: KeyedDecodingContainer<Key>
        do {
            members = try place.container(keyedBy: Key.self)
        } catch {
            throw wrongContainer(place, segment)
        }
        for name in [segment, converted(segment, place.codingPath)] {
            let key = Key(stringValue: name)
            if members.contains(key) { return try members.superDecoder(forKey: key) }
        }
        throw missing(Key(stringValue: segment), place.codingPath, "has no key \(quoted(segment))")
    }

    private func element(_ segment: String, of elements: inout any UnkeyedDecodingContainer) throws -> any Decoder {
        // An index that does not fit Int is past the end of any array.
        let index = Int(segment) ?? .max
        let path = elements.codingPath
        if index < elements.count ?? .max {
            while elements.currentIndex < index, !elements.isAtEnd { _ = try elements.superDecoder() }
            if !elements.isAtEnd { return try elements.superDecoder() }
        }
        let count = elements.count.map { ": it has \($0)" } ?? ""
        throw missing(Key(index: index), path, "has no element \(segment)" + count)
    }

    /// The segment as the decoder's key strategy rewrites it: the keys of a container are rewritten already, and a path
    /// may be written either way.
    private func converted(_ segment: String, _ path: [any CodingKey]) -> String {
        switch keys {
        case .useDefaultKeys: return segment
        case .custom(let convert): return convert(path + [Key(stringValue: segment)]).stringValue
        default:
            // Foundation's own rules, by letting it rewrite one key.
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = keys
            let probe = try? decoder.decode(KeyProbe.self, from: JSONEncoder().encode([segment: 0]))
            return probe?.name ?? segment
        }
    }
}

extension Descent {
    func foundNull(_ path: [any CodingKey]) -> NetworkError {
        let context = DecodingError.Context(codingPath: path, debugDescription: "Found null")
        return failure("\(name(of: path)) is null", path, DecodingError.valueNotFound(Any.self, context))
    }

    private func missing(_ key: Key, _ path: [any CodingKey], _ what: String) -> NetworkError {
        let context = DecodingError.Context(codingPath: path, debugDescription: "No value for the key")
        return failure("\(name(of: path)) \(what)", path + [key], DecodingError.keyNotFound(key, context))
    }

    private func wrongContainer(_ place: any Decoder, _ segment: String) -> NetworkError {
        let path = place.codingPath
        let isArray = (try? place.unkeyedContainer()) != nil
        let what =
            isArray
            ? "is an array, and \(quoted(segment)) is not an index"
            : "is neither object nor array, and has no \(quoted(segment))"
        let context = DecodingError.Context(codingPath: path, debugDescription: "Expected an object")
        return failure("\(name(of: path)) \(what)", path, DecodingError.typeMismatch([String: Any].self, context))
    }

    private func failure(_ message: String, _ path: [any CodingKey], _ underlying: DecodingError) -> NetworkError {
        NetworkError(.unwrapping, "Key path \(quoted(self.path.description)): \(message)", underlying: underlying)
            .with { $0.codingPath = DecodingError.text(of: path) }
    }

    private func name(of path: [any CodingKey]) -> String {
        path.isEmpty ? "the document" : quoted(DecodingError.text(of: path))
    }

    private func quoted(_ text: String) -> String { "'\(text)'" }
}

extension Descent {
    /// Any key, or an index.
    struct Key: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(stringValue: String) {
            self.stringValue = stringValue
            intValue = nil
        }

        init(intValue: Int) { self.init(index: intValue) }

        init(index: Int) {
            stringValue = "Index \(index)"
            intValue = index
        }
    }

    /// Reads the only key of an object.
    private struct KeyProbe: Decodable {
        let name: String?

        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: Key.self).allKeys.first?.stringValue
        }
    }
}
