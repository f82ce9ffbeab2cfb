import Ferry
import FerryTesting
import Foundation
import XCTest

/// A client's traffic as an HTTP Archive: what an app writes for a report, not what a test replays.
final class HARExportTests: ClientTestCase {
    func testTraffic_isWrittenAsItWentWithoutSecrets() async throws {
        server.script(.get, "/p", [.status(503), .json(#"{"token":"s3cr3t","a":1}"#)])
        server.on(.get, "/away", .redirect(to: "/p?api_key=s3cr3t"))
        let file = try temporaryDirectory().appending(path: "reports/traffic.har")
        let client = client {
            $0.transport = RecordingTransport(to: file)
            $0.retry = .constant(.zero, maxRetries: 1)
            $0.authorization = .bearer("s3cr3t")
            $0.logger = nil
        }
        let answer = try await client.json(NetworkCall(.get, "/away", query: ["q": "x"]))
        XCTAssertEqual(answer["a"], 1)
        var text = ""
        for try await chunk in client.chunks(NetworkCall(.get, "/p")) { text += String(decoding: chunk, as: UTF8.self) }
        XCTAssertTrue(text.contains("s3cr3t"), "the call has it")
        let archive = try JSONDecoder().decode(JSON.self, from: Data(contentsOf: file))
        let entries = archive["log"]?["entries"]?.array ?? []
        XCTAssertEqual(archive["log"]?["version"], "1.2")
        // Each attempt and each hop, in order.
        XCTAssertEqual(
            entries.map {
                "\($0["request"]?["url"]?.string?.split(separator: "/").last ?? "") \($0["response"]?["status"] ?? 0)"
            },
            ["away?q=x 302", "p?api_key=REDACTED 503", "p?api_key=REDACTED 200", "p 200"])
        XCTAssertFalse(String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("s3cr3t"))
        // Content is in it, so it is this user's alone.
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        XCTAssertEqual(attributes[.posixPermissions] as? Int, 0o600)
        let left = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        XCTAssertEqual(left, ["traffic.har"])
    }

    func testRecording_keepsThePinsOfWhatItRecords() async throws {
        let file = try temporaryDirectory().appending(path: "traffic.har")
        let client = client {
            $0.transport = RecordingTransport(to: file)
            $0.pins = ["127.0.0.1": ["sha256/d7+j4X1RqlW68D7zOezzyLh5LaXCJlAltn8kdWZk6G4="]]
        }
        // URLSession on Linux cannot pin, and elsewhere plain http cannot.
        let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/p")) }
        XCTAssertEqual(error?.kind, .unsupported)
        XCTAssertTrue(server.requests.isEmpty)
        let mock = MockTransport()
        mock.on(.get, "/p", .text("a"))
        XCTAssertTrue(mock.enforcesPins)
        let mocked = self.client {
            $0.transport = mock
            $0.pins = ["127.0.0.1": ["sha256/d7+j4X1RqlW68D7zOezzyLh5LaXCJlAltn8kdWZk6G4="]]
        }
        let text = try await mocked.string(NetworkCall(.get, "/p"))
        XCTAssertEqual(text, "a", "a mock sends nothing that a pin could guard")
    }
}
