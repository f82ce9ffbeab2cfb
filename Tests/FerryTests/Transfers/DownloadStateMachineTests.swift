import Foundation
import XCTest

@testable import Ferry

final class DownloadStateMachineTests: XCTestCase {
    private let url = URL(filePath: "/not-asked")
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func head(_ status: HTTPStatus, _ headers: HTTPHeaders = [:]) -> HTTPResponse.Head {
        HTTPResponse.Head(status: status, headers: headers, url: url)
    }

    private func record(_ headers: HTTPHeaders = ["ETag": "\"v1\"", "Content-Length": "10"]) throws -> DownloadRecord {
        try XCTUnwrap(DownloadRecord(head(.ok, headers), url: url, now: now))
    }

    func testDWN04_onlyAStrongValidatorAllowsARange() throws {
        let row = try ConformanceCase.load("DWN-04", area: "download")
        let length = Int64(try XCTUnwrap(row.input["partial"].int))
        for (validator, expected) in zip(row.input["validators"].array, row.expected["requests"].array) {
            let headers = HTTPHeaders(
                validator.object.map { HTTPHeaders.Field(name: $0.key, value: $0.value.string ?? "") })
            let record = DownloadRecord(head(.ok, headers), url: url, now: now)
            var machine = DownloadStateMachine(url: url, record: record, length: length)
            if let ifRange = expected["If-Range"].string {
                XCTAssertEqual(expected["Range"].string, "bytes=5-")
                XCTAssertEqual(machine.request(), .range(from: length, ifRange: ifRange))
            } else {
                XCTAssertEqual(machine.request(), .whole)
            }
            XCTAssertEqual(machine.receive(head(.ok, headers), now: now), .write(at: 0), "200 is the whole, rewritten")
        }
    }

    func testPlan_needsAFittingRecordAndAPartial() throws {
        let fitting = try record()
        var other = fitting
        other.urlDigest = DownloadRecord.digest(of: URL(filePath: "/other"))
        var future = fitting
        future.version += 1
        let cases: [(DownloadRecord?, Int64, Bool, DownloadStateMachine.Plan)] = [
            (fitting, 4, true, .range(from: 4, ifRange: "\"v1\"")),
            (fitting, 10, true, .range(from: 10, ifRange: "\"v1\"")), (fitting, 11, true, .whole),
            (fitting, 0, true, .whole), (nil, 4, true, .whole), (other, 4, true, .whole), (future, 4, true, .whole),
            (fitting, 4, false, .whole),
        ]
        for (record, length, mayResume, plan) in cases {
            var machine = DownloadStateMachine(url: url, record: record, length: length, mayResume: mayResume)
            XCTAssertEqual(machine.request(), plan, "\(length) \(mayResume)")
            XCTAssertEqual(machine.resumedFrom, plan == .whole ? 0 : length)
        }
    }

    func testResponseWithoutContent_isCompleteWhateverLengthItGives() {
        var machine = DownloadStateMachine(url: url, record: nil, length: 0)
        XCTAssertEqual(machine.receive(head(204, ["Content-Length": "10"]), now: now), .write(at: 0))
        XCTAssertNil(machine.total)
        XCTAssertEqual(machine.finish(), .complete, "RFC 9112 §6.3: a 204 has no content")
    }

    func testRangeRequest_andEveryAnswer() throws {
        let part: HTTPHeaders = ["ETag": "\"v1\""]
        func with(_ fields: HTTPHeaders) -> HTTPHeaders { part.merging(fields) }
        let cases: [(String, HTTPStatus, HTTPHeaders, DownloadStateMachine.Action)] = [
            ("as asked", 206, with(["Content-Range": "bytes 4-9/10"]), .write(at: 4)),
            ("unknown total", 206, with(["Content-Range": "bytes 4-9/*"]), .write(at: 4)),
            ("short part", 206, with(["Content-Range": "bytes 4-5/10"]), .write(at: 4)),
            ("without a validator", 206, ["Content-Range": "bytes 4-9/10"], .write(at: 4)),
            ("earlier start (§15.3.7)", 206, with(["Content-Range": "bytes 2-9/10"]), .write(at: 2)),
            ("from zero", 206, with(["Content-Range": "bytes 0-9/10"]), .write(at: 0)),
            ("a gap", 206, with(["Content-Range": "bytes 5-9/10"]), .restart),
            ("nothing new", 206, with(["Content-Range": "bytes 0-3/10"]), .restart),
            ("another total", 206, with(["Content-Range": "bytes 4-9/12"]), .restart),
            ("beyond the known total", 206, with(["Content-Range": "bytes 4-10/*"]), .restart),
            ("no Content-Range", 206, part, .restart),
            ("malformed", 206, with(["Content-Range": "bytes 4-"]), .restart),
            ("another version", 206, ["ETag": "\"v2\"", "Content-Range": "bytes 4-9/10"], .restart),
            ("encoded", 206, with(["Content-Range": "bytes 4-9/10", "Content-Encoding": "gzip"]), .restart),
            (
                "several parts (§15.3.7.2)", 206,
                with(["Content-Type": "multipart/byteranges; boundary=x", "Content-Range": "bytes 4-9/10"]), .restart
            ),
            (
                "two lengths", 206, with(["Content-Range": "bytes 4-9/10", "Content-Length": "5"]),
                .fail(.malformedResponse, "The Content-Length of a part is not that of its Content-Range")
            ),
            ("range ignored", 200, ["ETag": "\"v1\"", "Content-Length": "10"], .write(at: 0)),
            ("416, another length", 416, ["Content-Range": "bytes */10"], .restart),
            ("416 without length", 416, [:], .restart), ("not found", 404, [:], .judge), ("server", 500, [:], .judge),
            ("not modified", 304, [:], .judge),
        ]
        for (name, status, headers, action) in cases {
            var machine = DownloadStateMachine(url: url, record: try record(), length: 4)
            _ = machine.request()
            XCTAssertEqual(machine.receive(head(status, headers), now: now), action, name)
            if action == .restart {
                XCTAssertEqual(machine.request(), .whole, "\(name): the second request asks for no range")
                XCTAssertFalse(machine.isResumable)
            }
        }
    }

