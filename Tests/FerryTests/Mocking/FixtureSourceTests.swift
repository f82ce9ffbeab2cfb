import Ferry
import Foundation
import XCTest

final class FixtureSourceTests: XCTestCase {
    private func failure(_ source: FixtureSource, _ name: String, line: UInt = #line) -> NetworkError? {
        do throws(NetworkError) {
            _ = try source.data(named: name)
            XCTFail("\(name.debugDescription) was found", line: line)
            return nil
        } catch {
            XCTAssertEqual(error.kind, .mock, line: line)
            return error
        }
    }

    func testDirectory_givesBytesOfNestedFiles() throws {
        let data = try MockTest.fixtures.data(named: "users/1.json")
        XCTAssertEqual(data, try Data(contentsOf: Repository.fixtures.appending(path: "api/users/1.json")))
    }

    func testDirectory_emptyAndOddlyNamedFilesAreFixtures() throws {
        let root = try temporaryDirectory()
        for name in ["empty.json", "a b.json", "50%25.json", "a;b#c?.json", "naïve.json", "..a", "a..b"] {
            XCTAssertTrue(
                FileManager.default.createFile(
                    atPath: root.path(percentEncoded: false) + "/" + name, contents: Data(name.utf8.dropFirst(5))))
            XCTAssertEqual(
                try FixtureSource.directory(root).data(named: name), Data(name.utf8.dropFirst(5)), name)
        }
        XCTAssertTrue(FileManager.default.createFile(atPath: root.path() + "/nothing", contents: nil))
        XCTAssertEqual(try FixtureSource.directory(root).data(named: "nothing"), Data())
    }

    func testMissingFixture_namesEveryPathTried() throws {
        let root = try temporaryDirectory()
        let source = FixtureSource.sources([.memory(["a": Data()]), .directory(root), MockTest.fixtures])
        let message = try XCTUnwrap(failure(source, "users/99.json")).message
        XCTAssertTrue(message.contains("\"users/99.json\""), message)
        XCTAssertTrue(message.contains(root.path() + "/users/99.json"), message)
        XCTAssertTrue(message.contains("Fixtures/api/users/99.json"), message)
        XCTAssertTrue(message.contains("1 in memory"), message)
        XCTAssertTrue(try XCTUnwrap(failure(.sources([]), "a")).message.contains("no fixture source"))
        XCTAssertTrue(try XCTUnwrap(failure(.empty, "a")).message.contains("0 in memory"))
    }

    func testSources_firstThatHasTheFileGivesIt() throws {
        let source = FixtureSource.sources([
            .memory(["b": Data("memory".utf8)]), .sources([.memory(["b": Data("later".utf8)]), MockTest.fixtures]),
        ])
        XCTAssertEqual(try source.data(named: "b"), Data("memory".utf8))
        XCTAssertFalse(try source.data(named: "users/2.json").isEmpty)
    }

    func testBundle_resolvesBelowItsResources() throws {
        let root = try temporaryDirectory()
        let bundleURL = root.appending(path: "Sample.resources")
        try FileManager.default.createDirectory(
            at: bundleURL.appending(path: "Fixtures/users"), withIntermediateDirectories: true)
        try Data("x".utf8).write(to: bundleURL.appending(path: "Fixtures/users/1.json"))
        let bundle = try XCTUnwrap(Bundle(url: bundleURL))
        XCTAssertEqual(
            try FixtureSource.bundle(bundle, subdirectory: "Fixtures").data(named: "users/1.json"), Data("x".utf8))
        XCTAssertEqual(
            try FixtureSource.bundle(bundle).data(named: "Fixtures/users/1.json"), Data("x".utf8))
    }

    func testName_thatLeadsElsewhereIsRefused() throws {
        let names = [
            "", "/etc/hostname", "../conformance/mock.jsonl", "users/../users/1.json", "users/..", "..", ".",
            "./users/1.json", "users/./1.json", "users//1.json", "users/", "users\\1.json", "..\\x",
            "users/1.json\0.png", "users\n", "/\u{301}etc", "..//x", "../\u{301}x", "//etc/hostname",
        ]
        let sources: [FixtureSource] = [
            MockTest.fixtures, .memory(Dictionary(uniqueKeysWithValues: names.map { ($0, Data()) })),
        ]
        for source in sources {
            for name in names {
                let message = failure(source, name)?.message ?? ""
                XCTAssertTrue(message.contains("is refused"), "\(name.debugDescription): \(message)")
            }
        }
    }

    func testLink_outOfTheSourceIsRefusedAndInsideIsFollowed() throws {
        let outer = try temporaryDirectory()
        let manager = FileManager.default
        let root = outer.appending(path: "root")
        try manager.createDirectory(at: root, withIntermediateDirectories: true)
        try manager.createDirectory(at: outer.appending(path: "root-2"), withIntermediateDirectories: true)
        try Data("secret".utf8).write(to: outer.appending(path: "secret"))
        try Data("secret".utf8).write(to: outer.appending(path: "root-2/secret"))
        try Data("inside".utf8).write(to: root.appending(path: "real"))
        for (link, target) in [
            ("file", "../secret"), ("folder", ".."), ("sibling", "../root-2/secret"), ("alias", "real"),
        ] {
            try manager.createSymbolicLink(
                atPath: root.appending(path: link).path(), withDestinationPath: target)
        }
        let source = FixtureSource.directory(root)
        for name in ["file", "folder/secret", "sibling"] {
            XCTAssertTrue(failure(source, name)?.message.contains("links out") ?? false, name)
        }
        XCTAssertEqual(try source.data(named: "alias"), Data("inside".utf8))

        try manager.createSymbolicLink(atPath: outer.appending(path: "linked").path(), withDestinationPath: "root")
        XCTAssertEqual(
            try FixtureSource.directory(outer.appending(path: "linked")).data(named: "real"), Data("inside".utf8))
    }

    func testAnythingButARegularFile_isRefused() {
        XCTAssertTrue(failure(MockTest.fixtures, "users")?.message.contains("not a regular file") ?? false)
        let remote = FixtureSource.directory(URL(string: "http://u:p@a.test/x?q=1")!)
        let message = failure(remote, "a")?.message ?? ""
        XCTAssertTrue(message.contains("not a file URL") && !message.contains("p@"), message)
    }

    func testMediaType_followsTheExtension() {
        for (name, type) in [
            ("a.json", "application/json"), ("A.JSON", "application/json"), ("x.d/a", "application/octet-stream"),
            ("a.sse", "text/event-stream"), ("a.ndjson", "application/x-ndjson"), (".json", "application/octet-stream"),
            ("a.tar.unknown", "application/octet-stream"), ("a.txt", "text/plain; charset=utf-8"),
            ("a.", "application/octet-stream"), ("é.html", "text/html; charset=utf-8"),
        ] {
            XCTAssertEqual(FixtureName.mediaType(of: name).description, type, name)
        }
    }
}
