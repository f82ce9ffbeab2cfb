public import Ferry
public import Foundation

/// A file of recorded exchanges, and what to do with it.
public enum Cassette {
    /// What a test does with its cassette.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// Every exchange is made and recorded in a new file.
        case record
        /// Exchanges come from the file alone.
        case replay
        /// Exchanges come from the file; what it does not have is made and added to it.
        case replayOrRecord
        /// Exchanges come from the file alone, each once and in its order; one that is left fails the test.
        case strict
    }

    /// A transport that records to a file or replays it.
    ///
    /// ```swift
    /// let mode: Cassette.Mode = isRecording ? .record : .replay
    /// let transport = try Cassette.transport(at: file, mode: mode)
    /// ```
    ///
    /// - Parameters:
    ///   - file: A HAR 1.2.
    ///   - mode: What to do with it.
    ///   - base: Makes the exchanges that are recorded. Default: a new `URLSessionTransport`, made where it is needed.
    ///   - matching: Which exchange answers a request. Default: one of the same method and URL.
    ///   - keepsTimings: Whether replayed responses and their chunks take as long as they took, by the client's clock.
    ///     Default false.
    ///   - redaction: What is not recorded. Default: what usually is a secret.
    ///   - fileID: The place that a failure names, with the next three. Default: the caller's.
    ///   - filePath: As `fileID`.
    ///   - line: As `fileID`.
    ///   - column: As `fileID`.
    /// - Throws: `NetworkError` of kind `file` for a file that is missing where it must exist, `mock` for one that is no HAR.
    public static func transport(
        at file: URL, mode: Mode, over base: @autoclosure () -> any Transport = URLSessionTransport(),
        matching: CassetteMatching = .standard, keepsTimings: Bool = false, redaction: Redaction = .standard,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) throws(NetworkError) -> any Transport {
        switch mode {
        case .record:
            return RecordingTransport(to: file, over: base(), redaction: redaction)
        case .replay, .strict:
            return try ReplayTransport(
                file, matching: matching, isStrict: mode == .strict, keepsTimings: keepsTimings,
                redaction: redaction, fileID: fileID, filePath: filePath, line: line, column: column)
        case .replayOrRecord:
            let exists = FileManager.default.fileExists(atPath: file.path(percentEncoded: false))
            let archive = exists ? try HAR.read(file) : HAR()
            return try ReplayTransport(
                archive, name: file.lastPathComponent, matching: matching, isStrict: false,
                keepsTimings: keepsTimings, redaction: redaction,
                fallback: RecordingTransport(file, base(), redaction, archive),
                failureHandler: nil,
                place: SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column))
        }
    }
}
