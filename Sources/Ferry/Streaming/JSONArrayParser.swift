public import Foundation

/// Splits the elements of one JSON array, at the top or below a key path, out of a text of any size in bounded memory.
///
/// ```
///   {"total": 2, "data": {"items": [{"id": 1}, {"id": 2}], "next": null}}
///                                   ^^^^^^^^^  ^^^^^^^^^            path ["data", "items"]
/// ```
///
/// Each element is given out as soon as its last byte is there, a number at the byte after it. The whole text is
/// checked, also what is skipped before, between and after: a trailing comma, garbage or an early end is an error, after
/// the elements that came before it. Strings of members that are skipped are not checked for valid UTF-8. Where a key
/// of the path is repeated in an object the first counts.
public struct JSONArrayParser: StreamParser {
    /// Largest element in bytes by default: 16 MiB.
    public static let defaultMaxElementSize = 16 << 20
    /// Most nested containers by default: 512, as `JSONDecoder` has it.
    public static let defaultMaxDepth = 512

    private enum Phase {
        /// Looking for the array.
        case descending
        /// Among its elements.
        case inArray
        /// Behind it.
        case behind
        /// After an error.
        case failed
    }

    private let path: [String]
    private let maxElementSize: Int
    private var structure: JSONStructure
    private var bytes: [UInt8] = []
    /// The next byte to read.
    private var position = 0
    /// Where the element or key begins that must be kept.
    private var mark: Int?
    /// Bytes of the text before `bytes`.
    private var dropped = 0
    private var phase = Phase.descending
    /// Containers of the path that are open.
    private var level = 0
    /// Whether the value that comes next is on the path.
    private var isOnPath = true
    /// The index of the next element where the innermost open container of the path is an array.
    private var index: Int?
    private var elements = 0
    private var isAtStart = true
    private var isComplete = false

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - path: Keys, and indexes of arrays in decimal, that lead to the array. Default: none, the text is the array.
    ///   - maxElementSize: Largest element in bytes; a larger one is an error. Default 16 MiB.
    ///   - maxDepth: Most nested containers. Default 512.
    public init(
        path: [String] = [], maxElementSize: Int = JSONArrayParser.defaultMaxElementSize,
        maxDepth: Int = JSONArrayParser.defaultMaxDepth
    ) {
        self.path = path
        self.maxElementSize = maxElementSize
        structure = JSONStructure(maxDepth: maxDepth)
    }

    /// Takes the next bytes.
    public mutating func append(_ new: some ContiguousBytes) {
        guard !isComplete, phase != .failed else { return }
        dropRead()
        new.withUnsafeBytes { raw in
            raw.withMemoryRebound(to: UInt8.self) { bytes.append(contentsOf: $0) }
        }
    }

    /// Says that the input is complete.
    public mutating func finish() { isComplete = true }

    /// The bytes of the next element, or nil.
    ///
    /// - Throws: `NetworkError` of kind `decoding` where the text is not JSON or ends early, `emptyBody` where there is
    ///   none, `unwrapping` where the path leads nowhere or not to an array, `bodyTooLarge` where an element is larger than
    ///   the limit.
    public mutating func next() throws(NetworkError) -> Data? {
        guard phase != .failed, passByteOrderMark() else { return nil }
        do throws(NetworkError) {
            while let event = nextEvent() {
                if let element = try handle(event) { return element }
            }
            try checkSize()
            if isComplete, structure.isAtStart {
                throw NetworkError(.emptyBody, "There is no content, and an array was expected")
            }
            guard !isComplete || structure.isAtEnd else {
                throw NetworkError(.decoding, "The JSON text ends early, after \(elements) elements").with {
                    $0.codingPath = path.isEmpty ? nil : path.joined(separator: ".")
                }
            }
            return nil
        } catch {
            phase = .failed
            bytes = []
            throw error
        }
    }

    private mutating func nextEvent() -> JSONStructure.Event? {
        let depth = phase == .descending ? level : phase == .inArray ? level + 1 : -1
        return bytes.withUnsafeBytes { structure.next(in: $0, from: &position, reporting: depth) }
    }

    private mutating func handle(_ event: JSONStructure.Event) throws(NetworkError) -> Data? {
        if case .fault(let words) = event {
            throw NetworkError(.decoding, "At byte \(dropped + position): \(words)")
        }
        switch phase {
        case .descending: try descend(event)
        case .inArray: return try element(event)
        case .behind, .failed: break
        }
        return nil
    }

