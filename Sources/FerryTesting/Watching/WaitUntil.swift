/// Waits until something holds that other tasks bring about; fails the test where it does not within a limit.
///
/// ```swift
/// await waitUntil("the call has come") { mock.requests.count == 1 }
/// ```
///
/// The condition is looked at again after each turn of other tasks: nothing sleeps, and the limit is for what never comes.
///
/// - Parameters:
///   - what: What is waited for, for the failure.
///   - limit: When to give up. Default 30 s.
///   - fileID: The place that a failure names, with the next three. Default: the caller's.
///   - filePath: As `fileID`.
///   - line: As `fileID`.
///   - column: As `fileID`.
///   - isolation: The actor that the condition runs on. Default: the caller's.
///   - condition: Whether it holds.
public func waitUntil(
    _ what: String = "a condition", within limit: Duration = .seconds(30), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool
) async {
    let end = ContinuousClock.now + limit
    while !condition() {
        guard ContinuousClock.now < end, !Task.isCancelled else {
            let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
            return TestIssue("Waited for \(what) in vain", at: place).report()
        }
        await Task.yield()
    }
}
