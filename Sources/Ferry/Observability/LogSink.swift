import Foundation

/// Where log entries go.
///
/// ```swift
/// import Logging                                   // swift-log, or any other library
///
/// let logger = Logger(label: "network")
/// let sink = LogSink { entry in
///     logger.log(level: .init(rawValue: "\(entry.level)") ?? .info, "\(entry)")
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
