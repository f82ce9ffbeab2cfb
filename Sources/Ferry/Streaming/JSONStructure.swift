/// Checks the structure of one JSON text (RFC 8259) in bytes that come in pieces, and says where values begin and end.
///
/// A state machine without look-back: it can stop and go on at any byte. It checks everything but two things, which
/// are left to the decoder of a value: UTF-8 and lone surrogates in strings.
struct JSONStructure: Sendable {
    enum Kind: String, Sendable {
        case object, array, string, number, boolean, null
    }

    enum Event {
        /// A value began; its first byte was just read.
        case began(Kind)
        /// A value ended; its last byte was just read.
        case ended
        /// An object's key began; its quote was just read.
        case keyBegan
        /// An object's key ended; its quote was just read.
        case keyEnded
        /// What came is not JSON.
        case fault(String)
    }

    private enum State {
        case value, firstElement, firstKey, key, colon, separator, end
        case string, escape, unicode, number, literal
    }

    private enum Number {
        case minus, zero, integer, point, fraction, exponentMark, exponentSign, exponent

        var isComplete: Bool { self == .zero || self == .integer || self == .fraction || self == .exponent }

        /// The state after one more byte, or nil where the number cannot have it.
        func after(_ byte: UInt8) -> Number? {
            switch (self, byte) {
            case (.minus, UInt8(ascii: "0")): .zero
            case (.minus, UInt8(ascii: "1")...UInt8(ascii: "9")): .integer
            case (.integer, UInt8(ascii: "0")...UInt8(ascii: "9")): .integer
            case (.zero, UInt8(ascii: ".")), (.integer, UInt8(ascii: ".")): .point
            case (.point, UInt8(ascii: "0")...UInt8(ascii: "9")): .fraction
            case (.fraction, UInt8(ascii: "0")...UInt8(ascii: "9")): .fraction
            case (.zero, UInt8(ascii: "e")), (.integer, UInt8(ascii: "e")), (.fraction, UInt8(ascii: "e")),
                (.zero, UInt8(ascii: "E")), (.integer, UInt8(ascii: "E")), (.fraction, UInt8(ascii: "E")):
                .exponentMark
            case (.exponentMark, UInt8(ascii: "+")), (.exponentMark, UInt8(ascii: "-")): .exponentSign
            case (.exponentMark, UInt8(ascii: "0")...UInt8(ascii: "9")): .exponent
            case (.exponentSign, UInt8(ascii: "0")...UInt8(ascii: "9")): .exponent
            case (.exponent, UInt8(ascii: "0")...UInt8(ascii: "9")): .exponent
            default: nil
            }
        }
    }

    private let maxDepth: Int
    private var state = State.value
    /// The open containers, outermost first: true for an object.
    private var stack: [Bool] = []
    private var isKey = false
    private var number = Number.zero
    private var literal: StaticString = "null"
    /// Bytes matched of the literal, or hexadecimal digits still to come of an escape.
    private var count = 0

    init(maxDepth: Int) { self.maxDepth = maxDepth }

    /// How many containers are open.
    var depth: Int { stack.count }
    /// Whether the text is complete; only white space may follow.
    var isAtEnd: Bool { state == .end }

    /// Reads on until something happens; nil when all bytes are read.
    ///
    /// - Parameters:
    ///   - position: The next byte to read.
    ///   - maxDepth: Values and keys in more open containers than this are checked and not reported.
    mutating func next(in raw: UnsafeRawBufferPointer, from position: inout Int, reporting maxDepth: Int) -> Event? {
        while let event = advance(in: raw, from: &position) {
            switch event {
            case .began(let kind):
                let isContainer = kind == .object || kind == .array
                if depth - (isContainer ? 1 : 0) <= maxDepth { return event }
            case .ended, .keyBegan, .keyEnded:
                if depth <= maxDepth { return event }
            case .fault:
                return event
            }
        }
        return nil
    }

