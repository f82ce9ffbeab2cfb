import Foundation
import XCTest

/// Runs something that must end; fails the test, naming it, where it does not.
///
/// A limit for what would hang for ever, far above what the work takes: no test waits for it.
func within(
    _ limit: Duration, _ what: String, file: StaticString = #filePath, line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> String
) async -> String {
    await withTaskGroup(of: String?.self) { group in
        group.addTask {
            do { return try await body() } catch { return "threw \(error)" }
        }
        group.addTask {
            try? await Task.sleep(for: limit)  // The limit itself: cancelled as soon as the body ends.
            return nil
        }
        let first = await group.next() ?? nil
        group.cancelAll()
        if first == nil { XCTFail("\(what) did not end within \(limit)", file: file, line: line) }
        return first ?? "hang"
    }
}
