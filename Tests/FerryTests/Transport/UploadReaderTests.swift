import Foundation
import XCTest

@testable import Ferry

final class UploadReaderTests: XCTestCase {
    /// Reads to the end with a buffer of a size.
    private func read(_ reader: inout UploadReader, _ size: Int) throws -> Data {
        var bytes = [UInt8](repeating: 0, count: size)
        var result = Data()
        while true {
            let before = reader.position
            let count = try bytes.withUnsafeMutableBytes { try reader.read(into: $0) }
            XCTAssertEqual(reader.position, before + Int64(count))
            if count == 0 { return result }
            result.append(contentsOf: bytes[..<count])
        }
    }

    func testPieces_areOneRun() throws {
        let directory = try temporaryDirectory()
        let file = try directory.write(Data("file content".utf8), "f")
        let empty = try directory.write(Data(), "e")
        let spool = try SpillFile()
        try spool.write(Data("__spooled".utf8), at: 0)
        let slice = Data("xxslice".utf8).dropFirst(2)
        let pieces: [UploadReader.Piece] = [
            .data(Data("data ".utf8)), .file(file, length: 12), .data(Data()), .file(empty, length: 0),
            .spool(spool, offset: 2, length: 7), .data(slice),
        ]
        for size in [1, 2, 5, 7, 1000] {
            var reader = UploadReader(pieces)
            XCTAssertEqual(reader.length, 29)
            XCTAssertEqual(try read(&reader, size), Data("data file contentspooledslice".utf8), "\(size)")
        }
        var nothing = UploadReader([])
        XCTAssertEqual(try read(&nothing, 10), Data())
    }

    func testFile_thatGrewGivesWhatWasAnnounced() throws {
        let directory = try temporaryDirectory()
        let file = try directory.write(Data("0123456789".utf8), "f")
        var reader = UploadReader([.file(file, length: 4), .data(Data("!".utf8))])
        XCTAssertEqual(try read(&reader, 3), Data("0123!".utf8))
    }

    func testFile_thatIsShortOrGoneIsAnError() throws {
        let directory = try temporaryDirectory()
        let file = try directory.write(Data("0123456789".utf8), "f")
        for piece: UploadReader.Piece in [
            .file(file, length: 11), .file(directory.appending(path: "gone"), length: 1),
            .file(directory, length: 1),
        ] {
            var reader = UploadReader([piece])
            XCTAssertThrowsError(try read(&reader, 3)) { XCTAssertEqual(($0 as? NetworkError)?.kind, .invalidBody) }
        }
        // Cut while it is read.
        var reader = UploadReader([.file(file, length: 10)])
        var bytes = [UInt8](repeating: 0, count: 4)
        XCTAssertEqual(try bytes.withUnsafeMutableBytes { try reader.read(into: $0) }, 4)
        try FileHandle(forWritingTo: file).truncate(atOffset: 6)
        XCTAssertThrowsError(try read(&reader, 4)) { XCTAssertEqual(($0 as? NetworkError)?.kind, .invalidBody) }
    }

    func testTemporaryFile_isPrivateAndGoesWithItsOwner() throws {
        var file: TemporaryFile? = try TemporaryFile()
        let url = try XCTUnwrap(file?.url)
        let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        XCTAssertEqual(mode, 0o600)
        XCTAssertTrue(url.lastPathComponent.contains("-\(ProcessInfo.processInfo.processIdentifier)-"))
        file = nil
        XCTAssertFalse(FileManager.default.fileExists(atPath: url.path))
    }

    func testLeftOvers_ofDeadProcessesAloneAreRemoved() throws {
        let directory = try temporaryDirectory()
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "exit 0"]
        try process.run()
        process.waitUntilExit()
        let dead = process.processIdentifier
        let mine = ProcessInfo.processInfo.processIdentifier
        let names = ["ferry-upload-\(dead)-a", "ferry-upload-\(mine)-b", "ferry-upload-x-c", "other-\(dead)-d"]
        for name in names { _ = try directory.write(Data("x".utf8), name) }
        TemporaryFile.removeLeftOvers(in: directory)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        XCTAssertEqual(Set(left), Set(names.dropFirst()))
    }
}
