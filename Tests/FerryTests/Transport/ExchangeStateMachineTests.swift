import Foundation
import XCTest

@testable import Ferry

final class ExchangeStateMachineTests: XCTestCase {
    private let url = URL(string: "http://127.0.0.1/x")!

    // MARK: Buffered

    func testBuffered_deliversOnceWithAllBytes() {
        var machine = machine(.buffered)
        XCTAssertNil(machine.receive(head(200)).deliver)
        XCTAssertNil(machine.receive(Data("ab".utf8)).deliver)
        XCTAssertNil(machine.receive(Data("cd".utf8)).deliver)
        XCTAssertEqual(body(machine.end(nil).deliver), "abcd")
        XCTAssertNil(machine.end(nil).deliver)
        XCTAssertNil(machine.cancel(.cancelled).deliver)
    }

    func testInformationalHeads_areSkipped() {
        var machine = machine(.buffered)
        for code in [100, 102, 103] { XCTAssertNil(machine.receive(head(code)).deliver) }
        XCTAssertFalse(machine.hasHead)
        _ = machine.receive(head(204))
        XCTAssertEqual(body(machine.end(nil).deliver), "")
    }

    func testEnd_withoutHeadIsMalformed() {
        var machine = machine(.buffered)
        XCTAssertEqual(kind(machine.end(nil).deliver), .malformedResponse)
    }

    func testEnd_withFewerBytesThanAnnouncedIsALostConnection() {
        var machine = machine(.buffered)
        _ = machine.receive(head(200, ["Content-Length": "5"]))
        _ = machine.receive(Data("abcd".utf8))
        let actions = machine.end(nil)
        XCTAssertEqual(kind(actions.deliver), .connectionLost)
        XCTAssertFalse(actions.stop, "the transfer ended by itself")
    }

    func testFailure_keepsTheHeadThatCame() {
        var machine = machine(.buffered)
        _ = machine.receive(head(200))
        guard case .failure(let error)? = machine.end(NetworkError(.connectionLost, "x")).deliver else {
            return XCTFail("no failure")
        }
        XCTAssertEqual(error.status, 200)
    }

    func testBodyLimit_stopsTheTransfer() {
        var machine = machine(.buffered, Limits(bufferedBody: 3))
        _ = machine.receive(head(200))
        _ = machine.receive(Data("abc".utf8))
        let actions = machine.receive(Data("d".utf8))
        XCTAssertEqual(kind(actions.deliver), .bodyTooLarge)
        XCTAssertTrue(actions.stop)
    }

    func testBodyLimit_isKnownFromTheHead() {
        var machine = machine(.buffered, Limits(bufferedBody: 3))
        XCTAssertEqual(kind(machine.receive(head(200, ["Content-Length": "4"])).deliver), .bodyTooLarge)
    }

    func testHeaderLimit_isAnError() {
        var machine = machine(.buffered, Limits(headerCount: 2))
        XCTAssertEqual(kind(machine.receive(head(200, ["A": "1", "B": "2", "C": "3"])).deliver), .headTooLarge)
    }

    // MARK: Streamed

    func testStreamed_deliversTheHeadThenChunksThenTheEnd() {
        var machine = machine(.streamed)
        guard case .success(.head(let delivered))? = machine.receive(head(200)).deliver else {
            return XCTFail("no head")
        }
        XCTAssertEqual(delivered.status, 200)
        XCTAssertNil(machine.receive(Data("ab".utf8)).supply)
        XCTAssertEqual(chunk(machine.next()), "ab")
        XCTAssertNil(machine.next(), "the consumer waits")
        XCTAssertEqual(chunk(machine.receive(Data("cd".utf8)).supply), "cd")
        XCTAssertNil(machine.next())
        guard case .success(nil)? = machine.end(nil).supply else { return XCTFail("no end") }
        guard case .success(nil)? = machine.next() else { return XCTFail("the end stays") }
    }

    func testStreamed_cutBodyThrowsBehindTheBytesThatCame() {
        var machine = machine(.streamed)
        _ = machine.receive(head(200, ["Content-Length": "9"]))
        _ = machine.receive(Data("ab".utf8))
        _ = machine.end(nil)
        XCTAssertEqual(chunk(machine.next()), "ab")
        XCTAssertEqual(chunkKind(machine.next()), .connectionLost)
    }

    func testStreamed_cancelDropsWhatWaits() {
        var machine = machine(.streamed)
        _ = machine.receive(head(200))
        _ = machine.receive(Data("ab".utf8))
        XCTAssertTrue(machine.cancel(.cancelled).stop)
        XCTAssertEqual(chunkKind(machine.next()), .cancelled)
    }

    func testStreamed_abandonStopsTheTransferOnce() {
        var machine = machine(.streamed)
        _ = machine.receive(head(200))
        XCTAssertTrue(machine.abandon().stop)
        XCTAssertFalse(machine.abandon().stop)
        XCTAssertNil(machine.receive(Data("ab".utf8)).supply)
    }

    func testStreamed_consumerThatWaitsIsToldOfTheCancel() {
        var machine = machine(.streamed)
        _ = machine.receive(head(200))
        XCTAssertNil(machine.next())
        let actions = machine.cancelNext()
        XCTAssertEqual(chunkKind(actions.supply), .cancelled)
        XCTAssertTrue(actions.stop)
    }

