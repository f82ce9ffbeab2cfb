import Foundation

/// The test frameworks that are loaded in this process, found by name.
///
/// A library that imports XCTest or Testing brings them into every app that links it, where they do not exist. So their
/// entry points are looked up when something fails. Both are plain Swift functions:
///
///     XCTest   XCTFail(String, file: StaticString, line: UInt)
///     Testing  Test.current -> Test?                           which test runs, by task
///              Issue.record(Comment?, sourceLocation:)
///
/// Testing is built with library evolution: its values are passed by address and laid out by their metadata, so calling it
/// through a type of raw memory holds across its versions. A function or type that is not found is a framework that is
/// not there.
enum TestFrameworks {
    /// Whether a test of Swift Testing runs in this task.
    static var isTestingCurrent: Bool { testing?.isCurrent ?? false }

    /// Records an issue of Swift Testing.
    ///
    /// - Returns: Whether it is loaded.
    static func recordInTesting(_ message: String, at place: SourcePlace) -> Bool {
        guard let testing else { return false }
        testing.record(message, at: place)
        return true
    }

    /// Fails the XCTest that runs.
    ///
    /// - Returns: Whether XCTest is loaded.
    static func failInXCTest(_ message: String, at place: SourcePlace) -> Bool {
        guard let fail: XCTFailFunction = function("$s6XCTest7XCTFail_4file4lineySS_s12StaticStringVSutF") else {
            return false
        }
        fail.call(message, place.filePath, place.line)
        return true
    }

    private static var testing: TestingFunctions? { TestingFunctions() }

    /// The function of a symbol, as a structure of one function without context.
    ///
    /// A structure keeps the function's own calling convention, which a bare function type loses in generic code.
    fileprivate static func function<Function>(_ symbol: String, as type: Function.Type = Function.self) -> Function? {
        guard MemoryLayout<Function>.size == 2 * MemoryLayout<UnsafeRawPointer>.size,
            let program = dlopen(nil, RTLD_NOW), let address = dlsym(program, symbol)
        else { return nil }
        return unsafeBitCast((address, nil as UnsafeRawPointer?), to: type)
    }
}

private struct XCTFailFunction {
    let call: (String, StaticString, UInt) -> Void
}

/// Memory for a returned value whose size is not known here: 512 bytes.
private struct Room {
    typealias Line = (UInt, UInt, UInt, UInt, UInt, UInt, UInt, UInt)

    let lines: (Line, Line, Line, Line, Line, Line, Line, Line)
}

/// What is called of Swift Testing.
private struct TestingFunctions {
    private struct CurrentTest {
        let call: () -> Room
    }

    private struct MakeComment {
        let call: (__owned String) -> Room
    }

    private struct MakeLocation {
        let call: (__owned String, __owned String, Int, Int) -> Room
    }

    private struct RecordIssue {
        let call: (UnsafeRawPointer, UnsafeRawPointer) -> Room
    }

    private let current: CurrentTest
    private let makeComment: MakeComment
    private let makeLocation: MakeLocation
    private let recordIssue: RecordIssue
    private let testType: Any.Type
    private let commentType: Any.Type

    init?() {
        guard let current: CurrentTest = TestFrameworks.function("$s7Testing4TestV7currentACSgvgZ"),
            let makeComment: MakeComment = TestFrameworks.function("$s7Testing7CommentV8rawValueACSS_tcfC"),
            let makeLocation: MakeLocation = TestFrameworks.function(
                "$s7Testing14SourceLocationV6fileID0D4Path4line6columnACSS_SSS2itcfC"),
            let recordIssue: RecordIssue = TestFrameworks.function(
                "$s7Testing5IssueV6record_14sourceLocationAcA7CommentVSg_AA06SourceE0VtFZ"),
            let testType = _typeByName("7Testing4TestV"), let commentType = _typeByName("7Testing7CommentV"),
            let issueType = _typeByName("7Testing5IssueV"), let locationType = _typeByName("7Testing14SourceLocationV"),
            max(Self.size(testType), Self.size(commentType)) <= MemoryLayout<Room>.size,
            max(Self.size(issueType), Self.size(locationType)) <= MemoryLayout<Room>.size
        else { return nil }
        self.current = current
        self.makeComment = makeComment
        self.makeLocation = makeLocation
        self.recordIssue = recordIssue
        self.testType = testType
        self.commentType = commentType
    }

    var isCurrent: Bool {
        var room = current.call()
        return withUnsafeMutableBytes(of: &room) { bytes in
            guard let address = bytes.baseAddress else { return false }
            return Self.takeIsSome(testType, address)
        }
    }

    func record(_ message: String, at place: SourcePlace) {
        let comment = makeComment.call(message)
        let location = makeLocation.call(
            "\(place.fileID)", "\(place.filePath)", Int(place.line), Int(max(place.column, 1)))
        withUnsafeBytes(of: location) { location in
            withUnsafeBytes(of: comment) { comment in
                guard let location = location.baseAddress, let comment = comment.baseAddress else { return }
                Self.withOptional(commentType, comment) { _ = recordIssue.call($0, location) }
            }
        }
    }

    private static func size<Value>(_: Value.Type) -> Int { MemoryLayout<Value?>.size }

    /// Whether an optional in memory has a value, taking it out.
    private static func takeIsSome<Value>(_: Value.Type, _ address: UnsafeMutableRawPointer) -> Bool {
        address.assumingMemoryBound(to: Value?.self).move() != nil
    }

    /// Gives the address of an optional of the value in memory.
    private static func withOptional<Value>(
        _: Value.Type, _ address: UnsafeRawPointer, _ body: (UnsafeRawPointer) -> Void
    ) {
        let optional = UnsafeMutablePointer<Value?>.allocate(capacity: 1)
        optional.initialize(to: address.assumingMemoryBound(to: Value.self).pointee)
        body(optional)
        optional.deinitialize(count: 1)
        optional.deallocate()
    }
}
