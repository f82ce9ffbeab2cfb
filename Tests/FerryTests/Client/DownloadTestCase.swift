import FerryTesting
import Foundation
import XCTest

@testable import Ferry

/// Downloads over real sockets into a folder of their own.
class DownloadTestCase: ClientTestCase {
    private(set) var folder: URL!
    var target: URL { folder.appending(path: "file.bin") }

    override func setUp() async throws {
        try await super.setUp()
        folder = try temporaryDirectory()
    }

    let call = NetworkCall(.get, "/file")

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
    }

    func text(_ url: URL) throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }

    /// Leaves what a killed process leaves: the partial file and its record.
    func leavePartial(_ text: String, _ headers: HTTPHeaders, client: NetworkClient) throws {
        let request = try client.builder.request(for: call)
        let key = try DownloadDestination(target, options: DownloadOptions()).key(for: request)
        let partial = try PartialFile(in: folder, key: key, isPrivate: false)
        let head = HTTPResponse.Head(status: .ok, headers: headers, url: request.url)
        try partial.setRecord(DownloadRecord(head, url: request.url, now: Date()))
        partial.keep(true)
        partial.close()
        try Data(text.utf8).write(to: folder.appending(path: ".ferry-\(key).part"))
    }
}
