import Ferry
import Foundation
import XCTest

final class ByteStreamTests: XCTestCase {
    func testStream_leavingTheLoopCancelsThoughTheStreamIsKept() async throws {
        let source = ScriptedSource(["a", "b", "c"])
        let stream = ByteStream(source)
        for try await _ in stream { break }
        XCTAssertTrue(source.isCancelled)
        XCTAssertEqual(source.remaining, 2)
        withExtendedLifetime(stream) {}
    }

    func testStream_droppedUnreadCancels() {
        let source = ScriptedSource(["a"])
        do { _ = ByteStream(source) }
        XCTAssertTrue(source.isCancelled)
    }

    func testStream_secondIteratorThrowsAndLeavesTheFirstAlone() async throws {
        let source = ScriptedSource(["a", "b"])
        let stream = ByteStream(source)
        var first = stream.makeAsyncIterator()
        let begin = try await first.next()
        XCTAssertEqual(begin, Data("a".utf8))
        let second = await collect(stream)
        XCTAssertEqual(second.error?.kind, .streamConsumed)
        XCTAssertFalse(source.isCancelled)
        let rest = try await first.next()
        XCTAssertEqual(rest, Data("b".utf8))
        let end = try await first.next()
        XCTAssertNil(end)
    }

    func testStream_collectHasALimit() async throws {
        let whole = try await ByteStream([Data("ab".utf8), Data("c".utf8)]).collect(limit: 3)
        XCTAssertEqual(whole, Data("abc".utf8))
        do {
            _ = try await ByteStream([Data("ab".utf8), Data("c".utf8)]).collect(limit: 2)
            XCTFail("no error")
        } catch {
            XCTAssertEqual(error.kind, .bodyTooLarge)
        }
    }
}
