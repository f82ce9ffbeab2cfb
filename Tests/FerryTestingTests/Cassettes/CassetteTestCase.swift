import Ferry
import FerryTesting
import Foundation
import XCTest

/// A cassette in a folder that goes with the test.
class CassetteTestCase: MockTestCase, @unchecked Sendable {  // `folder` is set before a test runs, and never in it.
    private(set) var folder = URL(filePath: "/")

    override func setUp() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "ferry-cassette-\(UUID().uuidString)")
    }

    override func tearDown() async throws { try? FileManager.default.removeItem(at: folder) }

    var file: URL { folder.appending(path: "deep/a.har") }

    func write(_ content: Data) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try content.write(to: file)
    }

    func replay(
        _ file: URL? = nil, matching: CassetteMatching = .standard, isStrict: Bool = false, keepsTimings: Bool = false,
        redaction: Redaction = .standard, line: UInt = #line
    ) throws -> ReplayTransport {
        try ReplayTransport(
            file ?? self.file, matching: matching, isStrict: isStrict, keepsTimings: keepsTimings,
            redaction: redaction, failureHandler: collecting, line: line)
    }

    /// In the form that a browser exports.
    static let browserFile = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/har/browser.har")
}
