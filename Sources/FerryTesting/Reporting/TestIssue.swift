// Reporting: how something of FerryTesting fails the test that runs, whatever framework runs it.

public import Ferry
import Foundation

/// A place in a test's source, for failures.
public struct SourcePlace: Sendable {
    /// Module and file.
    public let fileID: StaticString
    /// The file's path.
    public let filePath: StaticString
    /// The line, from 1.
    public let line: UInt
    /// The column, from 1.
    public let column: UInt

    /// Creates a place; without arguments the one where this is written.
    public init(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        self.fileID = fileID
        self.filePath = filePath
        self.line = line
        self.column = column
    }
}

/// Something that fails a test.
public struct TestIssue: Sendable {
    /// What is wrong, for people.
    public let message: String
    /// Where the test is to blame.
    public let place: SourcePlace

    /// Creates an issue; it is not reported yet.
    public init(_ message: String, at place: SourcePlace = SourcePlace()) {
        self.message = message
        self.place = place
    }

    /// Fails the test that runs: in Swift Testing where a test of it runs in this task, else in XCTest where that is loaded,
    /// else in Swift Testing as an issue without a test. Where neither is loaded the message goes to standard error.
    public func report() {
        if TestFrameworks.isTestingCurrent, TestFrameworks.recordInTesting(message, at: place) { return }
        if TestFrameworks.failInXCTest(message, at: place) { return }
        if TestFrameworks.recordInTesting(message, at: place) { return }
        FileHandle.standardError.write(Data("\(place.filePath):\(place.line): error: \(message)\n".utf8))
    }
}

extension TestIssue: CustomStringConvertible {
    /// File, line and message.
    public var description: String { "\(place.fileID):\(place.line): \(message)" }
}

/// Fails the test unless a call throws a `NetworkError` of a kind; for XCTest and Swift Testing alike.
///
/// ```swift
/// let error = await XCTAssertThrowsNetworkError(.server) { try await client.request(GetUser(id: 1)) }
/// XCTAssertEqual(error?.status, 503)
/// ```
///
/// - Parameters:
///   - kind: What the error must be.
///   - fileID: The place that a failure names, with the next three. Default: the caller's.
///   - filePath: As `fileID`.
///   - line: As `fileID`.
///   - column: As `fileID`.
///   - isolation: The actor that the call runs on. Default: the caller's.
///   - body: The call.
/// - Returns: The error where one of Ferry's was thrown, of whatever kind.
@discardableResult
public func XCTAssertThrowsNetworkError<Value>(
    _ kind: NetworkError.Kind, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async -> NetworkError? {
    let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    do {
        _ = try await body()
        TestIssue("Expected an error of kind \(kind), and nothing was thrown", at: place).report()
    } catch let error as NetworkError {
        if error.kind != kind { TestIssue("Expected an error of kind \(kind), got \(error)", at: place).report() }
        return error
    } catch {
        TestIssue("Expected a NetworkError of kind \(kind), got \(type(of: error)): \(error)", at: place).report()
    }
    return nil
}
