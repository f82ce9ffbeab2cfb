import Foundation

/// Where log entries go.
///
/// ```swift
/// let sink = LogSink { entry in
///     print(entry.level, entry.message)     // swift-log: logger.log(level: …, "\(entry)")
/// }
/// ```
public struct LogSink: Sendable {
    private let take: @Sendable (LogEntry) -> Void

    /// A sink that calls a closure.
    ///
    /// - Parameter take: Takes each entry, on whatever thread it comes up; must return quickly.
    public init(_ take: @escaping @Sendable (LogEntry) -> Void) { self.take = take }

    /// Writes each entry to standard error, as a whole.
    public static let standardError = LogSink { entry in
        try? FileHandle.standardError.write(contentsOf: Data("\(entry)\n".utf8))
    }

    /// Takes an entry.
    public func callAsFunction(_ entry: LogEntry) { take(entry) }
}