    func testUnsatisfiable_atTheEndIsComplete() throws {
        for (length, headers, action) in [
            (10, ["Content-Range": "bytes */10"], DownloadStateMachine.Action.complete),
            (10, ["Content-Range": "bytes */10", "ETag": "\"v1\""], .complete),
            (10, ["Content-Range": "bytes */10", "ETag": "\"v2\""], .restart), (10, [:], .restart),
            (10, ["Content-Range": "bytes 0-9/10"], .restart), (10, ["Content-Range": "bytes */12"], .restart),
        ] as [(Int64, HTTPHeaders, DownloadStateMachine.Action)] {
            var machine = DownloadStateMachine(url: url, record: try record(), length: length)
            _ = machine.request()
            XCTAssertEqual(machine.receive(head(416, headers), now: now), action, "\(headers.fields.map(\.value))")
        }
    }

    func testWholeRequest_takesNoPart() {
        var machine = DownloadStateMachine(url: url, record: nil, length: 0)
        _ = machine.request()
        guard
            case .fail(.malformedResponse, _) = machine.receive(
                head(206, ["Content-Range": "bytes 0-9/10"]), now: now)
        else { return XCTFail("a part was taken") }
        _ = machine.request()
        XCTAssertEqual(machine.receive(head(416, ["Content-Range": "bytes */10"]), now: now), .judge)
    }

    func testEnd_ofAShortPartProceeds_ofACutOneFails() throws {
        var machine = DownloadStateMachine(url: url, record: try record(), length: 4)
        _ = machine.request()
        _ = machine.receive(head(206, ["Content-Range": "bytes 4-6/10"]), now: now)
        machine.wrote(3)
        XCTAssertEqual(machine.finish(), .proceed)
        XCTAssertEqual(machine.request(), .range(from: 7, ifRange: "\"v1\""))
        _ = machine.receive(head(206, ["Content-Range": "bytes 7-9/10"]), now: now)
        machine.wrote(2)
        guard case .fail(.connectionLost, _) = machine.finish() else { return XCTFail("short is not complete") }
        machine.wrote(1)
        XCTAssertEqual(machine.finish(), .complete)
        XCTAssertEqual(machine.resumedFrom, 4)
        machine.wrote(1)
        XCTAssertTrue(machine.isTooLong)
    }

    func testEnd_ofAnUnknownTotalAsksOn() throws {
        var machine = DownloadStateMachine(url: url, record: try record(["ETag": "\"v1\""]), length: 4)
        _ = machine.request()
        _ = machine.receive(head(206, ["Content-Range": "bytes 4-9/*"]), now: now)
        machine.wrote(6)
        XCTAssertEqual(machine.finish(), .proceed)
        _ = machine.request()
        XCTAssertEqual(machine.receive(head(416, ["Content-Range": "bytes */10"]), now: now), .complete)
    }

    func testRecord_isNoneWhereNothingCanBeResumed() throws {
        for headers in [
            ["ETag": "\"v1\"", "Content-Encoding": "gzip"], ["ETag": "\"v1\"", "Accept-Ranges": "none"], [:],
        ] as [HTTPHeaders] {
            XCTAssertNil(DownloadRecord(head(.ok, headers), url: url, now: now))
        }
        XCTAssertNil(DownloadRecord(head(203, ["ETag": "\"v1\""]), url: url, now: now))
        let secret = try XCTUnwrap(URL(string: "https://u:p@a.test/x?token=secret"))
        let record = try XCTUnwrap(DownloadRecord(head(.ok, ["ETag": "\"v1\""]), url: secret, now: now))
        let text = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
        XCTAssertFalse(text.contains("secret") || text.contains("u:p"), text)
        XCTAssertTrue(record.fits(secret))
    }
}
