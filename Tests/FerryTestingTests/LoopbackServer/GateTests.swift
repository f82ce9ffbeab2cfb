import Foundation
import XCTest

@testable import FerryTesting

final class GateTests: XCTestCase {
    func testOpen_releasesEveryWaiterAndStaysOpen() async {
        let gate = Gate()
        XCTAssertFalse(gate.isOpen)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { await gate.wait() } }
            gate.open()
        }
        XCTAssertTrue(gate.isOpen)
        await gate.wait()
    }

    func testWait_returnsWhenCancelled() async {
        let gate = Gate()
        let task = Task { await gate.wait() }
        task.cancel()
        await task.value
        XCTAssertFalse(gate.isOpen)
    }

    func testStoredGzip_hasTheChecksumAndLengthOfTheContent() {
        // The check value of CRC-32/ISO-HDLC, to which RFC 1952 §8 refers.
        XCTAssertEqual(Gzip.crc32(Data("123456789".utf8)), 0xCBF4_3926)
        XCTAssertEqual(
            Array(Gzip.stored(Data("123456789".utf8))),
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1, 9, 0, 0xF6, 0xFF] + Array("123456789".utf8)
                + [0x26, 0x39, 0xF4, 0xCB, 9, 0, 0, 0])
        XCTAssertEqual(Gzip.stored(Data(count: 0x1_0000)).count, 10 + 5 + 0xFFFF + 5 + 1 + 8)
    }
}
