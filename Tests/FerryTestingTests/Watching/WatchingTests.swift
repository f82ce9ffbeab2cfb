import Ferry
import FerryTesting
import Foundation
import XCTest

final class WatchingTests: MockTestCase, @unchecked Sendable {  // Stores nothing itself.
    func testEventRecorder_dumpsACallInWords() async throws {
        let recorder = EventRecorder()
        let mock = transport()
        mock.on(.post, "/a", .json("[1]", status: 201))
        let url = try XCTUnwrap(URL(string: "https://api.example/a?token=hush"))
        let context = CallContext(clock: ManualClock(), sink: recorder.sink)
        _ = try await mock.send(HTTPRequest(method: .post, url: url, body: .text("hey")), context: context)
        XCTAssertEqual(
            recorder.dump,
            """
            1. sent 3 of 3 bytes
            2. head: 201 Created [Content-Type, Content-Length]
            3. received 3 of 3 bytes
            """)
        recorder.removeAll()
        XCTAssertEqual(recorder.words, [])
    }

    func testLeakCheck_seesDescriptors() async throws {
        let check = LeakCheck()
        guard let before = check.descriptors else { throw XCTSkip("The system does not tell its descriptors") }
        let handles = (0..<64).compactMap { _ in FileHandle(forReadingAtPath: "/dev/null") }
        XCTAssertGreaterThan(try XCTUnwrap(LeakCheck().descriptors), before + 32)
        for handle in handles { try handle.close() }
        await check.assertNone(tolerance: 8)
    }
}
