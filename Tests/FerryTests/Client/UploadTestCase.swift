import Ferry
import FerryTesting
import Foundation
import XCTest

/// Uploads on real sockets, with files to send; no temporary file may be left.
class UploadTestCase: ClientTestCase {
    private(set) var directory: URL!

    override func setUp() async throws {
        try await super.setUp()
        directory = try temporaryDirectory()
    }

    override func tearDown() async throws {
        try await super.tearDown()
        XCTAssertEqual(try Self.spools(), [], "a temporary file is left behind")
    }

    /// Temporary files of this process's uploads.
    private static func spools() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
            .filter { $0.hasPrefix("ferry-upload-\(ProcessInfo.processInfo.processIdentifier)-") }
    }

    /// A file of zeros that takes no room.
    func sparseFile(_ size: UInt64, _ name: String = "large") throws -> URL {
        let url = try directory.write(Data(), name)
        try FileHandle(forWritingTo: url).truncate(atOffset: size)
        return url
    }

    /// Has the server take an upload's first bytes, and the others once it is let go on.
    func holdUpload(_ response: LoopbackResponse = .text("ok")) -> (hasBegun: Gate, goOn: Gate) {
        let hasBegun = Gate()
        let goOn = Gate()
        server.onStreaming(.post, "/up") { _, body in
            var pieces = body.makeAsyncIterator()
            _ = try await pieces.next()
            hasBegun.open()
            await goOn.wait()
            while try await pieces.next() != nil {}
            return response
        }
        return (hasBegun, goOn)
    }

    func form(_ file: URL) -> MultipartForm {
        var form = MultipartForm(boundary: "B")
        form.append("title", "A large file")
        form.append("file", file: file)
        return form
    }
}