    @inline(__always)
    private mutating func advance(in raw: UnsafeRawBufferPointer, from position: inout Int) -> Event? {
        while position < raw.count {
            if state == .string {
                position = Self.endOfPlainText(in: raw, from: position)
                guard position < raw.count else { return nil }
            }
            let byte = raw[position]
            switch state {
            case .string:
                position += 1
                switch byte {
                case UInt8(ascii: "\\"): state = .escape
                case UInt8(ascii: "\""):
                    guard isKey else { return endValue() }
                    state = .colon
                    return .keyEnded
                default: return .fault("a control character in a string")
                }
            case .escape:
                position += 1
                switch byte {
                case UInt8(ascii: "u"): (state, count) = (.unicode, 4)
                case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
                    UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                    state = .string
                default: return .fault("an unknown escape in a string")
                }
            case .unicode:
                position += 1
                guard Self.isHexadecimal(byte) else { return .fault("an incomplete \\u escape") }
                count -= 1
                if count == 0 { state = .string }
            case .number:
                if let next = number.after(byte) {
                    number = next
                    position += 1
                } else {
                    return number.isComplete ? endValue() : .fault("an incomplete number")
                }
            case .literal:
                position += 1
                guard byte == literal.utf8Start[count] else { return .fault("an unknown literal") }
                count += 1
                if count == literal.utf8CodeUnitCount { return endValue() }
            default:
                position += 1
                if Self.isWhitespace(byte) { continue }
                if let event = structural(byte) { return event }
            }
        }
        return nil
    }

    /// Takes a byte between tokens.
    private mutating func structural(_ byte: UInt8) -> Event? {
        switch (state, byte) {
        case (.firstElement, UInt8(ascii: "]")): return pop()
        case (.value, _), (.firstElement, _): return beginValue(byte)
        case (.firstKey, UInt8(ascii: "}")): return pop()
        case (.firstKey, UInt8(ascii: "\"")), (.key, UInt8(ascii: "\"")):
            (state, isKey) = (.string, true)
            return .keyBegan
        case (.firstKey, _), (.key, _): return .fault("no key where one was expected")
        case (.colon, UInt8(ascii: ":")):
            state = .value
            return nil
        case (.colon, _): return .fault("no colon after a key")
        case (.separator, UInt8(ascii: ",")):
            state = stack.last == true ? .key : .value
            return nil
        case (.separator, UInt8(ascii: "}")) where stack.last == true: return pop()
        case (.separator, UInt8(ascii: "]")) where stack.last == false: return pop()
        case (.separator, _): return .fault("no comma or end after a value")
        default: return .fault("text after the end of the JSON text")
        }
    }

    private mutating func beginValue(_ byte: UInt8) -> Event {
        switch byte {
        case UInt8(ascii: "{"): return push(isObject: true)
        case UInt8(ascii: "["): return push(isObject: false)
        case UInt8(ascii: "\""):
            (state, isKey) = (.string, false)
            return .began(.string)
        case UInt8(ascii: "-"): return begin(.minus)
        case UInt8(ascii: "0"): return begin(.zero)
        case UInt8(ascii: "1")...UInt8(ascii: "9"): return begin(.integer)
        case UInt8(ascii: "t"): return begin(literal: "true", .boolean)
        case UInt8(ascii: "f"): return begin(literal: "false", .boolean)
        case UInt8(ascii: "n"): return begin(literal: "null", .null)
        default: return .fault("no value where one was expected")
        }
    }

    private mutating func begin(_ number: Number) -> Event {
        self.number = number
        state = .number
        return .began(.number)
    }

    private mutating func begin(literal: StaticString, _ kind: Kind) -> Event {
        self.literal = literal
        (state, count) = (.literal, 1)
        return .began(kind)
    }

    private mutating func push(isObject: Bool) -> Event {
        guard stack.count < maxDepth else { return .fault("more than \(maxDepth) nested containers") }
        stack.append(isObject)
        state = isObject ? .firstKey : .firstElement
        return .began(isObject ? .object : .array)
    }

    private mutating func pop() -> Event {
        stack.removeLast()
        return endValue()
    }

    private mutating func endValue() -> Event {
        state = stack.isEmpty ? .end : .separator
        return .ended
    }

    /// The first quote, backslash or control character: eight bytes at a time, as strings are most of most texts.
    private static func endOfPlainText(in raw: UnsafeRawBufferPointer, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var index = start
        while index + 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            // A high bit is set where a byte became zero (quote, backslash) or is below 0x20. Borrows can set further
            // ones behind a true one only, so an alarm means that one of the eight bytes ends the loop below.
            let found = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
            let control = (word &- ones &* 0x20) & ~word
            if (found | control) & highs != 0 { break }
            index += 8
        }
        while index < raw.count {
            let byte = raw[index]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
            index += 1
        }
        return index
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
