import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// Downloads in a process of their own, which dies or has no room.
final class DownloadProcessTests: ClientTestCase {
    /// The helper, which is built beside the tests.
    private func helper(_ arguments: [String]) throws -> (Process, Pipe) {
        let folder = Bundle(for: Self.self).bundleURL.deletingLastPathComponent()
        let besides = Bundle.main.executableURL?.deletingLastPathComponent() ?? folder
        let candidates = [folder, besides].map { $0.appending(path: "ferry-test-helper") }
        let found = candidates.first { FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false)) }
        let process = Process()
        process.executableURL = try XCTUnwrap(found, "ferry-test-helper is not in \(candidates)")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        return (process, output)
    }

    /// 50 processes are killed, each when its file has grown to a random size; one more finishes.
    func testKilledProcess_leavesWhatTheNextGoesOnWith() async throws {
        var generator = SeededGenerator(seed: 50)
        let source = RangeServer(generator.data(count: 24_000_000))
        let isLast = Mutex(false)
        let lastSent = Mutex(0)
        let isSent = Gate()
        server.on(.get, "/file") { request in
            _ = source.answer(request)
            // More than a process writes at a time, and never all: none finishes before it is killed.
            let (status, headers, part) = source.plan(request)
            return .stream(contentLength: part.count) { writer in
                if isLast.withLock({ $0 }) {
                    try await writer.write(part)
                    lastSent.withLock { $0 += writer.byteCount }
                    return isSent.open()
                }
                try await writer.write(Data(part.prefix(400_000)))
                await writer.waitForDisconnect()
            }.status(status).headers(headers)
        }
        let folder = try temporaryDirectory()
        let file = folder.appending(path: "file.bin")
        let path = folder.path(percentEncoded: false)
        var left: [Int64] = []
        for _ in 0..<50 {
            let (process, _) = try helper([
                server.baseURL.absoluteString + "/file", file.path(percentEncoded: false),
            ])
            let size = (left.last ?? 0) + Int64.random(in: 0...100_000, using: &generator)
            try process.run()
            while try self.size(in: path) < size || source.asked.count == left.count { await Task.yield() }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            left.append(try self.size(in: path))
        }
        isLast.withLock { $0 = true }
        let (process, output) = try helper([server.baseURL.absoluteString + "/file", file.path(percentEncoded: false)])
        try process.run()
        var last: String?
        while let line = output.fileHandleForReading.line() { last = line }
        process.waitUntilExit()
        XCTAssertEqual(last, "finished")
        XCTAssertEqual(try Data(contentsOf: file), source.content)
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: path), ["file.bin"])
        // Each asked for exactly what the one before had not left on disk.
        XCTAssertEqual(source.asked.count, 51)
        let starts = source.asked.map { $0.flatMap { Int64($0.dropFirst(6).dropLast()) } ?? 0 }
        XCTAssertEqual(starts, [0] + left)
        XCTAssertEqual(left, left.sorted())
        // The one that finishes got what was missing, and not a byte more.
        await isSent.wait()
        XCTAssertEqual(Int64(lastSent.withLock { $0 }), Int64(source.content.count) - (left.last ?? 0))
        XCTAssertGreaterThan(Set(left).count, 10)
    }

    func testFullDisk_isAnErrorAndLeavesNothing() async throws {
        let source = RangeServer(Data(repeating: 1, count: 400_000))
        server.on(.get, "/file") { source.answer($0) }
        let folder = try temporaryDirectory()
        let file = folder.appending(path: "file.bin")
        let (process, output) = try helper(
            [server.baseURL.absoluteString + "/file", file.path(percentEncoded: false), "100000"])
        try process.run()
        var last: String?
        while let line = output.fileHandleForReading.line() { last = line }
        process.waitUntilExit()
        XCTAssertEqual(last, "file")
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)), [])
    }

    /// Bytes of the partial file, 0 where there is none yet.
    private func size(in folder: String) throws -> Int64 {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        guard let part = names.first(where: { $0.hasSuffix(".part") }) else { return 0 }
        let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + part)
        return (attributes[.size] as? NSNumber)?.int64Value ?? 0
    }
}

extension FileHandle {
    /// The next line without its break, or nil at the end. Byte by byte: whatever follows is not taken.
    fileprivate func line() -> String? {
        var bytes: [UInt8] = []
        while let byte = try? read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
