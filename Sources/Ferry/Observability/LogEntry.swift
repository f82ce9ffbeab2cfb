/// How much a log entry matters, from the least.
public enum LogLevel: Int, Comparable, Sendable, CaseIterable, CustomStringConvertible {
    /// Every step, with progress.
    case trace
    /// Every attempt, with fields.
    case debug
    /// Every call when it ended.
    case info
    /// What went wrong and is repeated.
    case warning
    /// What failed.
    case error

    /// By importance.
    public static func < (lhs: LogLevel, rhs: LogLevel) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The name of the level.
    public var description: String {
        switch self {
        case .trace: "trace"
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

/// One entry of the log: a message that is always the same for the same thing, and what there is to know of it.
public struct LogEntry: Sendable {
    /// A name and a value.
    public struct Field: Hashable, Sendable {
        /// Such as `status`.
        public let name: String
        /// Without secrets.
        public let value: String
    }

    /// How much it matters.
    public let level: LogLevel
    /// What happened, such as `call finished`: it can be counted and searched.
    public let message: String
    /// What there is to know, in order, without secrets.
    public let metadata: [Field]

    init(_ level: LogLevel, _ message: StaticString, _ metadata: [(String, String?)]) {
        self.level = level
        self.message = message.description
        self.metadata = metadata.compactMap { name, value in value.map { Field(name: name, value: $0) } }
    }
}

extension LogEntry: CustomStringConvertible {
    /// One line but for content: `info: call finished call=#7 method=GET …`.
    ///
    /// Content cannot look like an entry of its own, nor steer a terminal: its further lines are indented, and control
    /// characters are written as `\u{1B}`.
    public var description: String {
        metadata.reduce(into: "\(level): \(message)") { text, field in
            let value = Self.harmless(field.value)
            let isWord = !value.isEmpty && value == field.value && value.utf8.allSatisfy { $0 > 0x20 }
            text += " \(field.name)=\(isWord ? value : "\"\(value)\"")"
        }
    }

    private static func harmless(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A: result.append(contentsOf: "\n  ".unicodeScalars)
            case 0x09: result.append(scalar)
            // Controls of ASCII and Latin-1, line separators, and marks that turn the writing direction.
            case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069:
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
