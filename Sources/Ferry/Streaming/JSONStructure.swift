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
    /// How many containers are open.
    private(set) var depth = 0
    /// Whether the innermost open container is an object.
    private var isInObject = false
    /// The same of those around it, outermost first, beginning with the text itself.
    private var outer: [Bool] = []
    private var isKey = false
    private var number = Number.zero
    private var literal: StaticString = "null"
    /// Bytes matched of the literal, or hexadecimal digits still to come of an escape.
    private var count = 0

    init(maxDepth: Int) { self.maxDepth = maxDepth }

    /// Whether there was nothing but white space so far.
    var isAtStart: Bool { state == .value && depth == 0 }

    /// Whether the text is complete; only white space may follow.
    var isAtEnd: Bool { state == .end }

    /// Reads on until something happens; nil when all bytes are read.
    ///
    /// - Parameters:
    ///   - position: The next byte to read.
    ///   - maxDepth: Values and keys in more open containers than this are checked and not reported.
    mutating func next(in raw: UnsafeRawBufferPointer, from position: inout Int, reporting maxDepth: Int) -> Event? {
        // A local index stays in a register; most bytes are those of values that are not reported.
        var index = position
        defer { position = index }
        while index < raw.count {
            var event: Event?
            var reportsAlways = false
            switch state {
            case .string:
                index = Self.endOfPlainText(in: raw, from: index)
                guard index < raw.count else { return nil }
                let byte = raw[index]
                index += 1
                if byte == UInt8(ascii: "\"") {
                    if isKey {
                        state = .colon
                        if depth <= maxDepth { return .keyEnded }
                    } else {
                        endValue()
                        if depth <= maxDepth { return .ended }
                    }
                    continue
                }
                guard byte == UInt8(ascii: "\\") else { return .fault("a control character in a string") }
                state = .escape
            case .number:
                if !takeNumber(raw, &index) {
                    guard number.isComplete else { return .fault("an incomplete number") }
                    endValue()
                    if depth <= maxDepth { return .ended }
                }
            case .escape, .unicode, .literal:
                let byte = raw[index]
                index += 1
                event = takeInToken(byte)
            default:
                let byte = raw[index]
                index += 1
                if Self.isWhitespace(byte) { continue }
                (event, reportsAlways) = structural(byte, maxDepth)
            }
            guard let event else { continue }
            if reportsAlways || depth <= maxDepth { return event }
            if case .fault = event { return event }
        }
        return nil
    }

    /// Takes as much of a number as there is; false at the byte after it.
    @inline(__always)
    private mutating func takeNumber(_ raw: UnsafeRawBufferPointer, _ index: inout Int) -> Bool {
        while index < raw.count {
            let byte = raw[index]
            let isDigit = byte &- UInt8(ascii: "0") < 10
            if isDigit, number == .integer || number == .fraction || number == .exponent {
                index += 1
                continue
            }
            guard let next = number.after(byte) else { return false }
            number = next
            index += 1
        }
        return true
    }

    /// Takes a byte of an escape or a literal.
    private mutating func takeInToken(_ byte: UInt8) -> Event? {
        switch state {
        case .escape:
            switch byte {
            case UInt8(ascii: "u"): (state, count) = (.unicode, 4)
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
                UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                state = .string
            default: return .fault("an unknown escape in a string")
            }
        case .unicode:
            guard Self.isHexadecimal(byte) else { return .fault("an incomplete \\u escape") }
            count -= 1
            if count == 0 { state = .string }
        default:
            guard byte == literal.utf8Start[count] else { return .fault("an unknown literal") }
            count += 1
            guard count == literal.utf8CodeUnitCount else { return nil }
            endValue()
            return .ended
        }
        return nil
    }

    /// Takes a byte between tokens.
    ///
    /// - Returns: What happened, and whether it is to be reported whatever the depth is now: a container that begins
    ///   is itself one level further out than what is in it.
    @inline(__always)
    private mutating func structural(_ byte: UInt8, _ maxDepth: Int) -> (Event?, Bool) {
        switch (state, byte) {
        case (.firstElement, UInt8(ascii: "]")): return (pop(), false)
        case (.value, _), (.firstElement, _): return beginValue(byte, maxDepth)
        case (.firstKey, UInt8(ascii: "}")): return (pop(), false)
        case (.firstKey, UInt8(ascii: "\"")), (.key, UInt8(ascii: "\"")):
            (state, isKey) = (.string, true)
            return (.keyBegan, false)
        case (.firstKey, _), (.key, _): return (.fault("no key where one was expected"), true)
        case (.colon, UInt8(ascii: ":")):
            state = .value
            return (nil, false)
        case (.colon, _): return (.fault("no colon after a key"), true)
        case (.separator, UInt8(ascii: ",")):
            state = isInObject ? .key : .value
            return (nil, false)
        case (.separator, UInt8(ascii: "}")) where isInObject: return (pop(), false)
        case (.separator, UInt8(ascii: "]")) where !isInObject: return (pop(), false)
        case (.separator, _): return (.fault("no comma or end after a value"), true)
        default: return (.fault("text after the end of the JSON text"), true)
        }
    }

    @inline(__always)
    private mutating func beginValue(_ byte: UInt8, _ maxDepth: Int) -> (Event?, Bool) {
        switch byte {
        case UInt8(ascii: "\""):
            (state, isKey) = (.string, false)
            return (.began(.string), false)
        case UInt8(ascii: "{"): return (push(isObject: true), depth - 1 <= maxDepth)
        case UInt8(ascii: "["): return (push(isObject: false), depth - 1 <= maxDepth)
        case UInt8(ascii: "-"): return (begin(.minus), false)
        case UInt8(ascii: "0"): return (begin(.zero), false)
        case UInt8(ascii: "1")...UInt8(ascii: "9"): return (begin(.integer), false)
        case UInt8(ascii: "t"): return (begin(literal: "true", .boolean), false)
        case UInt8(ascii: "f"): return (begin(literal: "false", .boolean), false)
        case UInt8(ascii: "n"): return (begin(literal: "null", .null), false)
        default: return (.fault("no value where one was expected"), true)
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
        guard depth < maxDepth else { return .fault("more than \(maxDepth) nested containers") }
        outer.append(isInObject)
        isInObject = isObject
        depth += 1
        state = isObject ? .firstKey : .firstElement
        return .began(isObject ? .object : .array)
    }

    private mutating func pop() -> Event {
        isInObject = outer.popLast() ?? false
        depth -= 1
        endValue()
        return .ended
    }

    @inline(__always)
    private mutating func endValue() { state = depth == 0 ? .end : .separator }

    /// The first quote, backslash or control character: eight bytes at a time, as strings are most of most texts.
    @inline(__always)
    private static func endOfPlainText(in raw: UnsafeRawBufferPointer, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var index = start
        while index + 8 <= raw.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            // A high bit is set where a byte became zero (quote, backslash) or is below 0x20. Borrows can set further
            // ones in the bytes after a true one only, so the lowest one is true.
            let found = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
            let control = (word &- ones &* 0x20) & ~word
            let alarms = (found | control) & highs
            if alarms != 0 { return index + alarms.trailingZeroBitCount / 8 }
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
