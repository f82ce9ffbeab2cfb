/// A request's place in a distributed trace (W3C Trace Context, Level 1), as the field `traceparent` says it:
///
///     00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
///     version, trace, span, flags
public struct TraceContext: Hashable, Sendable {
    /// The whole trace: 32 lower-case hexadecimal digits, not all zero.
    public let traceID: String
    /// One step in it: 16 lower-case hexadecimal digits, not all zero.
    public let spanID: String
    /// Whether the trace is recorded.
    public let isSampled: Bool

    /// The trace that calls of this task belong to; nil: each call begins one.
    @TaskLocal public static var current: TraceContext?

    /// Begins a trace.
    ///
    /// - Parameter isSampled: Whether it is recorded. Default true.
    public init(isSampled: Bool = true) {
        var generator = SystemRandomNumberGenerator()
        self.init(isSampled: isSampled, using: &generator)
    }

    /// Begins a trace with the numbers of a generator.
    public init(isSampled: Bool = true, using generator: inout some RandomNumberGenerator) {
        traceID = Self.hex(&generator) + Self.hex(&generator)
        spanID = Self.hex(&generator)
        self.isSampled = isSampled
    }

    private init(traceID: String, spanID: String, isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    /// Parses a `traceparent` value, or gives nil where it is malformed (§3.2).
    ///
    /// Of a later version than 00 what follows the flags is ignored; version ff is none.
    public init?(_ traceparent: String) {
        let parts = traceparent.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, [2, 32, 16, 2].elementsEqual(parts.prefix(4).map(\.count)),
            parts.prefix(4).allSatisfy({ $0.allSatisfy(Self.isHex) })
        else { return nil }
        let texts = parts.map { String($0) ?? "" }
        guard texts[0] != "ff", texts[0] != "00" || parts.count == 4, let flags = UInt8(texts[3], radix: 16),
            texts[1].contains(where: { $0 != "0" }), texts[2].contains(where: { $0 != "0" })
        else { return nil }
        self.init(traceID: texts[1], spanID: texts[2], isSampled: flags & 1 == 1)
    }

    /// A new step in the same trace.
    public func child() -> TraceContext {
        var generator = SystemRandomNumberGenerator()
        return child(using: &generator)
    }

    /// A new step in the same trace, with the numbers of a generator.
    public func child(using generator: inout some RandomNumberGenerator) -> TraceContext {
        TraceContext(traceID: traceID, spanID: Self.hex(&generator), isSampled: isSampled)
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f")
    }

    private static func hex(_ generator: inout some RandomNumberGenerator) -> String {
        let digits = String(UInt64.random(in: 1 ... .max, using: &generator), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension TraceContext: CustomStringConvertible {
    /// The value of `traceparent`, version 00.
    public var description: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }
}