    /// Among the elements: they begin and end at the array's own depth, which is one more than the path is long.
    private mutating func element(_ event: JSONStructure.Event) throws(NetworkError) -> Data? {
        switch event {
        case .began(let kind):
            if mark == nil, structure.depth == level + (kind.isContainer ? 2 : 1) { mark = position - 1 }
        case .ended:
            if structure.depth == level {
                phase = .behind
            } else if structure.depth == level + 1, let start = mark {
                try checkSize()
                mark = nil
                elements += 1
                return bytes.withUnsafeBytes { Data($0[start..<position]) }
            }
        case .keyBegan, .keyEnded, .fault: break
        }
        return nil
    }

    private mutating func descend(_ event: JSONStructure.Event) throws(NetworkError) {
        switch event {
        case .began(let kind):
            guard isOnPath, structure.depth == level + (kind.isContainer ? 1 : 0) else { return }
            if level == path.count {
                guard kind == .array else { throw unwrapping("is \(kind.words), not an array") }
                phase = .inArray
                return
            }
            switch kind {
            case .object: index = nil
            case .array:
                guard Int(path[level]) != nil else {
                    throw unwrapping("is an array, which has no member \(path[level].debugDescription)")
                }
                index = 0
            default: throw unwrapping("is \(kind.words), not an object")
            }
            level += 1
            isOnPath = index.map { String($0) == path[level - 1] } ?? false
        case .keyBegan:
            if structure.depth == level { mark = position - 1 }
        case .keyEnded:
            guard structure.depth == level, let start = mark else { return }
            try checkSize()
            mark = nil
            isOnPath = matches(start..<position, path[level - 1])
        case .ended:
            if structure.depth < level {
                level -= 1
                throw unwrapping("has no \(index == nil ? "member" : "element") \(path[level].debugDescription)")
            }
            if structure.depth == level, let ended = index {
                index = ended + 1
                isOnPath = String(ended + 1) == path[level - 1]
            }
        case .fault: break
        }
    }

    private func matches(_ quoted: Range<Int>, _ key: String) -> Bool {
        let text = bytes[quoted].dropFirst().dropLast()
        guard text.contains(UInt8(ascii: "\\")) else { return text.elementsEqual(key.utf8) }
        let decoded = try? JSONDecoder().decode(String.self, from: Data(bytes[quoted]))
        return decoded?.utf8.elementsEqual(key.utf8) ?? false
    }

    private func unwrapping(_ words: String) -> NetworkError {
        let reached = path.prefix(level).joined(separator: ".")
        let subject = level == 0 ? "The JSON text" : "The value at \(reached)"
        return NetworkError(.unwrapping, "\(subject) \(words)").with { $0.codingPath = reached }
    }

    private func checkSize() throws(NetworkError) {
        if let mark, position - mark > maxElementSize {
            throw NetworkError(.bodyTooLarge, "Element \(elements) is larger than \(maxElementSize) bytes")
        }
    }

    /// Ignores a byte order mark at the very start (RFC 8259 §8.1); false while it takes more bytes to tell.
    private mutating func passByteOrderMark() -> Bool {
        guard isAtStart else { return true }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let head = bytes.prefix(3)
        if head.elementsEqual(mark.prefix(head.count)), head.count < 3, !isComplete { return false }
        isAtStart = false
        if head.elementsEqual(mark) { position = 3 }
        return true
    }

    /// Drops what was read, when it is at least half of the buffer, which makes the moves linear in all.
    private mutating func dropRead() {
        let read = mark ?? position
        guard read > 0, read >= bytes.count / 2 else { return }
        if read == bytes.count {
            bytes.removeAll(keepingCapacity: true)
        } else {
            bytes.removeSubrange(..<read)
        }
        dropped += read
        position -= read
        mark = mark.map { $0 - read }
    }
}

extension JSONStructure.Kind {
    fileprivate var isContainer: Bool { self == .object || self == .array }

    fileprivate var words: String {
        switch self {
        case .object, .array: "an \(rawValue)"
        case .string, .number, .boolean: "a \(rawValue)"
        case .null: rawValue
        }
    }
}

extension JSONArrayParser: CustomReflectable {
    /// Nothing of what it has read: content may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["input": "not shown"]) }
}
