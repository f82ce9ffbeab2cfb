import FerryTesting
import Foundation
import XCTest

@testable import Ferry

/// What an upload tells of its progress.
final class UploadProgressTests: UploadTestCase {
    func testPRG03_progressIsTrueForEachAttempt() async throws {
        let row = try ConformanceCase.load("PRG-03", area: "progress")
        let size = try XCTUnwrap(row.input["body_bytes"].int)
        let statuses = row.input["responses"].array.compactMap { $0.int.map { HTTPStatus($0) } }
        let file = try directory.write(Data(repeating: 1, count: size), "f")
        let stream = BodyStream { AsyncStream<Data>.of([Data(repeating: 1, count: size)]) }
        for body: RequestBody in [.data(Data(repeating: 1, count: size)), .file(file), .stream(stream)] {
            server.script(.put, "/up", statuses.map { .status($0) })
            let events = EventRecorder()
            let client = client { $0.retry = .constant(.milliseconds(1), maxRetries: 1) }
            _ = try await client.make(NetworkCall(.put, "/up", body: body), sink: events.sink) { $0.body }
            var attempts: [[TransferProgress]] = []
            for event in events.events {
                switch event {
                case .attempt: attempts.append([])
                case .sent(let progress): attempts[attempts.count - 1].append(progress)
                default: break
                }
            }
            XCTAssertEqual(attempts.count, statuses.count)
            for attempt in attempts {
                XCTAssertEqual(attempt.first?.completed, 0, "\(body)")
                XCTAssertEqual(attempt.map(\.completed), attempt.map(\.completed).sorted())
                XCTAssertTrue(attempt.allSatisfy { $0.total == Int64(size) }, "\(body)")
                XCTAssertEqual(attempt.last?.completed, row.expected["last"]["sent"].int.map(Int64.init), "\(body)")
            }
        }
    }

    func testProgress_isWhatWentOut() async throws {
        let file = try sparseFile(64 << 20)
        let total = try XCTUnwrap(BodyEncoder().encode(.multipart(form(file))).length)
        let told = Collected<TransferProgress>()
        let (hasBegun, goOn) = holdUpload(.json(#"{"id": 1, "name": "x"}"#))
        let client = client()
        let call = NetworkCall(.post, "/up", body: .multipart(form(file)))
        async let user: User = client.upload(call) { told.add($0) }
        await hasBegun.wait()
        // The server took a piece of the body; buffers of both ends hold a few MiB, and not the whole file.
        XCTAssertFalse(told.all.contains { $0.completed == total }, "ran ahead")
        goOn.open()
        let value = try await user
        XCTAssertEqual(value, User(id: 1, name: "x"))
        XCTAssertEqual(told.all.first, TransferProgress(completed: 0, total: total))
        XCTAssertEqual(told.all.last, TransferProgress(completed: total, total: total))
        XCTAssertEqual(told.all.last?.fraction, 1)
    }

    func testProgress_neverGoesBackwardsAcrossAttempts() async throws {
        server.script(.put, "/up", [.status(503), .status(503), .json(#"{"id": 1, "name": "x"}"#)])
        let client = client { $0.retry = .constant(.milliseconds(1), maxRetries: 2) }
        let told = Collected<TransferProgress>()
        let call = NetworkCall(.put, "/up", body: .data(Data(repeating: 1, count: 300_000)))
        let _: User = try await client.upload(call) { told.add($0) }
        XCTAssertEqual(server.requestCount, 3)
        let counts = told.all.map(\.completed)
        XCTAssertEqual(counts, counts.sorted())
        XCTAssertEqual(counts.count, Set(counts).count, "reported twice")
        XCTAssertEqual(counts.last, 300_000)
    }

    func testMeter_reportsAtMostOnceAnInterval() {
        let clock = ManualClock()
        let told = Collected<Int64>()
        let meter = UploadMeter(clock: clock) { told.add($0.completed) }
        func sent(_ completed: Int64) { meter.take(.sent(TransferProgress(completed: completed, total: 100))) }
        sent(0)
        sent(10)
        clock.advance(by: .milliseconds(99))
        sent(20)
        clock.advance(by: .milliseconds(1))
        sent(30)
        sent(0)
        clock.advance(by: .seconds(1))
        sent(5)
        sent(40)
        sent(100)
        meter.take(.cacheHit)
        XCTAssertEqual(told.all, [0, 30, 40, 100])
    }
}