    func testStreamed_cancelAfterTheEndIsNoCompleteBody() {
        var machine = machine(.streamed)
        _ = machine.receive(head(200))
        _ = machine.receive(Data("ab".utf8))
        _ = machine.end(nil)
        _ = machine.cancelNext()
        XCTAssertEqual(chunkKind(machine.next()), .cancelled, "two bytes were not taken")

        var taken = self.machine(.streamed)
        _ = taken.receive(head(200))
        _ = taken.end(nil)
        _ = taken.cancelNext()
        guard case .success(nil)? = taken.next() else { return XCTFail("nothing was lost") }
    }

    func testStreamed_consumerThatWaitsIsToldWhenTheStreamIsAbandoned() {
        var machine = machine(.streamed)
        _ = machine.receive(head(200))
        XCTAssertNil(machine.next())
        XCTAssertEqual(chunkKind(machine.abandon().supply), .cancelled)
        XCTAssertEqual(chunkKind(machine.next()), .cancelled, "nor is it complete afterwards")
    }

    func testStreamed_failureBeforeTheHeadIsDelivered() {
        var machine = machine(.streamed)
        XCTAssertEqual(kind(machine.end(NetworkError(.cannotConnect, "x")).deliver), .cannotConnect)
    }

    // MARK: Content-Length

    func testContentLength_table() throws {
        struct Row {
            let method: HTTPMethod
            let status: Int
            let headers: HTTPHeaders
            let expected: Int64??
            let section: String
        }
        let rows: [Row] = [
            Row(method: .get, status: 200, headers: ["Content-Length": "12"], expected: 12, section: "RFC 9110 8.6"),
            Row(method: .get, status: 200, headers: [:], expected: .some(nil), section: "RFC 9112 6.3"),
            Row(
                method: .head, status: 200, headers: ["Content-Length": "12"], expected: .some(nil),
                section: "RFC 9110 9.3.2"),
            Row(
                method: .get, status: 304, headers: ["Content-Length": "12"], expected: .some(nil),
                section: "RFC 9110 15.4.5"),
            Row(
                method: .get, status: 204, headers: ["Content-Length": "12"], expected: .some(nil),
                section: "RFC 9110 15.3.5"),
            Row(method: .get, status: 200, headers: ["Content-Length": "7, 7"], expected: 7, section: "RFC 9112 6.3"),
            Row(method: .get, status: 200, headers: ["Content-Length": "7, 8"], expected: nil, section: "RFC 9112 6.3"),
            Row(method: .get, status: 200, headers: ["Content-Length": "-1"], expected: nil, section: "RFC 9110 8.6"),
            Row(method: .get, status: 200, headers: ["Content-Length": "+7"], expected: nil, section: "RFC 9110 8.6"),
            Row(
                method: .get, status: 200, headers: ["Content-Length": "99999999999999999999"], expected: nil,
                section: "RFC 9110 8.6"),
            Row(
                method: .get, status: 200, headers: ["Content-Length": "7", "Transfer-Encoding": "chunked"],
                expected: .some(nil), section: "RFC 9112 6.3"),
            Row(
                method: .get, status: 200, headers: ["Content-Length": "7", "Content-Encoding": "gzip"],
                expected: .some(nil), section: "RFC 9110 8.4"),
            Row(
                method: .get, status: 200, headers: ["Content-Length": "7", "Content-Encoding": "Identity"],
                expected: 7, section: "RFC 9110 8.4"),
        ]
        for row in rows {
            let head = HTTPResponse.Head(status: HTTPStatus(row.status), headers: row.headers, url: url)
            if let expected = row.expected {
                XCTAssertEqual(try ContentLength.expected(of: head, method: row.method), expected, "\(row)")
            } else {
                XCTAssertThrowsError(try ContentLength.expected(of: head, method: row.method), "\(row)") {
                    XCTAssertEqual(($0 as? NetworkError)?.kind, .malformedResponse)
                }
            }
        }
    }

    // MARK: Support

    private func machine(_ delivery: Delivery, _ limits: Limits = Limits()) -> ExchangeStateMachine {
        ExchangeStateMachine(method: .get, delivery: delivery, limits: limits)
    }

    private func head(_ code: Int, _ headers: HTTPHeaders = [:]) -> HTTPResponse.Head {
        HTTPResponse.Head(status: HTTPStatus(code), headers: headers, url: url)
    }

    private func body(_ delivered: Result<HTTPResponse.Delivered, NetworkError>?) -> String? {
        guard case .success(.complete(_, let data))? = delivered else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    private func kind(_ delivered: Result<HTTPResponse.Delivered, NetworkError>?) -> NetworkError.Kind? {
        guard case .failure(let error)? = delivered else { return nil }
        return error.kind
    }

    private func chunk(_ result: Result<Data?, NetworkError>?) -> String? {
        guard case .success(let data?)? = result else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    private func chunkKind(_ result: Result<Data?, NetworkError>?) -> NetworkError.Kind? {
        guard case .failure(let error)? = result else { return nil }
        return error.kind
    }
}
