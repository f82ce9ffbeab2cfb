import Foundation
import XCTest

@testable import Ferry

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

final class BodyFileTests: XCTestCase {
    private var folder = URL(filePath: "/")

    override func setUpWithError() throws { folder = try temporaryDirectory() }

    private func assertRefused(_ url: URL, _ words: String, line: UInt = #line) {
        XCTAssertThrowsError(try BodyFile.check(url), line: line) {
            let error = $0 as? NetworkError
            XCTAssertEqual(error?.kind, .invalidBody, line: line)
            XCTAssertTrue(error?.message.contains(words) == true, "\(error?.message ?? "")", line: line)
            XCTAssertFalse(error?.message.contains(folder.path) == true, "shows the folder", line: line)
        }
    }

    func testRegularFile_givesItsSize() throws {
        let file = folder.appending(path: "a ü%41?#.bin")
        try Data(count: 1234).write(to: file)
        XCTAssertEqual(try BodyFile.check(file), 1234)
        let link = folder.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        XCTAssertEqual(try BodyFile.check(link), 1234)
        let empty = folder.appending(path: "empty")
        try Data().write(to: empty)
        XCTAssertEqual(try BodyFile.check(empty), 0)
    }

    func testOthers_areRefused() throws {
        assertRefused(folder.appending(path: "missing.bin"), "missing.bin does not exist")
        assertRefused(folder, "is a directory")
        let pipe = folder.appending(path: "pipe")
        XCTAssertEqual(mkfifo(pipe.path, 0o600), 0)
        assertRefused(pipe, "pipe is not a regular file")
        assertRefused(URL(filePath: "/dev/null"), "null is not a regular file")
        let loop = folder.appending(path: "loop")
        try FileManager.default.createSymbolicLink(at: loop, withDestinationURL: loop)
        assertRefused(loop, "loop")
        assertRefused(try XCTUnwrap(URL(string: "https://h/x")), "not a file URL")
        assertRefused(try XCTUnwrap(URL(string: "file:///dev%00/x")), "no valid path")
    }

    func testUnreadable_isRefused() throws {
        let file = folder.appending(path: "secret")
        try Data([1]).write(to: file)
        XCTAssertEqual(chmod(file.path, 0), 0)
        try XCTSkipIf(geteuid() == 0, "root may read everything")
        assertRefused(file, "secret cannot be read")
    }

    func testBodyEncoder_checksFiles() {
        XCTAssertThrowsError(try BodyEncoder().encode(.file(folder))) {
            XCTAssertEqual(($0 as? NetworkError)?.kind, .invalidBody)
        }
    }
}
